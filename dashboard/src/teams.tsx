// The teams of whoever is signed in: invitations, the choice of the team, and the frame around its screens.

import { lazy, Suspense, useEffect, useState, type ComponentType, type ReactNode } from "react";
import { announce } from "./announce";
import { change } from "./api";
import { DeskContext, type Desk, type Level, type Membership } from "./desk";
import { Refusal } from "./gateway";
import { AcceptInvitation, LeaveTeam, Memberships } from "./generated/me";
import { asRefusal, useQuery } from "./hooks";
import { Act, Choice, Confirmed } from "./parts/form";
import { Content, Empty, Skeleton } from "./parts/states";
import { Page } from "./parts/page";
import { refusalText } from "./refusal";
import { go, href, useRoute, type Route } from "./route";
import { renewSession, signOut, type SignedInUser } from "./session";
import { LANGUAGES, t, type Language } from "./text";
import { Overview } from "./screens/overview";
import { Requests } from "./screens/requests";
import { Request } from "./screens/request";

/** A screen of the file that is loaded after the first ones. Without a connection that is no fault of the page. */
function later<Props>(name: string, choose: (screens: typeof import("./screens")) => ComponentType<Props>) {
  const screen = lazy(() => loadScreens().then((screens) => ({ default: choose(screens) as ComponentType<any> }), () => Promise.reject(new Refusal("offline", name, ""))));
  return screen as unknown as ComponentType<Props>;
}

const loadScreens = () => import("./screens");

const People = later("people", ({ People }) => People);
const Person = later("person", ({ Person }) => Person);
const Consents = later("consents", ({ Consents }) => Consents);
const Texts = later("texts", ({ Texts }) => Texts);
const Team = later("team", ({ Team }) => Team);
const Integrations = later("integrations", ({ Integrations }) => Integrations);
const Account = later("account", ({ Account }) => Account);
const Audit = later("audit", ({ Audit }) => Audit);

const SCREENS: Record<string, { name: () => string; only?: Level; render: (route: Route) => ReactNode }> = {
  overview: { name: () => t.shell.overview, render: () => <Overview /> },
  requests: { name: () => t.shell.requests, render: ({ path: [, , id], query }) => (id ? <Request key={id} id={id} /> : <Requests query={query} />) },
  people: { name: () => t.shell.people, render: ({ path: [, , id], query }) => (id ? <Person key={id} id={id} query={query} /> : <People query={query} />) },
  consents: { name: () => t.shell.consents, render: ({ query }) => <Consents query={query} /> },
  texts: { name: () => t.shell.texts, render: ({ query }) => <Texts query={query} /> },
  team: { name: () => t.shell.team, render: () => <Team /> },
  integrations: { name: () => t.shell.integrations, render: ({ query }) => <Integrations query={query} /> },
  audit: { name: () => t.shell.audit, only: "Administrator", render: ({ query }) => <Audit query={query} /> },
};

/** The controller that was looked at last. */
const LAST = "dashboard.controller";

export function Teams({ user, language, onLanguage }: { user: SignedInUser; language: Language; onLanguage: (next: Language) => void }) {
  const route = useRoute();
  const memberships = useQuery(Memberships, {});
  const all = memberships.data?.dataControllerUsers;
  const active = all?.filter(({ status, dataController }) => status === "active" && dataController);
  const invited = all?.filter(({ status }) => status === "invited") ?? [];
  const [first, screen = "overview"] = route.path;
  const isAccount = first === "account";
  const kept = localStorage.getItem(LAST);
  const current = active?.find(({ dataControllerId }) => dataControllerId === first)
    ?? (isAccount || !first || first === "invitation" ? active?.find(({ dataControllerId }) => dataControllerId === kept) ?? active?.[0] : undefined);

  // The other screens are there before somebody opens one, or loses the connection.
  useEffect(() => void loadScreens().catch(() => null), []);
  useEffect(() => {
    if (!current) return;
    localStorage.setItem(LAST, current.dataControllerId);
    if (!first || first === "invitation") go(href([current.dataControllerId, "overview"]));
  }, [current?.dataControllerId, first]);

  /** Who was in no team gets the role of teams with the next token. */
  const joined = async () => {
    await renewSession();
    memberships.reload();
  };
  const desk: Desk | null = current
    ? {
        user, controller: current.dataControllerId, controllerTitle: current.dataController!.title, level: current.role as Level,
        canEdit: current.role !== "Viewer", canAdminister: current.role === "Administrator",
      }
    : null;
  const found = Object.hasOwn(SCREENS, screen) ? SCREENS[screen] : undefined;
  return (
    <Frame desk={desk} active={active ?? []} screen={isAccount ? "account" : screen} user={user} language={language} onLanguage={onLanguage}>
      <Content of={memberships} lines={8}>
        {() => (
          <>
            {invited.map((membership) => <Invitation key={membership.id} membership={membership} onJoined={joined} onLeft={memberships.reload} />)}
            <Suspense fallback={<Skeleton lines={8} />}>
              {isAccount ? <Account user={user} memberships={all!} onLeft={memberships.reload} query={route.query} />
                : desk && found && (!found.only || desk.level === found.only) ? <DeskContext value={desk}><div key={desk.controller}>{found.render(route)}</div></DeskContext>
                : active!.length === 0 ? invited.length === 0 && <Page title={t.shell.noTeam}><Empty title={t.shell.noTeam} hint={t.shell.noTeamHint} /></Page>
                : first && first !== "invitation" ? <Page title={t.refusals.missing}><Empty title={t.refusals.missing} hint={found?.only ? t.audit.onlyAdministrators : t.refusals.missingHint} /></Page>
                : null}
            </Suspense>
          </>
        )}
      </Content>
    </Frame>
  );
}

function Invitation({ membership, onJoined, onLeft }: { membership: Membership; onJoined: () => Promise<void>; onLeft: () => void }) {
  const name = membership.dataController?.title ?? t.shell.invitedUnknown;
  return (
    <section className="card invitation" aria-label={t.shell.invited(name)}>
      <h2>{t.shell.invited(name)}</h2>
      <p>{t.shell.invitedHint(t.levels[membership.role as Level], membership.invitation?.inviterName ?? null)}</p>
      <div className="buttons">
        <Act className="primary" label={t.shell.accept} act={async () => { await change(AcceptInvitation, { id: membership.id }); await onJoined(); }} />
        <Confirmed label={t.shell.decline} question={t.team.leaveConfirm(name)} act={() => change(LeaveTeam, { id: membership.id })} onDone={onLeft} />
      </div>
    </section>
  );
}

/** Signs out, and leaves no address of this team to the next person at this browser. */
async function leave() {
  try {
    await signOut();
    go("");
  } catch (error) {
    announce(`${t.shell.signOutFailed} ${refusalText(asRefusal(error))}`);
  }
}

function Frame({ desk, active, screen, user, language, onLanguage, children }: {
  desk: Desk | null; active: Membership[]; screen: string; user: SignedInUser; language: Language; onLanguage: (next: Language) => void; children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const close = () => setOpen(false);
    window.addEventListener("hashchange", close);
    return () => window.removeEventListener("hashchange", close);
  }, []);
  return (
    <div className="frame">
      <a className="skip" href="#content" onClick={(event) => { event.preventDefault(); document.getElementById("content")?.focus(); }}>{t.skip}</a>
      <header className="top">
        <div className="bar">
          <span className="product">{t.product}</span>
          <button className="menu" aria-expanded={isOpen} aria-controls="menu" onClick={() => setOpen(!isOpen)}>{t.menu}</button>
        </div>
        <div className={`side${isOpen ? " open" : ""}`} id="menu">
          <p className="product">{t.product}</p>
          {desk && active.length > 1 && (
            <Choice label={t.shell.controller} value={desk.controller} onChange={(event) => go(href([event.target.value, screen === "account" ? "overview" : screen]))} options={active.map(({ dataControllerId, dataController }) => [dataControllerId, dataController!.title] as const)} />
          )}
          {desk && active.length === 1 && <p className="team">{desk.controllerTitle}</p>}
          <nav aria-label={t.mainNavigation}>
            <ul>
              {desk && Object.entries(SCREENS).map(([key, { name, only }]) => (!only || desk.level === only) && (
                <li key={key}><a href={href([desk.controller, key])} aria-current={key === screen ? "page" : undefined}>{name()}</a></li>
              ))}
            </ul>
            <ul className="own">
              <li><a href={href(["account"])} aria-current={screen === "account" ? "page" : undefined}>{t.shell.account}</a></li>
            </ul>
          </nav>
          <div className="who">
            <p><span className="strong">{user.displayName}</span>{desk && <small>{t.levels[desk.level]}</small>}</p>
            <select aria-label={t.language} value={language} onChange={(event) => onLanguage(event.target.value as Language)}>
              {LANGUAGES.map((one) => <option key={one} value={one}>{one.toUpperCase()}</option>)}
            </select>
            <button onClick={() => void leave()}>{t.shell.signOut}</button>
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
