// The own account: name and language, how one signs in, sessions, tokens for programs, and what happened.

import { useEffect, useState, type ReactNode } from "react";
import * as accounts from "../accounts";
import { announce } from "../announce";
import { change } from "../api";
import { elevating } from "../elevation";
import { type Level, type Membership } from "../desk";
import { date, dateTime } from "../format";
import { Account as AccountQuery, LeaveTeam, RenameAccount } from "../generated/me";
import { CreateToken, OwnEvents, RevokeToken, Tokens as TokensQuery } from "../generated/user";
import { asRefusal, useQuery, type Loaded } from "../hooks";
import { hasPasskeys } from "../passkeys";
import { Act, Choice, Confirmed, Dialog, Field, Form } from "../parts/form";
import { Facts, Page, Section } from "../parts/page";
import { Badge, Content, Empty, Secret } from "../parts/states";
import { Table } from "../parts/table";
import { enter, renewSession, signOut, type SignedInUser } from "../session";
import { t } from "../text";
import { Outcome, eventName, methodName } from "./audit";

/** Something that the paths of accounts answer, and the way to ask again. */
function useAsked<Result>(act: () => Promise<Result>): Loaded<Result> & { reload: () => void } {
  const [state, setState] = useState<Loaded<Result>>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    act().then((data) => isCurrent && setState({ data }), (error) => isCurrent && setState({ refusal: asRefusal(error) }));
    return () => void (isCurrent = false);
  }, [round]);
  return { ...state, reload: () => setRound((before) => before + 1) };
}

export function Account({ user, memberships, onLeft }: { user: SignedInUser; memberships: Membership[]; onLeft: () => void; query: Record<string, string> }) {
  // A change of a second factor ends other sessions, and shows in several cards.
  const facts = useAsked(accounts.ownAccount);
  return (
    <Page title={t.account.title} id="account">
      <div className="columns even">
        <div>
          <Profile user={user} />
          <Password user={user} />
          <SecondFactor facts={facts} />
          {hasPasskeys() && <Keys />}
        </div>
        <div>
          <Tokens />
          <Sessions />
          {memberships.length > 0 && <TeamsOf memberships={memberships} onLeft={onLeft} />}
        </div>
      </div>
      <Events />
    </Page>
  );
}

function Profile({ user }: { user: SignedInUser }) {
  const account = useQuery(AccountQuery, { id: user.id });
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title={t.account.profile}>
      <Content of={account} lines={4}>
        {({ user: own }) => own && (
          <>
            <Form submit={t.save} onDone={() => { announce(t.saved); account.reload(); }} act={async ({ displayName, locale }) => {
              await change(RenameAccount, { id: own.id, displayName: displayName!, locale: locale! });
              await renewSession();
            }}>
              <Field name="displayName" label={t.account.name} defaultValue={own.displayName} required maxLength={200} autoComplete="name" />
              <Choice name="locale" label={t.account.locale} defaultValue={own.locale} options={Object.entries(t.locales)} />
            </Form>
            <Facts of={[[t.account.email, own.email]]} />
            <button onClick={() => setOpen(true)}>{t.account.changeEmail}</button>
          </>
        )}
      </Content>
      {isOpen && (
        <Dialog title={t.account.changeEmail} onClose={() => setOpen(false)}>
          <Form submit={t.request.send} onCancel={() => setOpen(false)} onDone={() => { setOpen(false); announce(t.account.emailSent); }} act={({ email }) => elevating(() => accounts.changeEmail(email!))}>
            <Field name="email" type="email" label={t.account.newEmail} required autoFocus autoComplete="email" />
          </Form>
        </Dialog>
      )}
    </Section>
  );
}

function Password({ user }: { user: SignedInUser }) {
  /** A new password ends all sessions, this one too: it goes on with the new password, or with a second factor. */
  async function replace({ password }: Record<string, string>) {
    await elevating(() => accounts.setPassword(password!));
    const { session } = await accounts.signInWithPassword(user.email ?? "", password!);
    if (session) enter(session);
    else await signOut();
    announce(t.account.passwordChanged);
  }
  return (
    <Section title={t.account.password}>
      <Form submit={t.account.changePassword} act={async (values, form) => { await replace(values); form.reset(); }}>
        <Field name="password" type="password" label={t.signIn.newPassword} hint={t.signIn.newPasswordHint} required minLength={10} autoComplete="new-password" />
      </Form>
    </Section>
  );
}

function SecondFactor({ facts }: { facts: ReturnType<typeof useAsked<accounts.AccountFacts>> }) {
  const [secret, setSecret] = useState<{ imageUrl: string; totpSecret: string }>();
  const [codes, setCodes] = useState<string[]>();
  const showCodes = async () => setCodes(await elevating(accounts.newRecoveryCodes));
  return (
    <Section title={t.account.second}>
      <Content of={facts} lines={2}>
        {({ activeMfaType }) => (
          <>
            <p>{activeMfaType ? <Badge kind="good">{t.account.secondOn}</Badge> : <Badge>{t.account.secondOff}</Badge>}</p>
            <div className="buttons">
              {!activeMfaType && <Act label={t.account.setUp} act={async () => setSecret(await accounts.newTotp())} />}
              {activeMfaType && <Act label={t.account.recovery} act={showCodes} />}
              {activeMfaType && <Confirmed label={t.account.turnOff} question={t.account.turnOffConfirm} act={() => elevating(accounts.turnOffSecondFactor)} onDone={facts.reload} />}
            </div>
          </>
        )}
      </Content>
      {secret && (
        <Dialog title={t.account.setUp} onClose={() => setSecret(undefined)}>
          <p>{t.account.scan}</p>
          <img className="qr" src={secret.imageUrl} alt={t.account.qr} width={200} height={200} />
          <Secret label={t.account.secret} value={secret.totpSecret} />
          <Form submit={t.account.turnOn} onCancel={() => setSecret(undefined)} act={async ({ code }) => {
            await elevating(() => accounts.turnOnTotp(code!));
            setSecret(undefined);
            facts.reload();
            await showCodes();
          }}>
            <Field name="code" label={t.account.firstCode} required autoFocus inputMode="numeric" autoComplete="one-time-code" />
          </Form>
        </Dialog>
      )}
      {codes && (
        <Dialog title={t.account.recoveryTitle} onClose={() => setCodes(undefined)}>
          <p>{t.account.recoveryHint}</p>
          <ul className="codes">{codes.map((code) => <li key={code}><code>{code}</code></li>)}</ul>
          <div className="buttons"><button className="primary" onClick={() => setCodes(undefined)}>{t.close}</button><button onClick={() => void navigator.clipboard.writeText(codes.join("\n")).then(() => announce(t.copied))}>{t.copy}</button></div>
        </Dialog>
      )}
    </Section>
  );
}

function Keys() {
  const keys = useAsked(accounts.securityKeys);
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title={t.account.keys} actions={<button onClick={() => setOpen(true)}>{t.account.addKey}</button>}>
      <Content of={keys} lines={2}>
        {(rows) => rows.length === 0 ? <p className="soft">{t.account.keysEmpty}</p> : (
          <ul className="list">
            {rows.map(({ id, nickname, createdAt, lastUsedAt }) => (
              <li key={id}>
                <span><span className="strong">{nickname || t.account.keyName}</span> <small>{t.account.added} {date(createdAt)} · {t.account.lastUsed} {lastUsedAt ? date(lastUsedAt) : t.account.never}</small></span>
                <Confirmed label={t.remove} describe={nickname ?? ""} question={t.account.removeKeyConfirm(nickname ?? t.account.keyName)} act={() => elevating(() => accounts.removeKey(id))} onDone={() => { announce(t.account.keyRemoved); keys.reload(); }} />
              </li>
            ))}
          </ul>
        )}
      </Content>
      {isOpen && (
        <Dialog title={t.account.addKey} onClose={() => setOpen(false)}>
          <Form submit={t.account.addKey} onCancel={() => setOpen(false)} onDone={() => { setOpen(false); announce(t.account.keyAdded); keys.reload(); }} act={({ nickname }) => elevating(() => accounts.addKey(nickname!))}>
            <Field name="nickname" label={t.account.keyName} required maxLength={100} autoFocus autoComplete="off" />
          </Form>
        </Dialog>
      )}
    </Section>
  );
}

/** How long a new token is valid, in days; nothing is for ever. */
const DAYS = ["30", "90", "365", ""];

function Tokens() {
  const tokens = useQuery(TokensQuery, {});
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<string>();
  const state = (expiresAt: string | null, revokedAt: string | null): ReactNode => {
    if (revokedAt) return <Badge>{t.account.revoked}</Badge>;
    if (expiresAt && Date.parse(expiresAt) < Date.now()) return <Badge>{t.account.expired}</Badge>;
    return <Badge kind="good">{t.account.valid}</Badge>;
  };
  return (
    <Section title={t.account.tokens} actions={<button onClick={() => setOpen(true)}>{t.account.newToken}</button>}>
      <p className="soft">{t.account.tokensHint}</p>
      <Content of={tokens} lines={3}>
        {({ personalAccessTokens: rows }) => rows.length === 0 ? <p className="soft">{t.account.tokensEmpty}</p> : (
          <ul className="list">
            {rows.map(({ id, name, createdAt, expiresAt, lastUsedAt, revokedAt }) => (
              <li key={id}>
                <span><span className="strong">{name}</span> {state(expiresAt, revokedAt)} <small>{date(createdAt)} · {t.account.expires} {expiresAt ? date(expiresAt) : t.account.tokenForever} · {t.account.lastUsed} {lastUsedAt ? date(lastUsedAt) : t.account.never}</small></span>
                {!revokedAt && <Confirmed label={t.account.revoke} describe={name ?? ""} question={t.account.revokeConfirm(name ?? "")} act={() => change(RevokeToken, { id: id! })} onDone={() => { announce(t.account.tokenRevoked); tokens.reload(); }} />}
              </li>
            ))}
          </ul>
        )}
      </Content>
      {isOpen && (
        <Dialog title={t.account.newToken} onClose={() => { setOpen(false); setMade(undefined); }}>
          {made ? (
            <>
              <p className="note warn">{t.account.tokenOnce}</p>
              <Secret label={t.account.tokenCreated} value={made} />
              <div className="buttons"><button className="primary" onClick={() => { setOpen(false); setMade(undefined); }}>{t.close}</button></div>
            </>
          ) : (
            <Form submit={t.add} onCancel={() => setOpen(false)} act={async ({ name, days }) => {
              const expiresAt = days ? new Date(Date.now() + Number(days) * 86_400_000).toISOString() : null;
              const { createPersonalAccessToken } = await change(CreateToken, { name: name!, expiresAt });
              setMade(createPersonalAccessToken!.personalAccessToken!);
              tokens.reload();
            }}>
              <Field name="name" label={t.account.tokenName} required maxLength={200} autoFocus autoComplete="off" />
              <Choice name="days" label={t.account.tokenExpires} defaultValue="90" options={DAYS.map((days) => [days, days ? t.account.tokenDays(Number(days)) : t.account.tokenForever] as const)} />
            </Form>
          )}
        </Dialog>
      )}
    </Section>
  );
}

/** `Chromium on Linux` of what a browser calls itself. */
function device(agent: string | null): string {
  if (!agent) return t.none;
  const browser = /Edg\//.test(agent) ? "Edge" : /Firefox\//.test(agent) ? "Firefox" : /Chrom(e|ium)\//.test(agent) ? "Chrome" : /Safari\//.test(agent) ? "Safari" : agent.slice(0, 30);
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(agent)?.[0];
  return system ? `${browser}, ${system.replace("Mac OS X", "macOS")}` : browser;
}

function Sessions() {
  const sessions = useAsked(accounts.openSessions);
  const done = () => {
    announce(t.account.sessionsEnded);
    sessions.reload();
  };
  return (
    <Section title={t.account.sessions} actions={<>
      <Act label={t.account.endOthers} act={accounts.endOtherSessions} onDone={done} />
      <Act className="danger" label={t.account.signOutEverywhere} act={() => signOut(true)} />
    </>}>
      <Content of={sessions} lines={3}>
        {(rows) => (
          <ul className="list">
            {rows.map(({ id, createdAt, lastUsedAt, methods, address, userAgent, isCurrent }) => (
              <li key={id}>
                <span>
                  <span className="strong">{device(userAgent)}</span> {isCurrent && <Badge kind="info">{t.account.current}</Badge>}
                  <small>{address ?? t.none} · {(methods ?? ["pat"]).map(methodName).join(", ")} · {dateTime(lastUsedAt ?? createdAt)}</small>
                </span>
                {!isCurrent && <Act label={t.account.endSession} describe={device(userAgent)} act={() => accounts.endSession(id)} onDone={done} />}
              </li>
            ))}
          </ul>
        )}
      </Content>
    </Section>
  );
}

function TeamsOf({ memberships, onLeft }: { memberships: Membership[]; onLeft: () => void }) {
  return (
    <Section title={t.account.teams}>
      <ul className="list">
        {memberships.filter(({ status }) => status !== "invited").map(({ id, role, status, dataController }) => (
          <li key={id}>
            <span><span className="strong">{dataController?.title ?? t.shell.invitedUnknown}</span> <small>{t.levels[role as Level]}{status !== "active" && ` · ${t.team.states[status]}`}</small></span>
            <Confirmed label={t.team.leave} describe={dataController?.title ?? ""} question={t.team.leaveConfirm(dataController?.title ?? t.shell.invitedUnknown)} act={() => change(LeaveTeam, { id })} onDone={onLeft} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Events() {
  const events = useQuery(OwnEvents, {});
  return (
    <Section title={t.account.activity}>
      <Content of={events} lines={4}>
        {({ authenticationEvents }) => {
          const rows = authenticationEvents.map((row, index) => ({ ...row, id: String(row.id ?? index) }));
          return rows.length === 0 ? <Empty title={t.audit.empty} /> : (
            <Table caption={t.account.activity} rows={rows} columns={[
              { title: t.audit.when, isHead: true, cell: ({ at }) => dateTime(at) },
              { title: t.audit.event, cell: ({ event }) => eventName(event) },
              { title: t.audit.outcome, cell: ({ outcome }) => <Outcome outcome={outcome} /> },
              { title: t.audit.method, cell: ({ method }) => methodName(method) },
              { title: t.audit.address, cell: ({ address }) => address ?? t.none },
            ]} />
          );
        }}
      </Content>
    </Section>
  );
}
