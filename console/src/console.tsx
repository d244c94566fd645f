// The frame of the console: sign-in, the role and its session values, and the pages.

import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { Diagram } from "./diagram";
import { Events } from "./events";
import { Limits } from "./limits";
import { Live } from "./live";
import { Failure, Name } from "./parts";
import { Permissions } from "./permissions";
import { Query } from "./query";
import { Rest } from "./rest";
import { type Caller, Session } from "./session";
import { SignIns } from "./sign-ins";
import type { PageProps } from "./types";
import { visible } from "./visible";

interface Page {
  name: string;
  title: string;
  /** Whether only callers with the admin secret have it. */
  forAdmin: boolean;
  show: (props: PageProps) => ReactNode;
}

const PAGES: Page[] = [
  { name: "query", title: "Query", forAdmin: false, show: (props) => <Query {...props} /> },
  { name: "permissions", title: "Permissions", forAdmin: true, show: (props) => <Permissions {...props} /> },
  { name: "rest", title: "REST", forAdmin: false, show: (props) => <Rest {...props} /> },
  { name: "events", title: "Events", forAdmin: true, show: (props) => <Events {...props} /> },
  { name: "sign-ins", title: "Sign-ins", forAdmin: true, show: (props) => <SignIns {...props} /> },
  { name: "live", title: "Live", forAdmin: true, show: (props) => <Live {...props} /> },
  { name: "limits", title: "Limits", forAdmin: true, show: (props) => <Limits {...props} /> },
  { name: "schema", title: "Schema", forAdmin: false, show: (props) => <Diagram {...props} /> },
];

const pageInAddress = () => location.hash.replace(/^#\/?/, "") || "query";

export function Console() {
  const [caller, setCaller] = useState<Caller | null>(null);
  const [isReady, setReady] = useState(false);
  const [name, setName] = useState(pageInAddress);
  const [notice, setNotice] = useState("");
  const session = useRef<Session | null>(null);
  const enter = useCallback((next: Session) => {
    session.current = next;
    setNotice("");
    setCaller(next.act());
  }, []);
  const leave = useCallback(() => {
    const ended = session.current?.end();
    session.current = null;
    setCaller(null);
    ended?.catch((error) => setNotice(`You are signed out here, but the gateway has not ended your session: ${error instanceof Error ? error.message : error}`));
  }, []);
  useEffect(() => {
    Session.open().then((found) => found && enter(found)).finally(() => setReady(true));
    const follow = () => {
      setName(pageInAddress());
      // Another page begins anew, as the same role.
      if (session.current) setCaller(session.current.act());
    };
    // The page forgets its tokens, so nobody else could end their session.
    const forget = (event: PageTransitionEvent) => event.persisted || leave();
    addEventListener("hashchange", follow);
    addEventListener("pagehide", forget);
    return () => {
      removeEventListener("hashchange", follow);
      removeEventListener("pagehide", forget);
    };
  }, [enter, leave]);
  const page = PAGES.find((page) => page.name === name) ?? PAGES[0]!;
  useEffect(() => {
    document.title = caller ? `${page.title} · Postern console` : "Postern console";
  }, [page, caller]);
  if (!isReady) return <main className="center" aria-busy="true" />;
  if (!caller) return <SignIn onSignedIn={enter} notice={notice} />;
  const isShown = caller.isAdmin || !page.forAdmin;
  return (
    <div className="frame">
      <header>
        <span className="brand">Postern</span>
        <nav aria-label="Pages">
          {PAGES.filter(({ forAdmin }) => caller.isAdmin || !forAdmin).map(({ name, title }) => (
            <a key={name} href={`#/${name}`} aria-current={name === page.name ? "page" : undefined}>{title}</a>
          ))}
        </nav>
        <Identity caller={caller} onChange={setCaller} onLeave={leave} />
      </header>
      <main key={caller.id} className={page.name}>
        {isShown
          ? page.show({ caller })
          : <div className="page"><h1>{page.title}</h1><p>This page needs the admin secret.</p></div>}
      </main>
    </div>
  );
}

/** The role, the session values that its rules read, and the way out. */
function Identity({ caller, onChange, onLeave }: { caller: Caller; onChange: (caller: Caller) => void; onLeave: () => void }) {
  const { session } = caller;
  const setValue = (name: string, value: string) => {
    session.typed[name] = value;
    onChange(session.act());
  };
  return (
    <div className="identity">
      <label>
        <span>Role</span>
        <select value={caller.role} onChange={(event) => onChange(session.act(event.target.value))}>
          {session.roles.map(({ name }) => <option key={name} value={name}>{visible(name)}</option>)}
        </select>
      </label>
      {caller.values.map(([name, value]) => (
        <SessionValue key={name} name={name} value={value} onChange={(value) => setValue(name, value)} />
      ))}
      {(session.hasCredentials || !session.isAdmin) && (
        <button type="button" onClick={onLeave}>{session.hasCredentials ? "Sign out" : "Sign in"}</button>
      )}
    </div>
  );
}

/** A session value, which counts once it is complete: after Enter, or when the field is left. */
function SessionValue({ name, value, onChange }: { name: string; value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const done = () => text.trim() !== value && onChange(text.trim());
  return (
    <label>
      <span><Name text={name} /></span>
      <input value={text} spellCheck={false} autoComplete="off" placeholder="not set"
        onChange={(event) => setText(event.target.value)} onBlur={done}
        onKeyDown={(event) => event.key === "Enter" && done()} />
    </label>
  );
}

const WAYS = {
  secret: { title: "Admin secret", hint: "Shows every page. You can act as any role.", sign: Session.withSecret },
  token: { title: "Access token", hint: "A JWT that this gateway accepts.", sign: (text: string) => Session.withToken(text) },
  pat: { title: "Personal access token", hint: "It is exchanged for an access token and then forgotten.", sign: Session.withPersonalToken },
};

function SignIn({ onSignedIn, notice }: { onSignedIn: (session: Session) => void; notice: string }) {
  const [way, setWay] = useState<keyof typeof WAYS>("secret");
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const { title, hint, sign } = WAYS[way];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    sign(text.trim()).then(onSignedIn, setFailure).finally(() => setBusy(false));
  };
  return (
    <main className="center">
      <form className="card sign-in" onSubmit={submit}>
        <h1>Postern console</h1>
        {notice && <Failure error={notice} />}
        <fieldset>
          <legend>Sign in with</legend>
          {Object.entries(WAYS).map(([key, { title }]) => (
            <label key={key} className="choice">
              <input type="radio" name="way" checked={way === key} onChange={() => { setWay(key as keyof typeof WAYS); setFailure(null); }} />
              {title}
            </label>
          ))}
        </fieldset>
        <label className="field">
          {title}
          <input type="password" value={text} autoComplete="off" spellCheck={false} required aria-describedby="hint"
            onChange={(event) => setText(event.target.value)} />
        </label>
        <p id="hint" className="quiet">{hint} It is kept in the memory of this page alone, until you close or reload it.</p>
        <button type="submit" className="main" disabled={isBusy}>Sign in</button>
        {failure !== null && <Failure error={failure} />}
      </form>
    </main>
  );
}
