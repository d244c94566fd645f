// What happened with tokens, credentials and sessions, and the open sessions of one user.

import { type FormEvent, useState } from "react";
import * as api from "./api";
import { Name, Page, Table, time, useLoaded } from "./parts";
import type { PageProps } from "./types";
import { Visible, visible } from "./visible";

interface Event {
  id: number;
  at: string;
  event: string;
  outcome: "success" | "failure";
  reason: string | null;
  method: string | null;
  user_id: string | null;
  address: string | null;
  session_id: string | null;
  token_id: string | null;
  request_id: string | null;
}

interface Session {
  id: string;
  created_at: string;
  last_used_at: string | null;
  methods: string[] | null;
  address: string | null;
  user_agent: string | null;
}

interface Audit {
  has_tables: boolean;
  events: Event[];
  sessions: Session[];
  limit: number;
}

export function SignIns({ caller: { own: caller } }: PageProps) {
  const [user, setUser] = useState("");
  const [typed, setTyped] = useState("");
  const [outcome, setOutcome] = useState("");
  const filter = new URLSearchParams(Object.entries({ user, outcome }).filter(([, value]) => value));
  const loaded = useLoaded(caller, String(filter), (signal) => api.read<Audit>(caller, `sign-ins?${filter}`, signal), 5);
  const audit = loaded.value;
  const choose = (user: string) => {
    setTyped(user);
    setUser(user);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setUser(typed.trim());
  };
  return (
    <Page title="Sign-ins" loaded={loaded}>
      {audit && !audit.has_tables && <p className="quiet">The database has no tables of tokens; <code>postern migrate</code> makes them.</p>}
      <form className="filters" onSubmit={submit}>
        <label>User <input value={typed} spellCheck={false} autoComplete="off" placeholder="all" onChange={(event) => setTyped(event.target.value)} onBlur={() => setUser(typed.trim())} /></label>
        <label>Outcome <select value={outcome} onChange={(event) => setOutcome(event.target.value)}>
          <option value="">all</option>
          <option>success</option>
          <option>failure</option>
        </select></label>
        {user && <button type="button" onClick={() => choose("")}>All users</button>}
        {audit && audit.events.length === audit.limit && <span className="quiet">the newest {audit.limit}</span>}
      </form>
      {audit && user && (
        <>
          <h2>Open sessions</h2>
          <Table label="Open sessions" empty="The user has no open session." heads={["Last used", "Opened", "By", "From", "With"]} rows={audit.sessions.map((session) => [
            <span className="time">{session.last_used_at ? time(session.last_used_at) : ""}</span>,
            <span className="time">{time(session.created_at)}</span>,
            session.methods?.join(", ") ?? "personal access token",
            session.address ?? "",
            session.user_agent && <span className="clip" title={visible(session.user_agent)}><Visible text={session.user_agent} /></span>,
          ])} />
        </>
      )}
      {audit?.has_tables && (
        <>
          <h2>Latest events</h2>
          <Table label="Sign-ins" empty="Nothing has happened yet." heads={["At", "Event", "Outcome", "Reason", "Method", "User", "From"]} rows={audit.events.map((event) => [
            <span className="time">{time(event.at)}</span>,
            <code><Name text={event.event} /></code>,
            <span className={`state ${event.outcome === "success" ? "delivered" : "dead"}`}>{event.outcome}</span>,
            event.reason ?? "",
            event.method ?? "",
            event.user_id && <button type="button" className="link" onClick={() => choose(event.user_id!)}><Name text={event.user_id} /></button>,
            event.address ?? "",
          ])} />
        </>
      )}
    </Page>
  );
}
