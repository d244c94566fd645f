// Signing in: password, passkey, link, code, second factor, and what the link of a mail leads back with.

import { useEffect, useState, type ReactNode } from "react";
import * as accounts from "../accounts";
import { announce } from "../announce";
import { Refusal } from "../gateway";
import { asRefusal, useAction } from "../hooks";
import { endLink, expectLink, isLinkExpected, openedLink, type Link } from "../link";
import { hasPasskeys } from "../passkeys";
import { Choice, Field, Form } from "../parts/form";
import { ErrorNote, Skeleton } from "../parts/states";
import { refusalText } from "../refusal";
import { enter, renewSession, type SignedInUser, type SignInAnswer } from "../session";
import { LANGUAGES, t, type Language } from "../text";

type Step =
  | { is: "begin"; note?: string; fault?: string }
  | { is: "code"; email: string }
  | { is: "second"; ticket: string; hasKey: boolean }
  | { is: "reset"; ticket: string }
  | { is: "opening"; refreshToken: string };

/** The first step of a page that was opened with a link, or without one. */
function firstStep(link: Link | null): Step {
  if (link?.is === "fault") return { is: "begin", fault: t.signIn.linkFailed };
  if (link?.is === "sign-in") return { is: "opening", refreshToken: link.refreshToken };
  return link ? { is: "reset", ticket: link.ticket } : { is: "begin" };
}

export function SignIn({ expired, language, onLanguage }: { expired: boolean; language: Language; onLanguage: (next: Language) => void }) {
  const [step, setStep] = useState(() => firstStep(openedLink()));
  const [email, setEmail] = useState("");
  useEffect(() => {
    if (step.is === "begin") endLink();
    document.title = `${t.signIn.title} – ${t.product}`;
  }, []);

  /** Goes on after a first factor. */
  function answered({ session, mfa }: SignInAnswer) {
    if (session) enter(session);
    else if (mfa) setStep({ is: "second", ticket: mfa.ticket, hasKey: mfa.methods?.includes("webauthn") ?? false });
  }
  const begin = (note?: string, fault?: string) => {
    endLink();
    setStep({ is: "begin", note, fault });
  };

  return (
    <main className="alone">
      <p className="product">{t.product}</p>
      {step.is === "begin" && (
        <>
          <h1>{t.signIn.title}</h1>
          <p className="soft">{t.signIn.intro}</p>
          <div role="status">
            {step.note && <p className="note good">{step.note}</p>}
            {expired && !step.note && <p className="note warn">{t.signIn.expired}</p>}
          </div>
          {step.fault && <p className="note bad" role="alert">{step.fault}</p>}
          <Form className="stack" submit={t.signIn.submit} act={async ({ password }) => answered(await accounts.signInWithPassword(email.trim(), password!))}>
            <Field name="email" type="email" label={t.signIn.email} value={email} onChange={(event) => setEmail(event.target.value)} required autoComplete="username webauthn" />
            <Field name="password" type="password" label={t.signIn.password} required autoComplete="current-password" />
          </Form>
          <Others email={email.trim()} onAnswer={answered} onNote={begin} onCode={() => setStep({ is: "code", email: email.trim() })} />
        </>
      )}
      {step.is === "code" && (
        <Step title={t.signIn.codeTitle} onBack={() => begin()}>
          <p className="note good" role="status">{t.signIn.codeSent(step.email)}</p>
          <Form className="stack" submit={t.signIn.submit} act={async ({ otp }) => answered(await accounts.signInWithCode(step.email, otp!))}>
            <Field name="otp" label={t.signIn.codeField} required autoFocus inputMode="numeric" autoComplete="one-time-code" />
          </Form>
        </Step>
      )}
      {step.is === "second" && (
        <Step title={t.signIn.secondTitle} onBack={() => begin()}>
          <Form className="stack" submit={t.signIn.submit} act={async ({ otp }) => answered(await accounts.signInWithSecondFactor(step.ticket, otp!))}>
            <Field name="otp" label={t.signIn.codeField} hint={t.signIn.secondHint} required autoFocus autoComplete="one-time-code" />
          </Form>
          {step.hasKey && hasPasskeys() && <WithKey label={t.signIn.secondKey} act={async () => answered(await accounts.signInWithSecondKey(step.ticket))} />}
        </Step>
      )}
      {step.is === "reset" && (
        <Step title={t.signIn.resetTitle} onBack={() => begin()}>
          <Reset ticket={step.ticket} onDone={() => begin(t.signIn.resetDone)} />
        </Step>
      )}
      {step.is === "opening" && <Opening refreshToken={step.refreshToken} onFault={(fault) => begin(undefined, fault)} onBack={() => begin()} />}
      <footer>
        <Choice label={t.language} value={language} onChange={(event) => onLanguage(event.target.value as Language)} options={LANGUAGES.map((one) => [one, NAMES[one]] as const)} />
      </footer>
    </main>
  );
}

/** Languages by their own names. */
const NAMES: Record<Language, string> = { en: "English", de: "Deutsch", nl: "Nederlands" };

function Step({ title, onBack, children }: { title: string; onBack: () => void; children: ReactNode }) {
  return (
    <>
      <h1>{title}</h1>
      {children}
      <p><button className="link" onClick={onBack}>{t.signIn.useAnother}</button></p>
    </>
  );
}

function WithKey({ label, act }: { label: string; act: () => Promise<void> }) {
  const action = useAction(act);
  return (
    <>
      <button disabled={action.isBusy} onClick={() => void action.run()}>{label}</button>
      <ErrorNote refusal={action.refusal} />
    </>
  );
}

/** How providers are written whose name is more than a capital letter, or well known. */
const PROVIDER_NAMES: Record<string, string> = { apple: "Apple", github: "GitHub", google: "Google", linkedin: "LinkedIn", microsoft: "Microsoft" };

/** The ways beside the password. They take the address from the form above. */
function Others({ email, onAnswer, onNote, onCode }: { email: string; onAnswer: (answer: SignInAnswer) => void; onNote: (note: string) => void; onCode: () => void }) {
  const action = useAction((act: () => Promise<void>) => act());
  /** Does something with the address, which has to be one. */
  const withEmail = (act: () => Promise<void>) => void action.run(async () => {
    if (!/^\S+@\S+$/.test(email)) throw new Refusal("refused", "no-email", "e-mail address");
    await act();
  });
  return (
    <>
      <p className="or"><span>{t.signIn.or}</span></p>
      <ErrorNote refusal={action.refusal} />
      <div className="stack">
        {accounts.PROVIDERS.map((name) => <a key={name} className="button" href={accounts.providerAddress(name)} onClick={expectLink}>{t.signIn.provider(PROVIDER_NAMES[name] ?? name)}</a>)}
        {hasPasskeys() && <button disabled={action.isBusy} onClick={() => void action.run(async () => onAnswer(await accounts.signInWithPasskey()))}>{t.signIn.passkey}</button>}
        <button disabled={action.isBusy} onClick={() => withEmail(async () => { await accounts.mailLink(email); onNote(t.signIn.linkSent(email)); })}>{t.signIn.link}</button>
        <button disabled={action.isBusy} onClick={() => withEmail(async () => { await accounts.mailCode(email); onCode(); })}>{t.signIn.code}</button>
        <button className="link" disabled={action.isBusy} onClick={() => withEmail(async () => { await accounts.mailReset(email); onNote(t.signIn.resetSent(email)); })}>{t.signIn.forgotten}</button>
      </div>
    </>
  );
}

function Reset({ ticket, onDone }: { ticket: string; onDone: () => void }) {
  return (
    <Form className="stack" submit={t.save} act={({ password }) => accounts.resetPassword(ticket, password!)} onDone={onDone}>
      <Field name="password" type="password" label={t.signIn.newPassword} hint={t.signIn.newPasswordHint} required minLength={10} autoFocus autoComplete="new-password" />
    </Form>
  );
}

/** Whether a link may still open a session after a refusal. */
const mayOpenLater = ({ kind }: Refusal) => kind === "offline" || kind === "server" || kind === "rate";

/** Why a link opens no session. */
const linkFault = (refusal: Refusal) => (mayOpenLater(refusal) ? refusalText(refusal) : t.signIn.linkFailed);

/** Opens the session of a link: at once if this browser asked for it, after a click otherwise. */
function Opening({ refreshToken, onFault, onBack }: { refreshToken: string; onFault: (text: string) => void; onBack: () => void }) {
  const [isWanted, setWanted] = useState(isLinkExpected);
  useEffect(() => {
    if (isWanted) accounts.signInWithLink(refreshToken).catch((error: unknown) => onFault(linkFault(asRefusal(error))));
  }, [isWanted]);
  if (!isWanted) {
    return (
      <Step title={t.signIn.linkTitle} onBack={onBack}>
        <p>{t.signIn.linkHint}</p>
        <button className="primary" onClick={() => setWanted(true)}>{t.signIn.linkSubmit}</button>
      </Step>
    );
  }
  return (
    <>
      <h1>{t.signIn.opening}</h1>
      <Skeleton lines={2} />
    </>
  );
}

/** A link that is opened while somebody is signed in. The session stays until they decide. */
export function LinkOverSession({ link, user }: { link: Link; user: SignedInUser }) {
  const [isResetting, setResetting] = useState(false);
  const open = useAction(accounts.signInWithLink);
  const fault = link.is === "fault" ? t.signIn.linkFailed : open.refusal && linkFault(open.refusal);
  const title = link.is === "reset" ? t.signIn.resetTitle : link.is === "fault" ? t.signIn.title : t.signIn.linkTitle;
  useEffect(() => void (document.title = `${title} – ${t.product}`), [title]);
  /** A new password ends the sessions of its person, who may be this one. */
  async function resetDone() {
    announce(t.signIn.resetDone);
    endLink();
    await renewSession().catch(() => null);
  }
  return (
    <main className="alone">
      <p className="product">{t.product}</p>
      <h1>{title}</h1>
      {fault && <p className="note bad" role="alert">{fault}</p>}
      <p>{t.signIn.signedInAs(user.email ?? user.displayName)} {link.is === "sign-in" && t.signIn.linkOther} {link.is === "reset" && t.signIn.resetOther}</p>
      {link.is === "reset" && isResetting && <Reset ticket={link.ticket} onDone={() => void resetDone()} />}
      <div className="buttons">
        {link.is === "sign-in" && (!open.refusal || mayOpenLater(open.refusal)) && <button disabled={open.isBusy} onClick={() => void open.run(link.refreshToken)}>{t.signIn.linkSubmit}</button>}
        {link.is === "reset" && !isResetting && <button onClick={() => setResetting(true)}>{t.signIn.resetTitle}</button>}
        <button className={isResetting ? undefined : "primary"} disabled={open.isBusy} onClick={endLink}>{t.signIn.stay}</button>
      </div>
    </main>
  );
}
