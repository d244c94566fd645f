// Parts that several pages use.

import { Fragment, type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Caller, Sent } from "./session";
import { Visible, visible } from "./visible";

/** Says why something failed. */
export function Failure({ error }: { error: unknown }) {
  const text = error instanceof Error ? error.message : String(error);
  return <p className="failure" role="alert"><Visible text={text} /></p>;
}

/** As whom and when an answer was asked for. */
export function SentAs({ sent: { role, values, at } }: { sent: Sent }) {
  return (
    <p className="quiet sent">
      as <code><Visible text={role} /></code>, {values.map(([name, value]) => <Fragment key={name}>{name} {value ? <code><Visible text={value} /></code> : "not set"}, </Fragment>)}
      <time dateTime={at.toISOString()}>{at.toLocaleTimeString("en", { hourCycle: "h23" })}</time>
    </p>
  );
}

/** What was read, or why not, and a function that reads it again. */
export interface Loaded<T> {
  value: T | null;
  /** As whom the value was read; none before it is. */
  sent: Sent | null;
  error: unknown;
  isLoading: boolean;
  again: () => void;
}

/** Reads something as a caller whenever `key` changes, and every `seconds` while the page is visible. */
export function useLoaded<T>(caller: Caller, key: string, load: (signal: AbortSignal) => Promise<T>, seconds = 0): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "again">>({ value: null, sent: null, error: null, isLoading: true });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const abort = new AbortController();
    setState((state) => ({ ...state, isLoading: true }));
    latest.current(abort.signal).then(
      (value) => !abort.signal.aborted && setState({ value, sent: caller.sent(), error: null, isLoading: false }),
      (error) => !abort.signal.aborted && setState((state) => ({ ...state, error, isLoading: false })),
    );
    return () => abort.abort();
  }, [key, turn]);
  const again = useCallback(() => setTurn((turn) => turn + 1), []);
  useEffect(() => {
    if (!seconds) return;
    const timer = setInterval(() => document.visibilityState === "visible" && again(), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds, again]);
  return { ...state, again };
}

/** A page: its title, what belongs beside it, and what was read. */
export function Page({ title, beside, loaded, children }: { title: string; beside?: ReactNode; loaded?: Loaded<unknown>; children: ReactNode }) {
  return (
    <div className="page">
      <div className="title">
        <h1>{title}</h1>
        {beside}
        {loaded && <button type="button" onClick={loaded.again} disabled={loaded.isLoading}>Refresh</button>}
      </div>
      {loaded?.sent && <SentAs sent={loaded.sent} />}
      {loaded?.error ? <Failure error={loaded.error} /> : null}
      {children}
      {loaded?.isLoading && !loaded.value ? <p className="quiet" role="status">Loading …</p> : null}
    </div>
  );
}

/** Whether a media query matches now. */
function useMedia(query: string): boolean {
  const subscribe = useCallback((onChange: () => void) => {
    const list = matchMedia(query);
    list.addEventListener("change", onChange);
    return () => list.removeEventListener("change", onChange);
  }, [query]);
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

/** Where tables are listed: on phones, and those with more columns than these on tablets too. */
const ON_PHONES = "(max-width: 46rem)";
const ON_TABLETS = "(max-width: 60rem)";
const COLUMNS_ON_TABLETS = 5;
/** Beside the editor there is little room; on tablets the panel is below it. */
export const BESIDE_EDITOR = `${ON_PHONES}, (min-width: 75.01rem)`;

/**
 * A table that scrolls sideways by itself where it is too wide, by keyboard too. On a phone, and with more columns than
 * `COLUMNS_ON_TABLETS` on a tablet, each row is a list of its cells with their heads, unless the table is narrow. The roles and the
 * numbers of the columns keep it a table for screen readers, though empty cells are hidden. `listed` is another media query for that.
 */
export function Table({ label, heads, rows, empty, isNarrow, listed }: {
  label: string; heads: string[]; rows: ReactNode[][]; empty?: string; isNarrow?: boolean; listed?: string;
}) {
  const isListed = useMedia(listed ?? (heads.length > COLUMNS_ON_TABLETS ? ON_TABLETS : ON_PHONES)) && !isNarrow;
  if (!rows.length) return <p className="quiet">{empty ?? "There is nothing here."}</p>;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table role="table" className={isListed ? "listed" : undefined}>
        <thead role="rowgroup"><tr role="row">{heads.map((head, index) => <th key={index} scope="col" role="columnheader" aria-colindex={index + 1}>{head ? <Visible text={head} /> : <span className="hidden">More</span>}</th>)}</tr></thead>
        <tbody role="rowgroup">
          {rows.map((cells, index) => (
            <tr key={index} role="row">{cells.map((cell, place) => (
              <td key={place} role="cell" aria-colindex={place + 1}>{isListed && heads[place] && <span className="head" aria-hidden="true"><Name text={heads[place]} /></span>}<div>{typeof cell === "string" ? <Visible text={cell} /> : cell}</div></td>
            ))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A place in a file. */
export function Place({ file, line }: { file: string; line: number }) {
  return line ? <code className="place"><Name text={`${file}:${line}`} /></code> : <span className="quiet">no rule was written</span>;
}

/** Text in the type of code that scrolls by itself, by keyboard too, or wraps if its lines have no layout. */
export function Code({ text, label, wraps }: { text: string; label: string; wraps?: boolean }) {
  return <pre className={wraps ? "wraps" : undefined} tabIndex={0} role="region" aria-label={label}><code><Visible text={text} /></code></pre>;
}

/** A name or a path, whatever its direction, that breaks between its words, where it has to: after `_`, `.`, `/`, `:` and `(`, and before a capital letter that begins a word. */
export function Name({ text }: { text: string }) {
  const words = text.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=.[._/:(])(?![._/:()])/);
  return <bdi>{words.map((word, index) => <Fragment key={index}>{index > 0 && <wbr />}<Visible text={word} /></Fragment>)}</bdi>;
}

/** A panel over the page, which Escape closes. */
export function Panel({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-label={visible(title)} onClose={onClose} onClick={(event) => event.target === event.currentTarget && onClose()}>
      <div className="panel">
        <div className="title"><h2><Name text={title} /></h2><button type="button" onClick={onClose}>Close</button></div>
        {children}
      </div>
    </dialog>
  );
}

/** A value of an answer as text. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A number with separators. */
export const count = (value: number) => value.toLocaleString("en");

/** A time of the database, as the reader's clock has it. */
export const time = (value: unknown) => (value ? new Date(String(value)).toLocaleString().replace(/\s(?=[AP]M$)/, "\u00a0") : "");
