// How an answer came about: its SQL with parameters, the rules in it, Postgres' plan, and the time of each stage. Only the
// gateway decides who may see it; without the admin secret there is the time alone.

import { type ReactNode, useEffect, useRef, useState } from "react";
import * as api from "./api";
import { BESIDE_EDITOR, Code, Failure, Name, Place, Table } from "./parts";
import type { Caller } from "./session";
import type { Answered } from "./types";
import { Visible } from "./visible";

const TABS = ["SQL", "Rules", "Plan", "Time"] as const;
type Tab = (typeof TABS)[number];

/** The tab of the caller before, so that another role's answer shows the same. */
let lastTab: Tab = "SQL";

export function Explained({ answered, caller }: { answered: Answered | null; caller: Caller }) {
  const [tab, setTab] = useState<Tab>(lastTab);
  const [explanation, setExplanation] = useState<api.Explanation | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const abort = useRef(new AbortController());
  const load = (request: api.GraphqlRequest, analyze: boolean) => {
    abort.current.abort();
    abort.current = new AbortController();
    const { signal } = abort.current;
    setBusy(true);
    setFailure(null);
    api.explain(caller, request, analyze, signal).then(
      (explanation) => !signal.aborted && setExplanation(explanation),
      (error) => !signal.aborted && setFailure(error),
    ).finally(() => !signal.aborted && setBusy(false));
  };
  useEffect(() => {
    setExplanation(null);
    setFailure(null);
    if (answered && caller.isAdmin) load(answered.request, false);
    return () => abort.current.abort();
  }, [answered]);
  useEffect(() => { lastTab = tab; }, [tab]);
  const tabs = caller.isAdmin ? TABS : (["Time"] as const);
  const shown = tabs.some((known) => known === tab) ? tab : tabs[0];
  return (
    <section className="explained" aria-label="How the answer came about">
      <div role="tablist" aria-label="How the answer came about" onKeyDown={(event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = tabs[(tabs.findIndex((known) => known === shown) + step + tabs.length) % tabs.length]!;
        setTab(next);
        document.getElementById(`tab-${next}`)?.focus();
      }}>
        {tabs.map((name) => (
          <button key={name} id={`tab-${name}`} type="button" role="tab" aria-selected={shown === name} aria-controls="explained"
            tabIndex={shown === name ? 0 : -1} onClick={() => setTab(name)}>{name}</button>
        ))}
      </div>
      <div id="explained" role="tabpanel" aria-labelledby={`tab-${shown}`}>
        {!answered && <p className="quiet">Run a request to see how its answer comes about.</p>}
        {failure !== null && <Failure error={failure} />}
        {answered && shown === "Time" && <Times answered={answered} explanation={explanation} />}
        {explanation && shown === "Plan" && (
          <p>
            <button type="button" disabled={isBusy} onClick={() => answered && load(answered.request, true)}>Run with ANALYZE</button>{" "}
            <span className="quiet">Runs the request{explanation.kind === "mutation" ? ", which writes," : ""} in a transaction that is rolled back.</span>
          </p>
        )}
        {explanation && shown !== "Time" && <Statements explanation={explanation} tab={shown} />}
      </div>
    </section>
  );
}

function Statements({ explanation, tab }: { explanation: api.Explanation; tab: Tab }) {
  const { statements, actions, kind } = explanation;
  if (actions) return <p className="quiet">Actions answer it, so it has no statement of its own.</p>;
  if (!statements.length) return <p className="quiet">No statement is needed.</p>;
  const show: Record<Exclude<Tab, "Time">, (statement: api.Statement) => ReactNode> = {
    SQL: (statement) => <Sql statement={statement} />,
    Rules: (statement) => <Rules statement={statement} />,
    Plan: (statement) => <Code label="Postgres' plan" text={statement.plan} />,
  };
  return statements.map((statement, index) => (
    <div key={index}>
      {statements.length > 1 && <h2>Statement {index + 1} of {statements.length}, in one {kind === "mutation" ? "transaction" : "request"}</h2>}
      {tab !== "Time" && show[tab](statement)}
    </div>
  ));
}

function Sql({ statement }: { statement: api.Statement }) {
  const rows = statement.parameters.map((value, index) => [<code>${index + 1}</code>, value === null ? <em>NULL</em> : <code><Visible text={value} /></code>]);
  return (
    <>
      <Code label="SQL" wraps text={statement.sql} />
      {rows.length > 0 && <Table isNarrow label="Parameters" heads={["Parameter", "Value"]} rows={rows} />}
    </>
  );
}

function Rules({ statement }: { statement: api.Statement }) {
  const rows = statement.reads.flatMap((reading) => [
    [<code>{reading.alias}</code>, <code><Name text={reading.table} /></code>, <code><Name text={reading.rule} /></code>, <Place {...reading} />],
    ...reading.values.map((value) => [
      <code>{reading.alias}</code>, <code><Name text={`${reading.table}.${value.column}`} /></code>, <>shows <code><Name text={value.value} /></code></>, <Place {...value} />,
    ]),
  ]);
  const notes = statement.reads.filter(({ form, required }) => form || required);
  return (
    <>
      <Table listed={BESIDE_EDITOR} label="Rules" heads={["Alias", "Table", "Rule", "Place"]} rows={rows} empty="It reads no table." />
      {notes.map(({ alias, form, required }) => (
        <p key={alias} className="quiet">
          <code>{alias}</code> {required && "has to have a row, else nothing is answered. "}{form && `is read ${form.why}`}
        </p>
      ))}
    </>
  );
}

const STAGES: Record<string, string> = {
  plan: "Parse, validate, translate", bind: "Bind parameters", run: "Run in Postgres, encode rows",
};

function Times({ answered, explanation }: { answered: Answered; explanation: api.Explanation | null }) {
  const { answer } = answered;
  if (!answer) return <p className="quiet">A subscription: its results come as the data changes.</p>;
  const known = answer.stages.reduce((sum, { time }) => sum + time, 0);
  const stages = answer.stages.map(({ name, time }) => ({ name: STAGES[name] ?? name, time }));
  if (stages.length) stages.push({ name: "Network, queue, browser", time: Math.max(0, answer.total - known) });
  const measured = explanation?.analyzed ? [...explanation.statements].flatMap(({ plan }) => plan.match(/(Planning|Execution) Time: .*/g) ?? []) : [];
  const ms = (time: number) => `${time.toFixed(time < 10 ? 2 : 1)} ms`;
  return (
    <>
      <p>Answered in <strong>{ms(answer.total)}</strong>.</p>
      {stages.map(({ name, time }) => (
        <div key={name} className="bar"><span>{name}</span><meter aria-label={name} min={0} max={answer.total} value={time} /><span>{ms(time)}</span></div>
      ))}
      {measured.length > 0 && <p>Postgres, under ANALYZE: {measured.map((one) => one.replace(/ (?=[\d.]+ ms)| (?=ms)/g, "\u00a0")).join(" · ")}</p>}
    </>
  );
}
