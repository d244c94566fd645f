// A table of rows, which narrow screens show as cards. It can be saved as CSV as it is shown, and its rows be selected.

import type { ReactNode } from "react";
import { saveCsv } from "../csv";
import { number } from "../format";
import { t } from "../text";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** The cell in a CSV file; without it the column is not in it. */
  csv?: (row: Row) => string;
  /** Whether the cell says what the row is. */
  isHead?: boolean;
  className?: string;
}

export interface Selection {
  ids: ReadonlySet<string>;
  set: (ids: ReadonlySet<string>) => void;
}

export function Table<Row extends { id: string }>({ caption, columns, rows, selection, nameOf }: {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  selection?: Selection;
  /** What a row is called where its box is named. */
  nameOf?: (row: Row) => string;
}) {
  const areAll = rows.length > 0 && rows.every(({ id }) => selection?.ids.has(id));
  const toggle = (id: string) => {
    const next = new Set(selection!.ids);
    if (!next.delete(id)) next.add(id);
    selection!.set(next);
  };
  // Where CSS makes cards of rows, browsers forget the table; the roles keep it.
  return (
    <table role="table">
      <caption className="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {selection && (
            <th role="columnheader" className="box">
              <input type="checkbox" aria-label={t.selectAll} checked={areAll} onChange={() => selection.set(new Set(areAll ? [] : rows.map(({ id }) => id)))} />
            </th>
          )}
          {columns.map(({ title, className }) => <th role="columnheader" key={title} scope="col" className={className}>{title}</th>)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr role="row" key={row.id} data-id={row.id} className={selection?.ids.has(row.id) ? "chosen" : undefined}>
            {selection && (
              <td role="cell" className="box">
                <input type="checkbox" aria-label={t.select(nameOf?.(row) ?? row.id)} checked={selection.ids.has(row.id)} onChange={() => toggle(row.id)} />
              </td>
            )}
            {columns.map(({ title, cell, isHead, className }) =>
              isHead
                ? <th role="rowheader" scope="row" key={title} className={className}><div>{cell(row)}</div></th>
                : <td role="cell" key={title} data-title={title} className={className}><div>{cell(row)}</div></td>)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Saves the rows that are shown. */
export function CsvButton<Row>({ name, columns, rows }: { name: string; columns: Column<Row>[]; rows: Row[] }) {
  const kept = columns.filter(({ csv }) => csv);
  const lines = () => [kept.map(({ title }) => title), ...rows.map((row) => kept.map(({ csv }) => csv!(row)))];
  return <button type="button" title={t.csvHint} aria-label={t.csvHint} disabled={rows.length === 0} onClick={() => saveCsv(`${name}.csv`, lines())}>{t.csv}</button>;
}

/** The number of rows, and the way to the pages before and after. */
export function Pager({ page, size, total, onPage }: { page: number; size: number; total: number; onPage: (page: number) => void }) {
  const pages = Math.max(1, Math.ceil(total / size));
  return (
    <div className="pager">
      <span>{number(total) === String(total) ? t.rows(total) : t.rows(total).replace(String(total), number(total))}</span>
      {pages > 1 && (
        <span className="row">
          <button disabled={page <= 1} onClick={() => onPage(page - 1)}>{t.previous}</button>
          <span>{t.page(page, pages)}</span>
          <button disabled={page >= pages} onClick={() => onPage(page + 1)}>{t.next}</button>
        </span>
      )}
    </div>
  );
}
