// The event queue: what waits, what was delivered and what was given up, with its attempts; and replay.

import { useState } from "react";
import * as api from "./api";
import { Code, Failure, Name, Page, Panel, Table, count, time, useLoaded } from "./parts";
import type { Caller } from "./session";
import type { PageProps } from "./types";
import { Visible, visible } from "./visible";

interface Event {
  id: string;
  trigger: string;
  kind: string;
  state: "pending" | "delivered" | "dead";
  attempts: number;
  created_at: string;
  due_at: string | null;
  delivering?: boolean;
  waits?: boolean;
  finished_at: string | null;
  ordering_key: string | null;
  error?: string | null;
}

interface Queue {
  has_queue: boolean;
  counts: { trigger: string; state: Event["state"]; count: number }[];
  events: Event[];
  limit: number;
}

interface Shown extends Event {
  payload: unknown;
  session_variables: unknown;
  invocations: { attempt: number; at: string; outcome: string; milliseconds: number; status: number | null; error: string | null; response: string | null }[];
}

const STATES = ["pending", "delivered", "dead"] as const;

/** The head of a column: `Pending`. */
const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

export function Events({ caller: { own: caller } }: PageProps) {
  const [state, setState] = useState("");
  const [trigger, setTrigger] = useState("");
  const [id, setId] = useState<string | null>(null);
  const [message, setMessage] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const filter = new URLSearchParams(Object.entries({ state, trigger }).filter(([, value]) => value));
  const loaded = useLoaded(caller, String(filter), (signal) => api.read<Queue>(caller, `events?${filter}`, signal), 5);
  const replay = (which: { id: string } | { trigger: string }) => {
    setFailure(null);
    api.replay(caller, which).then((replayed) => {
      setMessage(replayed === 1 ? "One event is delivered again." : `${replayed} events are delivered again.`);
      setId(null);
      loaded.again();
    }, setFailure);
  };
  const queue = loaded.value;
  const triggers = [...new Set(queue?.counts.map(({ trigger }) => trigger))];
  const countOf = (trigger: string, state: string) => queue?.counts.find((row) => row.trigger === trigger && row.state === state)?.count ?? 0;
  return (
    <Page title="Events" loaded={loaded}>
      <p className="quiet message" role="status">{message}</p>
      {failure !== null && <Failure error={failure} />}
      {queue && !queue.has_queue && <p className="quiet">The database has no queue of events; <code>postern migrate</code> makes it.</p>}
      {queue?.has_queue && (
        <>
          <Table label="Events by trigger" empty="There has been no event yet." heads={["Trigger", ...STATES.map(capitalized), ""]} rows={triggers.map((trigger) => [
            <code><Name text={trigger} /></code>,
            ...STATES.map((state) => <span className={countOf(trigger, state) ? `state ${state}` : "quiet"}>{count(countOf(trigger, state))}</span>),
            countOf(trigger, "dead") > 0 && <button type="button" onClick={() => replay({ trigger })}>Replay the dead ones</button>,
          ])} />
          <h2>Latest events</h2>
          <div className="filters">
            <label>State <select value={state} onChange={(event) => setState(event.target.value)}>
              <option value="">all</option>
              {STATES.map((state) => <option key={state}>{state}</option>)}
            </select></label>
            <label>Trigger <select value={trigger} onChange={(event) => setTrigger(event.target.value)}>
              <option value="">all</option>
              {triggers.map((trigger) => <option key={trigger} value={trigger}>{visible(trigger)}</option>)}
            </select></label>
            {queue.events.length === queue.limit && <span className="quiet">the newest {queue.limit}</span>}
          </div>
          <Table label="Events" heads={["Created", "Trigger", "State", "Attempts", "Error", ""]} rows={queue.events.map((event) => [
            <span className="time">{time(event.created_at)}</span>,
            <code><Name text={event.trigger} /></code>,
            <span className={`state ${event.state}`}>{event.delivering ? "delivering" : event.waits ? "waiting" : event.state}</span>,
            count(event.attempts),
            event.error && <span className="clip" title={visible(event.error)}><Visible text={event.error} /></span>,
            <span className="buttons">
              <button type="button" onClick={() => setId(event.id)}>Details</button>
              {event.state === "dead" && <button type="button" onClick={() => replay({ id: event.id })}>Replay</button>}
            </span>,
          ])} />
        </>
      )}
      {id && <Panel title="Event" onClose={() => setId(null)}><Details id={id} caller={caller} onReplay={() => replay({ id })} /></Panel>}
    </Page>
  );
}

function Details({ id, caller, onReplay }: { id: string; caller: Caller; onReplay: () => void }) {
  const { value: event, error } = useLoaded(caller, id, (signal) => api.read<Shown>(caller, `event/${id}`, signal));
  if (error) return <Failure error={error} />;
  if (!event) return <p className="quiet">Loading …</p>;
  return (
    <>
      <dl>
        <dt>Id</dt><dd><code>{event.id}</code></dd>
        <dt>Trigger</dt><dd><code><Name text={event.trigger} /></code></dd>
        <dt>State</dt><dd><span className={`state ${event.state}`}>{event.state}</span></dd>
        <dt>Created</dt><dd>{time(event.created_at)}</dd>
        {event.finished_at && <><dt>Finished</dt><dd>{time(event.finished_at)}</dd></>}
        {event.ordering_key && <><dt>Ordering key</dt><dd><code><Visible text={event.ordering_key} /></code></dd></>}
      </dl>
      <button type="button" className="main" onClick={onReplay}>Deliver again</button>
      <h3>Attempts</h3>
      <Table label="Attempts" empty="It was not tried yet." heads={["", "At", "Outcome", "Time", "Status", "Error or response"]} rows={event.invocations.map((one) => [
        count(one.attempt), <span className="time">{time(one.at)}</span>, one.outcome, `${one.milliseconds}\u00a0ms`, one.status ?? "", one.error ?? one.response ?? "",
      ])} />
      <h3>Payload</h3>
      <Code label="Payload" text={JSON.stringify(event.payload, null, 2)} />
      {event.session_variables != null && <><h3>Session</h3><Code label="Session" text={JSON.stringify(event.session_variables, null, 2)} /></>}
    </>
  );
}
