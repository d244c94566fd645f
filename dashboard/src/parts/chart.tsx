// Charts as plain SVG, which each come with their table. The picture is hidden from screen readers, the table is not.

import { useId, type ReactNode } from "react";
import { t } from "../text";

export interface Series {
  name: string;
  /** The number of its colour in `style.css`. */
  color: number;
  values: number[];
}

const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 36;
const BOTTOM = 22;

/** A round number of steps up to a value, and no more than five. */
function ticksTo(value: number): number[] {
  const raw = Math.max(value, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw) ?? raw);
  return Array.from({ length: Math.ceil(value / step) + 1 }, (_, index) => index * step);
}

function Frame({ title, hint, legend, table, children }: { title: string; hint: string; legend: Series[]; table: { head: string[]; rows: (string | number)[][] }; children: ReactNode }) {
  const id = useId();
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}><span className="strong">{title}</span><small>{hint}</small></figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" preserveAspectRatio="xMidYMid meet">{children}</svg>
      <ul className="legend" aria-hidden="true">
        {legend.map(({ name, color }) => <li key={name}><span className={`swatch c${color}`} />{name}</li>)}
      </ul>
      <details>
        <summary>{t.table}</summary>
        <div className="scroll" tabIndex={0} role="region" aria-label={title}>
          <table className="plain">
            <caption className="unseen">{title}</caption>
            <thead><tr>{table.head.map((text) => <th key={text} scope="col">{text}</th>)}</tr></thead>
            <tbody>
              {table.rows.map(([head, ...cells], row) => <tr key={row}><th scope="row">{head}</th>{cells.map((value, index) => <td key={index}>{value}</td>)}</tr>)}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function Grid({ ticks, y }: { ticks: number[]; y: (value: number) => number }) {
  return ticks.map((tick) => (
    <g key={tick} className="grid">
      <line x1={LEFT} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
      <text x={LEFT - 6} y={y(tick) + 3.5} textAnchor="end">{tick}</text>
    </g>
  ));
}

/** Bars of several series, one above the other. */
export function StackedBars({ title, hint, head, labels, series }: { title: string; hint: string; head: string; labels: string[]; series: Series[] }) {
  const totals = labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const ticks = ticksTo(Math.max(1, ...totals));
  const y = (value: number) => HEIGHT - BOTTOM - (value / ticks.at(-1)!) * (HEIGHT - BOTTOM - 10);
  const slot = (WIDTH - LEFT) / labels.length;
  const every = Math.ceil(labels.length / 9);
  return (
    <Frame title={title} hint={hint} legend={series} table={{ head: [head, ...series.map(({ name }) => name)], rows: labels.map((label, index) => [label, ...series.map(({ values }) => values[index] ?? 0)]) }}>
      <Grid ticks={ticks} y={y} />
      {labels.map((label, index) => {
        let below = 0;
        return (
          <g key={index}>
            {series.map(({ name, color, values }) => {
              const value = values[index] ?? 0;
              const from = y(below);
              below += value;
              return value > 0 && <rect key={name} className={`c${color}`} x={LEFT + index * slot + slot * 0.15} width={slot * 0.7} y={y(below)} height={from - y(below)} />;
            })}
            {index % every === 0 && <text className="label" x={LEFT + (index + 0.5) * slot} y={HEIGHT - 6} textAnchor="middle">{label}</text>}
          </g>
        );
      })}
    </Frame>
  );
}

export interface Dot {
  label: string;
  value: number;
  isBad: boolean;
}

/** A dot for each value in time, and a line that they should stay below. */
export function Dots({ title, hint, heads, dots, line, names, labels }: { title: string; hint: string; heads: [string, string, string]; dots: Dot[]; line: { value: number; name: string }; names: { good: string; bad: string }; labels: { at: number; text: string }[] }) {
  const ticks = ticksTo(Math.max(line.value + 5, ...dots.map(({ value }) => value)));
  const y = (value: number) => HEIGHT - BOTTOM - (value / ticks.at(-1)!) * (HEIGHT - BOTTOM - 10);
  const x = (index: number) => LEFT + 6 + (dots.length < 2 ? 0.5 : index / (dots.length - 1)) * (WIDTH - LEFT - 12);
  return (
    <Frame
      title={title} hint={hint}
      legend={[{ name: names.good, color: 1, values: [] }, { name: names.bad, color: 4, values: [] }]}
      table={{ head: heads, rows: dots.map(({ label, value, isBad }) => [label, value, isBad ? names.bad : names.good]) }}
    >
      <Grid ticks={ticks} y={y} />
      <line className="limit" x1={LEFT} x2={WIDTH} y1={y(line.value)} y2={y(line.value)} />
      <text className="label" x={WIDTH} y={y(line.value) - 4} textAnchor="end">{line.name}</text>
      {dots.map(({ value, isBad }, index) => <circle key={index} className={isBad ? "c4" : "c1"} cx={x(index)} cy={y(value)} r={isBad ? 4 : 3} />)}
      {labels.map(({ at, text }) => <text key={text} className="label" x={x(at)} y={HEIGHT - 6} textAnchor="middle">{text}</text>)}
    </Frame>
  );
}

/** Bars that lie, of two parts that make a whole. */
export function Shares({ title, hint, head, rows, names }: { title: string; hint: string; head: string; rows: { label: string; yes: number; no: number }[]; names: { yes: string; no: string } }) {
  const id = useId();
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}><span className="strong">{title}</span><small>{hint}</small></figcaption>
      <table className="shares">
        <caption className="unseen">{title}</caption>
        <thead><tr className="unseen"><th scope="col">{head}</th><th scope="col">{names.yes}</th><th scope="col">{names.no}</th></tr></thead>
        <tbody>
          {rows.map(({ label, yes, no }) => {
            const share = yes + no > 0 ? (yes / (yes + no)) * 100 : 0;
            return (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>
                  <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect className="c0" width="100" height="8" />
                    <rect className="c1" width={share} height="8" />
                  </svg>
                  <span>{yes} {names.yes}</span>
                </td>
                <td className="soft">{no} {names.no}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </figure>
  );
}
