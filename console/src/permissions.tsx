// The permission matrix: roles, tables and actions. Each cell opens the grant with its rules and their places in the
// permission file, and what a caller of the role sees of the table.

import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import * as api from "./api";
import { Failure, Name, Page, Panel, Place, SentAs, Table, asText, useLoaded } from "./parts";
import type { Caller, Sent } from "./session";
import type { PageProps } from "./types";
import { Visible, visible } from "./visible";

interface Rule {
  text: string;
  file: string;
  line: number;
}

type ColumnRule = Rule & { column: string };

/** The greatest length of a column's given values: characters of a text, elements of an array. */
interface ColumnLength {
  column: string;
  characters: number | null;
  elements: number | null;
}

const ACTIONS = ["select", "insert", "update", "delete"] as const;
type Action = (typeof ACTIONS)[number];

interface Grant {
  columns?: string[];
  rows?: Rule;
  check?: Rule;
  presets?: ColumnRule[];
  masks?: ColumnRule[];
  other_rows?: Rule[];
  limit?: number | null;
  lengths?: ColumnLength[];
  aggregates?: boolean;
  backend_only?: boolean;
}

type Grants = { role: string; table: string } & Partial<Record<Action, Grant>>;

interface TableNames {
  name: string;
  table: string;
  columns: string[];
  /** The root field that lists its rows. */
  list: string | null;
}

interface Matrix {
  roles: string[];
  tables: TableNames[];
  grants: Grants[];
}

interface Cell {
  table: TableNames;
  role: string;
  action: Action;
}

/** How many tables are shown at first, and with each click more. */
const STEP = 60;

const isEverything = (rule?: Rule) => !rule || rule.text.toLowerCase() === "true";

/** Whether a grant is for all rows and all columns that the action has. */
const isWhole = (grant: Grant, table: TableNames) =>
  isEverything(grant.rows) && isEverything(grant.check) && (grant.columns?.length ?? table.columns.length) === table.columns.length;

export function Permissions({ caller }: PageProps) {
  const loaded = useLoaded(caller.own, "", (signal) => api.read<Matrix>(caller.own, "permissions", signal));
  const [search, setSearch] = useState("");
  const [only, setOnly] = useState("");
  const [shown, setShown] = useState(STEP);
  const [cell, setCell] = useState<Cell | null>(null);
  const matrix = loaded.value;
  const byPlace = useMemo(() => new Map(matrix?.grants.map((grants) => [`${grants.role}\n${grants.table}`, grants])), [matrix]);
  const roles = matrix?.roles.filter((role) => role !== "admin") ?? [];
  const wanted = search.trim().toLowerCase();
  const isWanted = (table: TableNames) =>
    (!wanted || `${table.name} ${table.table}`.toLowerCase().includes(wanted)) && (!only || byPlace.has(`${only}\n${table.name}`));
  const tables = matrix?.tables.filter(isWanted) ?? [];
  const columns = only ? [only] : roles;
  return (
    <Page title="Permissions" loaded={loaded}>
      <p className="quiet">
        What each role may do with each table: <b className="key whole">S</b> everything, <b className="key part">S</b> some rows
        or columns, <b className="key">S</b> nothing. The letters stand for select, insert, update and delete. The
        role <code>admin</code> may do everything.
      </p>
      <div className="filters">
        <label>Table <input type="search" value={search} placeholder="part of a name" onChange={(event) => setSearch(event.target.value)} /></label>
        <label>Role <select value={only} onChange={(event) => setOnly(event.target.value)}>
          <option value="">all roles</option>
          {roles.map((role) => <option key={role} value={role}>{visible(role)}</option>)}
        </select></label>
        <span className="quiet" role="status">{matrix && `${tables.length} of ${matrix.tables.length} tables`}</span>
      </div>
      {matrix && !roles.length && <p className="quiet">No role is defined: only the admin secret gets in.</p>}
      {matrix && roles.length > 0 && !tables.length && <p className="quiet">No table matches.</p>}
      {tables.length > 0 && roles.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Permission matrix">
          <table className="matrix">
            <thead><tr><th scope="col">Table</th>{columns.map((role) => <th key={role} scope="col"><bdi><Visible text={role} /></bdi></th>)}</tr></thead>
            <tbody>
              {tables.slice(0, shown).map((table) => (
                <tr key={table.name}>
                  <th scope="row"><span><Name text={table.name} /></span><small><Name text={table.table} /></small></th>
                  {columns.map((role) => (
                    <td key={role}>
                      <Letters grants={byPlace.get(`${role}\n${table.name}`)} table={table} role={role} onOpen={setCell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {tables.length > shown && <button type="button" onClick={() => setShown(shown + STEP)}>Show more of {tables.length} tables</button>}
      {cell && (
        <Panel title={`${cell.role}: ${cell.table.name}`} onClose={() => setCell(null)}>
          <Grants key={`${cell.role} ${cell.table.name}`} cell={cell} grants={byPlace.get(`${cell.role}\n${cell.table.name}`)} caller={caller} />
        </Panel>
      )}
    </Page>
  );
}

function Letters({ grants, table, role, onOpen }: { grants?: Grants; table: TableNames; role: string; onOpen: (cell: Cell) => void }) {
  return (
    <span className="letters">
      {ACTIONS.map((action) => {
        const grant = grants?.[action];
        const kind = grant ? (isWhole(grant, table) ? "whole" : "part") : "";
        const extent = { whole: "everything", part: "some rows or columns", "": "nothing" }[kind];
        return (
          <button key={action} type="button" className={`key ${kind}`} aria-label={visible(`${role}, ${table.name}, ${action}: ${extent}`)}
            title={visible(`${action}: ${grant?.rows?.text ?? grant?.check?.text ?? extent}`)} onClick={() => onOpen({ table, role, action })}>
            {action[0]!.toUpperCase()}
          </button>
        );
      })}
    </span>
  );
}

function Grants({ cell, grants, caller }: { cell: Cell; grants?: Grants; caller: Caller }) {
  const [action, setAction] = useState(cell.action);
  const grant = grants?.[action];
  return (
    <>
      <div className="choices" role="group" aria-label="Action">
        {ACTIONS.map((name) => (
          <button key={name} type="button" aria-pressed={name === action} onClick={() => setAction(name)}>{name}</button>
        ))}
      </div>
      {grant ? <OneGrant grant={grant} action={action} table={cell.table} /> : <p><Name text={cell.role} /> may not {action} <Name text={cell.table.name} />.</p>}
      <Rows table={cell.table} role={cell.role} caller={caller} columns={grants?.select?.columns ?? []} />
    </>
  );
}

/** "20 elements of 100 characters" */
const lengthWords = ({ characters, elements }: ColumnLength) =>
  [elements !== null && `${elements} elements`, characters !== null && `${characters} characters`].filter(Boolean).join(" of ");

function OneGrant({ grant, action, table }: { grant: Grant; action: Action; table: TableNames }) {
  const rules: [string, Rule][] = [];
  if (grant.rows) rules.push([action === "select" ? "Rows that can be read" : `Rows to ${action}`, grant.rows]);
  if (grant.check) rules.push(["The row has to fulfil", grant.check]);
  for (const rule of grant.other_rows ?? []) rules.push(["Other rows, for some root fields", rule]);
  for (const rule of grant.masks ?? []) rules.push([`${rule.column} is shown as`, rule]);
  for (const rule of grant.presets ?? []) rules.push([`${rule.column} is set to`, rule]);
  return (
    <>
      <Table label="Rules" heads={["", "Rule", "Place"]}
        rows={rules.map(([about, rule]) => [about, <code><Name text={rule.text} /></code>, <Place file={rule.file} line={rule.line} />])} />
      {grant.columns && (
        <p>Columns, {grant.columns.length} of {table.columns.length}: {grant.columns.map((column, index) => <span key={column}>{index > 0 && ", "}<code><Name text={column} /></code></span>)}</p>
      )}
      {grant.lengths && grant.lengths.length > 0 && (
        <p>Given values, at most: {grant.lengths.map((length, index) => <span key={length.column}>{index > 0 && ", "}<code><Name text={length.column} /></code> {lengthWords(length)}</span>)}</p>
      )}
      <p className="quiet">
        {typeof grant.limit === "number" ? `At most ${grant.limit} rows. ` : ""}
        {grant.aggregates === true ? "With aggregates. " : ""}
        {grant.backend_only ? "Only for back ends, which send the admin secret." : ""}
      </p>
    </>
  );
}

/** The rows that a caller of a role sees, as the gateway answers them. */
function Rows({ table, role, caller, columns }: { table: TableNames; role: string; caller: Caller; columns: string[] }) {
  const [values, setValues] = useState(caller.session.typed);
  const [rows, setRows] = useState<{ rows: Record<string, unknown>[]; sent: Sent } | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  if (!columns.length || !table.list) return null;
  /** Ends the caller with the former values, and what it was shown. */
  const forget = () => {
    abort.current.abort();
    abort.current = new AbortController();
    setRows(null);
    setFailure(null);
  };
  const show = (event: FormEvent) => {
    event.preventDefault();
    forget();
    const acting = caller.as(role, values, abort.current.signal);
    const query = `{ rows: ${table.list}(limit: 20) { ${columns.join(" ")} } }`;
    api.graphql(acting, { query }).then(({ answer }) => {
      if (acting.signal.aborted) return;
      setRows(answer.data ? { rows: answer.data.rows as Record<string, unknown>[], sent: acting.sent() } : null);
      setFailure(answer.errors?.[0]?.message ?? null);
    }, (error) => !acting.signal.aborted && setFailure(error));
  };
  return (
    <form onSubmit={show}>
      <h3>What a caller sees</h3>
      <div className="filters">
        {caller.session.valuesOf(role).map((name) => (
          <label key={name}><Name text={name} /> <input className="value" value={values[name] ?? ""} spellCheck={false} placeholder="not set"
            onChange={(event) => { forget(); setValues({ ...values, [name]: event.target.value }); }} /></label>
        ))}
        <button type="submit" className="main">Show rows as <Visible text={role} /></button>
      </div>
      {failure !== null && <Failure error={failure} />}
      {rows && <SentAs sent={rows.sent} />}
      {rows && <Table label={`Rows of ${table.name} as ${role}`} heads={columns} empty="No row is visible to this caller."
        rows={rows.rows.map((row) => columns.map((column) => {
          const text = asText(row[column]);
          return text && <span className="clip" title={visible(text)}><Visible text={text} /></span>;
        }))} />}
    </form>
  );
}
