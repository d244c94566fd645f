// Rates and limits, and what they have refused since the gateway started.

import { useState } from "react";
import * as api from "./api";
import { Name, Page, Table, count, useLoaded } from "./parts";
import type { PageProps } from "./types";
import { visible } from "./visible";

type Series = Record<string, string | number> & { count: number };

interface Report {
  rates: {
    name: string;
    per: string[];
    places: string[];
    roles: string[] | null;
    except_roles: string[];
    paths: string[] | null;
    rate: number;
    every: number;
    burst: number;
    mode: string;
  }[];
  limits: { role: string; enforced: Record<string, number>; measured: Record<string, number> | null }[];
  refused: { rates: Series[]; limits: Series[]; unlisted: Series[]; memory: number; queue: { full: number; time: number } };
  pool: { limit: number; open: number; idle: number; waiting: number };
  memory: { used: number; limit: number };
}

const sum = (series: Series[], wanted: Record<string, string>) =>
  series.filter((one) => Object.entries(wanted).every(([name, value]) => one[name] === value)).reduce((sum, one) => sum + one.count, 0);

const bytes = (value: number) => `${(value / 2 ** 20).toFixed(1)} MiB`;

export function Limits({ caller: { own: caller } }: PageProps) {
  const loaded = useLoaded(caller, "", (signal) => api.read<Report>(caller, "limits", signal), 5);
  const [chosen, setChosen] = useState("");
  const report = loaded.value;
  const role = report?.limits.find((one) => one.role === chosen) ?? report?.limits.find(({ role }) => role !== "admin") ?? report?.limits[0];
  return (
    <Page title="Rates and limits" loaded={loaded}>
      {report && role && (
        <>
          <dl className="figures">
            <div><dt>Connections in use</dt><dd>{report.pool.open - report.pool.idle} of {report.pool.limit}</dd></div>
            <div><dt>Waiting for one</dt><dd>{count(report.pool.waiting)}</dd></div>
            <div><dt>Refused: queue full</dt><dd>{count(report.refused.queue.full)}</dd></div>
            <div><dt>Refused: waited too long</dt><dd>{count(report.refused.queue.time)}</dd></div>
            <div><dt>Memory in use</dt><dd>{bytes(report.memory.used)} of {bytes(report.memory.limit)}</dd></div>
            <div><dt>Refused: no memory</dt><dd>{count(report.refused.memory)}</dd></div>
          </dl>
          <h2>Rates</h2>
          <Table label="Rates" heads={["Rate", "Allowed", "At once", "Counted by", "Counts", "Mode", "Exceeded"]} rows={report.rates.map((rate) => [
            <code><Name text={rate.name} /></code>,
            `${count(rate.rate)} in ${rate.every}\u00a0s`,
            count(rate.burst),
            rate.per.join(", ") || "all together",
            <>{rate.places.join(", ")}{rate.roles && `, of ${rate.roles.join(", ")}`}{rate.except_roles.length > 0 && `, not of ${rate.except_roles.join(", ")}`}{rate.paths && <> at {rate.paths.map((path, index) => <span key={path}>{index > 0 && ", "}<code><Name text={path} /></code></span>)}</>}</>,
            rate.mode,
            <Refused times={sum(report.refused.rates, { rate: rate.name })} />,
          ])} />
          <h2>Limits</h2>
          <div className="filters">
            <label>Role <select value={role.role} onChange={(event) => setChosen(event.target.value)}>
              {report.limits.map(({ role }) => <option key={role} value={role}>{visible(role)}</option>)}
            </select></label>
          </div>
          <Table label={`Limits of ${role.role}`} isNarrow={!role.measured}
            heads={["Limit", "Enforced", "Refused", ...(role.measured ? ["Measured", "Exceeded"] : [])]}
            rows={[...new Set([...Object.keys(role.enforced), ...Object.keys(role.measured ?? {})])].map((name) => [
              <code><Name text={name} /></code>,
              name in role.enforced ? count(role.enforced[name]!) : "",
              <Refused times={sum(report.refused.limits, { bound: name, role: role.role, mode: "enforce" })} />,
              ...(role.measured ? [
                name in role.measured ? count(role.measured[name]!) : "",
                <Refused times={sum(report.refused.limits, { bound: name, role: role.role, mode: "measure" })} />,
              ] : []),
            ])} />
          {report.refused.unlisted.length > 0 && (
            <>
              <h2>Operations on no allow list</h2>
              <Table isNarrow label="Operations on no allow list" heads={["Role", "Mode", "Requests"]}
                rows={report.refused.unlisted.map((one) => [one.role, one.mode, count(one.count)])} />
            </>
          )}
        </>
      )}
    </Page>
  );
}

function Refused({ times }: { times: number }) {
  return times ? <span className="state dead">{count(times)}</span> : <span className="quiet">0</span>;
}
