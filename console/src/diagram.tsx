// The tables of the chosen role and their relations as a diagram. The list beside it has everything that the picture has, so
// it can be used by keyboard and with 500 tables, of which the picture shows those around the chosen one.

import { type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import * as api from "./api";
import { type Box, type Placed, place } from "./layout";
import { Name, Page, useLoaded } from "./parts";
import type { PageProps } from "./types";

interface TableOfRole {
  name: string;
  type: string;
  result: boolean;
  columns: { name: string; type: string; key: boolean }[];
  relations: { name: string; to: string | null; many: boolean }[];
}

/** Up to so many tables are shown all at once at first, fewer on a phone. */
const ALL_AT_ONCE = matchMedia("(min-width: 46rem)").matches ? 40 : 8;

/** Boxes have columns up to so many tables. */
const WITH_COLUMNS = 60;
const COLUMNS = 8;
const LINE = 17;
const HEAD = 26;
const READABLE = 0.8;
const NEAR = { one: 1, two: 2, all: Infinity };

export function Diagram({ caller }: PageProps) {
  const loaded = useLoaded(caller, "", (signal) => api.read<{ tables: TableOfRole[] }>(caller, "schema", signal));
  const tables = loaded.value?.tables ?? [];
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const [near, setNear] = useState<keyof typeof NEAR | null>(null);
  const byName = useMemo(() => new Map(tables.map((table) => [table.name, table])), [tables]);
  const current = chosen !== null && byName.has(chosen) ? chosen : null;
  const reach = near ?? (tables.length <= ALL_AT_ONCE ? "all" : "one");
  const center = current ?? mostConnected(tables);
  const shown = useMemo(() => around(tables, reach === "all" ? null : center, NEAR[reach]), [tables, center, reach]);
  const wanted = search.trim().toLowerCase();
  const found = tables.filter(({ name, columns }) => !wanted || name.toLowerCase().includes(wanted)
    || columns.some((column) => column.name.toLowerCase().includes(wanted)));
  const table = current === null ? undefined : byName.get(current);
  return (
    <Page title="Schema" loaded={loaded}>
      {loaded.value && (
        <div className="schema-page">
          <div className="tables">
            <label className="field"><span>Tables and columns of <code>{caller.role}</code></span>
              <input type="search" value={search} placeholder="part of a name" onChange={(event) => setSearch(event.target.value)} />
            </label>
            <p className="quiet" role="status">{found.length} of {tables.length} tables</p>
            <ul aria-label="Tables">
              {found.map(({ name }) => (
                <li key={name}><button type="button" aria-pressed={name === current} onClick={() => setChosen(name)}><Name text={name} /></button></li>
              ))}
            </ul>
          </div>
          <div className="picture">
            <div className="filters">
              <label>Show <select value={reach} onChange={(event) => setNear(event.target.value as keyof typeof NEAR)}>
                <option value="one">{center ?? "a table"} and its neighbours</option>
                <option value="two">{center ?? "a table"}, two steps around</option>
                <option value="all">all tables</option>
              </select></label>
            </div>
            <Picture tables={shown} chosen={current} onChoose={setChosen} />
          </div>
          {table && <Details table={table} onChoose={setChosen} />}
        </div>
      )}
    </Page>
  );
}

function mostConnected(tables: TableOfRole[]): string | null {
  const first = tables.reduce<TableOfRole | null>((best, table) => (!best || table.relations.length > best.relations.length ? table : best), null);
  return first?.name ?? null;
}

/** The tables that lie so many relations around one, or all. */
function around(tables: TableOfRole[], center: string | null, steps: number): TableOfRole[] {
  if (center === null) return tables;
  const neighbours = new Map<string, Set<string>>(tables.map(({ name }) => [name, new Set()]));
  for (const { name, relations } of tables) {
    for (const { to } of relations) {
      if (to === null) continue;
      neighbours.get(name)?.add(to);
      neighbours.get(to)?.add(name);
    }
  }
  let reached = new Set([center]);
  for (let step = 0; step < steps; step += 1) {
    reached = new Set([...reached].flatMap((name) => [name, ...(neighbours.get(name) ?? [])]));
  }
  return tables.filter(({ name }) => reached.has(name));
}

function Details({ table, onChoose }: { table: TableOfRole; onChoose: (name: string) => void }) {
  return (
    <section className="card details" aria-label={table.name}>
      <h2><Name text={table.name} /></h2>
      <p className="quiet">Type <code><Name text={table.type} /></code></p>
      <h3>Columns</h3>
      <ul>{table.columns.map(({ name, type, key }) => <li key={name}><code className={key ? "is-key" : ""}><Name text={name} /></code> <small>{type}{key && ", key"}</small></li>)}</ul>
      {table.relations.length > 0 && (
        <>
          <h3>Relations</h3>
          <ul>{table.relations.map(({ name, to, many }) => (
            <li key={name}><code><Name text={name} /></code> <small>{many ? "many" : "one"}</small> {to && <button type="button" className="link" onClick={() => onChoose(to)}><Name text={to} /></button>}</li>
          ))}</ul>
        </>
      )}
    </section>
  );
}

interface View {
  x: number;
  y: number;
  scale: number;
}

function Picture({ tables, chosen, onChoose }: { tables: TableOfRole[]; chosen: string | null; onChoose: (name: string) => void }) {
  const hasColumns = tables.length <= WITH_COLUMNS;
  const { boxes, lines, width, height } = useMemo(() => {
    const names = new Set(tables.map(({ name }) => name));
    // A relation and its inverse are one line.
    const pairs = new Map<string, { from: string; to: string; isMany: boolean }>();
    for (const { name, relations } of tables) {
      for (const { to, many } of relations) {
        if (to === null || !names.has(to)) continue;
        const key = [name, to].sort().join("\n");
        if (!many || !pairs.has(key)) pairs.set(key, { from: many ? to : name, to: many ? name : to, isMany: many });
      }
    }
    const boxes: Box[] = tables.map((table) => {
      const rows = hasColumns ? Math.min(table.columns.length, COLUMNS + 1) : 0;
      const longest = Math.max(table.name.length * 8, ...(hasColumns ? table.columns.slice(0, COLUMNS).map(({ name, type }) => (name.length + type.length + 2) * 6.6) : [0]));
      return { name: table.name, width: Math.min(300, Math.max(110, longest + 24)), height: HEAD + (rows ? rows * LINE + 8 : 0) };
    });
    const lines = [...pairs.values()];
    return { ...place(boxes, lines.map(({ from, to }) => [from, to])), lines };
  }, [tables, hasColumns]);
  const frame = useRef<SVGSVGElement>(null);
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const fit = () => {
    const { clientWidth = 800, clientHeight = 500 } = frame.current ?? {};
    const scale = Math.min(1, (clientWidth - 24) / Math.max(width, 1), (clientHeight - 24) / Math.max(height, 1));
    setView({ scale, x: (clientWidth - width * scale) / 2, y: (clientHeight - height * scale) / 2 });
  };
  // In a small frame the whole picture would be too small to read: it begins at the table that the others stand around.
  const begin = () => {
    const { clientWidth = 800, clientHeight = 500 } = frame.current ?? {};
    const box = boxes.get(chosen ?? mostConnected(tables) ?? "");
    if (!box || clientWidth >= 600 || (clientWidth - 24) / width >= READABLE) return fit();
    setView({
      scale: READABLE,
      x: startOf(clientWidth, width * READABLE, (box.x + box.width / 2) * READABLE),
      y: startOf(clientHeight, height * READABLE, (box.y + box.height / 2) * READABLE),
    });
  };
  useEffect(begin, [boxes]);
  const zoom = (factor: number, at?: { x: number; y: number }) => setView((view) => {
    const scale = Math.min(3, Math.max(0.05, view.scale * factor));
    const { x, y } = at ?? { x: (frame.current?.clientWidth ?? 0) / 2, y: (frame.current?.clientHeight ?? 0) / 2 };
    return { scale, x: x - (x - view.x) * scale / view.scale, y: y - (y - view.y) * scale / view.scale };
  });
  useEffect(() => {
    const element = frame.current;
    // React's listener for wheels is passive, so it could not keep the page from scrolling.
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = element!.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 400), { x: event.clientX - left, y: event.clientY - top });
    };
    element?.addEventListener("wheel", wheel, { passive: false });
    return () => element?.removeEventListener("wheel", wheel);
  }, []);
  const drag = (event: PointerEvent) => {
    if (event.buttons !== 1) return;
    setView((view) => ({ ...view, x: view.x + event.movementX, y: view.y + event.movementY }));
  };
  return (
    <div className="canvas">
      <div className="buttons">
        <button type="button" onClick={() => zoom(1.3)} aria-label="Zoom in">+</button>
        <button type="button" onClick={() => zoom(1 / 1.3)} aria-label="Zoom out">−</button>
        <button type="button" onClick={fit}>Fit</button>
      </div>
      <svg ref={frame} role="img" aria-label={`Diagram of ${tables.length} tables; the list of tables has the same contents`} onPointerMove={drag}>
        <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
          {lines.map(({ from, to }) => <Line key={`${from}\n${to}`} from={boxes.get(from)} to={boxes.get(to)} isChosen={from === chosen || to === chosen} />)}
          {tables.map((table) => {
            const box = boxes.get(table.name);
            return box && <TableBox key={table.name} table={table} box={box} hasColumns={hasColumns} isChosen={table.name === chosen} onChoose={onChoose} />;
          })}
        </g>
      </svg>
    </div>
  );
}

/** Where a picture begins in a frame, so that a place of it is in the middle, and no room is left beside it. */
function startOf(frame: number, picture: number, middle: number): number {
  if (picture < frame) return (frame - picture) / 2;
  return Math.max(frame - picture - 12, Math.min(12, frame / 2 - middle));
}

/** A line from the table with the foreign key, with a fork there, to the one that it refers to. */
function Line({ from, to, isChosen }: { from?: Placed; to?: Placed; isChosen: boolean }) {
  if (!from || !to) return null;
  if (from === to) {
    const [x, y] = [from.x + from.width, from.y + HEAD / 2];
    return <path className={isChosen ? "line chosen" : "line"} d={`M${x} ${y} c30 -14 30 30 0 16`} />;
  }
  const isRight = to.x >= from.x + from.width / 2;
  const start = { x: isRight ? from.x + from.width : from.x, y: from.y + HEAD / 2 };
  const isSameColumn = Math.abs(to.x - from.x) < 20;
  const end = { x: isRight && !isSameColumn ? to.x : to.x + to.width, y: to.y + HEAD / 2 };
  const out = isRight ? 1 : -1;
  if (isSameColumn) start.x = from.x + from.width;
  const bend = isSameColumn ? 40 : Math.max(30, Math.abs(end.x - start.x) / 2);
  const [one, two] = isSameColumn ? [start.x + bend, end.x + bend] : [start.x + out * bend, end.x - out * bend];
  const side = isSameColumn ? 1 : out;
  return (
    <path className={isChosen ? "line chosen" : "line"}
      d={`M${start.x} ${start.y} C${one} ${start.y} ${two} ${end.y} ${end.x} ${end.y} M${start.x} ${start.y - 5} l${8 * side} 5 l${-8 * side} 5`} />
  );
}

function TableBox({ table, box, hasColumns, isChosen, onChoose }: {
  table: TableOfRole; box: Placed; hasColumns: boolean; isChosen: boolean; onChoose: (name: string) => void;
}) {
  const rest = table.columns.length - COLUMNS;
  const clip = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  return (
    <g className={isChosen ? "box chosen" : "box"} transform={`translate(${box.x} ${box.y})`} onClick={() => onChoose(table.name)}>
      <rect width={box.width} height={box.height} rx="5" />
      <text x="10" y="18" className="name">{clip(table.name, 34)}</text>
      {hasColumns && table.columns.slice(0, COLUMNS).map(({ name, type, key }, index) => (
        <text key={name} x="10" y={HEAD + 14 + index * LINE} className={key ? "column is-key" : "column"}>
          {clip(name, 24)} <tspan>{clip(type, 18)}</tspan>
        </text>
      ))}
      {hasColumns && rest > 0 && <text x="10" y={HEAD + 14 + COLUMNS * LINE} className="column"><tspan>{rest} more</tspan></text>}
    </g>
  );
}
