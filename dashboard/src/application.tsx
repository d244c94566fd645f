// From the page's start to the team's screens: is somebody signed in, in which language, in which teams.

import { Component, useEffect, useState, useSyncExternalStore, type ReactNode } from "react";
import { onAnnouncement } from "./announce";
import { Elevation } from "./elevation";
import { Refusal } from "./gateway";
import { Skeleton } from "./parts/states";
import { onLink, openedLink } from "./link";
import { refusalText } from "./refusal";
import { onSession, restore, sessionState, type SignedInUser } from "./session";
import { LinkOverSession, SignIn } from "./screens/sign-in";
import { Teams } from "./teams";
import { hasChosenLanguage, language, LANGUAGES, setLanguage, t, type Language } from "./text";

export function Application() {
  const session = useSyncExternalStore(onSession, sessionState);
  const link = useSyncExternalStore(onLink, openedLink);
  const [shown, show] = useState<Language>(language);
  const choose = (next: Language) => void setLanguage(next, true).then(() => show(next));
  return (
    <Fault>
      <div key={shown}>
        {session.is === "starting" && <main className="alone"><Skeleton lines={3} /></main>}
        {session.is === "unreachable" && <Unreachable text={refusalText(session.refusal)} />}
        {session.is === "signed-out" && <SignIn expired={session.expired === true} language={shown} onLanguage={choose} />}
        {session.is === "signed-in" && (
          <InOwnLanguage user={session.user} onLanguage={show}>
            {link ? <LinkOverSession link={link} user={session.user} />
              : <Teams key={session.user.id} user={session.user} language={shown} onLanguage={choose} />}
            <Elevation />
          </InOwnLanguage>
        )}
        <Announcements />
      </div>
    </Fault>
  );
}

/** Whoever has not chosen a language here gets that of the account, before anything else is shown. */
function InOwnLanguage({ user, onLanguage, children }: { user: SignedInUser; onLanguage: (next: Language) => void; children: ReactNode }) {
  const own = LANGUAGES.find((one) => one === user.locale);
  const differs = own !== undefined && own !== language && !hasChosenLanguage();
  useEffect(() => {
    if (differs) void setLanguage(own).then(() => onLanguage(own));
  }, [differs, own, onLanguage]);
  return differs ? null : children;
}

function Unreachable({ text }: { text: string }) {
  useEffect(() => {
    const online = () => void restore();
    window.addEventListener("online", online);
    return () => window.removeEventListener("online", online);
  }, []);
  return (
    <main className="alone">
      <h1>{t.refusals.unreachable}</h1>
      <p role="alert">{text}</p>
      <button className="primary" onClick={() => void restore()}>{t.retry}</button>
    </main>
  );
}

/** A fault of the page itself says so until the address changes, and leaves no blank page; so does a part that could not be loaded. */
class Fault extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null };

  reset = () => this.setState({ error: null });

  override componentDidMount() {
    window.addEventListener("hashchange", this.reset);
  }

  override componentWillUnmount() {
    window.removeEventListener("hashchange", this.reset);
  }

  /** Leaves the address behind, which the fault may come from. A part that could not be loaded is asked for again where it is. */
  leave = () => {
    if (!((this.state as { error: unknown }).error instanceof Refusal)) history.replaceState(null, "", "#/");
    location.reload();
  };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state as { error: unknown };
    if (error === null) return this.props.children;
    return (
      <main className="alone" role="alert">
        <h1>{error instanceof Refusal ? t.refusals.unreachable : t.refusals.crashed}</h1>
        <p>{error instanceof Refusal ? refusalText(error) : t.refusals.crashedHint}</p>
        <button className="primary" onClick={this.leave}>{error instanceof Refusal ? t.reload : t.refusals.crashedBack}</button>
      </main>
    );
  }
}

/** The page's one live region. */
function Announcements() {
  const [text, setText] = useState("");
  useEffect(() => {
    let timer = 0;
    onAnnouncement((next) => {
      window.clearTimeout(timer);
      // The same sentence again is a change for those who listen, too.
      setText("");
      timer = window.setTimeout(() => {
        setText(next);
        timer = window.setTimeout(() => setText(""), 6000);
      }, 50);
    });
    return () => window.clearTimeout(timer);
  }, []);
  return <div className="announcement" role="status" aria-live="polite">{text && <p>{text}</p>}</div>;
}
