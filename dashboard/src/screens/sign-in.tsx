// Signing in: password, passkey, link, code, second factor, and what the link of a mail leads back with.

import { useEffect, useState, type ReactNode } from "react";
import * as accounts from "../accounts";
import { Refusal } from "../gateway";
import { useAction } from "../hooks";
import { hasPasskeys } from "../passkeys";
import { Choice, Field, Form } from "../parts/form";
import { ErrorNote, Skeleton } from "../parts/states";
import { enter, type SignInAnswer } from "../session";
import { LANGUAGES, t, type Language } from "../text";

type Step =
  | { is: "begin"; note?: string; fault?: string }
  | { is: "code"; email: string }
  | { is: "second"; ticket: string; hasKey: boolean }
  | { is: "reset"; ticket: string }
  | { is: "opening"; refreshToken: string };

/** What the address has behind its `?`, which is taken out of it at once. */
function arrival(): Step {
  const found = Object.fromEntries(new URLSearchParams(location.search));
  if (location.search) history.replaceState(null, "", location.pathname + location.hash);
  if (found.error) return { is: "begin", fault: t.signIn.linkFailed };
  if (found.refreshToken) return { is: "opening", refreshToken: found.refreshToken };
  if (found.ticket) return { is: "reset", ticket: found.ticket };
  return { is: "begin" };
}

/** Where somebody comes from with a link, so that a second rendering does not lose it. */
const arrived = { step: null as Step | null };

export function SignIn({ expired, language, onLanguage }: { expired: boolean; language: Language; onLanguage: (next: Language) => void }) {
  arrived.step ??= arrival();
  const [step, setStep] = useState<Step>(arrived.step);
  const [email, setEmail] = useState("");
  useEffect(() => {
    arrived.step = { is: "begin" };
    document.title = `${t.signIn.title} – ${t.product}`;
  }, []);

  /** Goes on after a first factor. */
  function answered({ session, mfa }: SignInAnswer) {
    if (session) enter(session);
    else if (mfa) setStep({ is: "second", ticket: mfa.ticket, hasKey: mfa.methods?.includes("webauthn") ?? false });
  }
  const begin = (note?: string) => setStep({ is: "begin", note });

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
          <Form className="stack" submit={t.save} act={async ({ password }) => { await accounts.resetPassword(step.ticket, password!); begin(t.signIn.resetDone); }}>
            <Field name="password" type="password" label={t.signIn.newPassword} hint={t.signIn.newPasswordHint} required minLength={10} autoFocus autoComplete="new-password" />
          </Form>
        </Step>
      )}
      {step.is === "opening" && <Opening refreshToken={step.refreshToken} onFault={(fault) => setStep({ is: "begin", fault })} />}
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
        {accounts.PROVIDERS.map((name) => <a key={name} className="button" href={accounts.providerAddress(name)}>{t.signIn.provider(PROVIDER_NAMES[name] ?? name)}</a>)}
        {hasPasskeys() && <button disabled={action.isBusy} onClick={() => void action.run(async () => onAnswer(await accounts.signInWithPasskey()))}>{t.signIn.passkey}</button>}
        <button disabled={action.isBusy} onClick={() => withEmail(async () => { await accounts.mailLink(email); onNote(t.signIn.linkSent(email)); })}>{t.signIn.link}</button>
        <button disabled={action.isBusy} onClick={() => withEmail(async () => { await accounts.mailCode(email); onCode(); })}>{t.signIn.code}</button>
        <button className="link" disabled={action.isBusy} onClick={() => withEmail(async () => { await accounts.mailReset(email); onNote(t.signIn.resetSent(email)); })}>{t.signIn.forgotten}</button>
      </div>
    </>
  );
}

/** Opens the session of a link. */
function Opening({ refreshToken, onFault }: { refreshToken: string; onFault: (text: string) => void }) {
  useEffect(() => {
    accounts.signInWithLink(refreshToken).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      onFault(error.kind === "offline" || error.kind === "server" ? t.refusals[error.kind] : t.signIn.linkFailed);
    });
  }, []);
  return (
    <>
      <h1>{t.signIn.opening}</h1>
      <Skeleton lines={2} />
    </>
  );
}
