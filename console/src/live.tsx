// Live subscriptions: the cohorts of subscribers that share statements, and what wakes them.

import * as api from "./api";
import { Code, Name, Page, Table, count, useLoaded } from "./parts";
import type { PageProps } from "./types";

interface Report {
  subscribers: number;
  statements: number;
  results: number;
  wakeups: Record<string, number>;
  cohorts: {
    role: string;
    operation: string | null;
    document: string;
    subscribers: number;
    parameter_lists: number;
    is_stream: boolean;
    is_slow: boolean;
    sharing: string | null;
    reads_clock: boolean;
    tables: string[] | null;
  }[];
}

export function Live({ caller: { own: caller } }: PageProps) {
  const loaded = useLoaded(caller, "", (signal) => api.read<Report>(caller, "subscriptions", signal), 2);
  const report = loaded.value;
  return (
    <Page title="Live subscriptions" loaded={loaded}>
      {report && (
        <>
          <dl className="figures">
            <div><dt>Subscribers</dt><dd>{count(report.subscribers)}</dd></div>
            <div><dt>Cohorts</dt><dd>{count(report.cohorts.length)}</dd></div>
            <div><dt>Statements run</dt><dd>{count(report.statements)}</dd></div>
            <div><dt>Results sent</dt><dd>{count(report.results)}</dd></div>
            {Object.entries(report.wakeups).map(([cause, times]) => <div key={cause}><dt>Woken by {cause}</dt><dd>{count(times)}</dd></div>)}
          </dl>
          <h2>Cohorts</h2>
          <Table label="Cohorts" empty="There is no subscription at the moment." heads={["Operation", "Role", "Subscribers", "Parameter lists", "Woken by writes to", "How it runs"]}
            rows={report.cohorts.map((cohort) => [
              <details><summary><code><Name text={cohort.operation ?? (cohort.is_stream ? "a stream" : "a live query")} /></code></summary><Code label="Document" wraps text={cohort.document} /></details>,
              <code><Name text={cohort.role} /></code>,
              count(cohort.subscribers),
              count(cohort.parameter_lists),
              <><Name text={cohort.tables?.join(", ") ?? "…"} />{cohort.reads_clock && " and time"}</>,
              <>{cohort.is_slow && "Alone, because it is slow. "}{cohort.sharing}</>,
            ])} />
        </>
      )}
    </Page>
  );
}
