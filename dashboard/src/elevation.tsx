// Showing a factor again, when the gateway asks for it before a change of credentials.

import { useEffect, useState } from "react";
import * as accounts from "./accounts";
import { Refusal } from "./gateway";
import { useAction } from "./hooks";
import { hasPasskeys } from "./passkeys";
import { Dialog, Field, Form } from "./parts/form";
import { ErrorNote, Skeleton } from "./parts/states";
import { t } from "./text";

let ask: (() => Promise<boolean>) | null = null;

/** Does something, and once more after a factor was shown if the gateway asks for that. */
export async function elevating<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "elevation" || !ask || !(await ask())) throw error;
    return act();
  }
}

/** The dialog that asks. */
export function Elevation() {
  const [settle, setSettle] = useState<{ done: (isElevated: boolean) => void } | null>(null);
  useEffect(() => {
    ask = () => new Promise((done) => setSettle({ done }));
    return () => void (ask = null);
  }, []);
  if (!settle) return null;
  const end = (isElevated: boolean) => {
    settle.done(isElevated);
    setSettle(null);
  };
  return <Dialog title={t.account.elevateTitle} onClose={() => end(false)}><Factors onDone={() => end(true)} /></Dialog>;
}

function Factors({ onDone }: { onDone: () => void }) {
  const [methods, setMethods] = useState<string[]>();
  const [isMailed, setMailed] = useState(false);
  const load = useAction(async () => setMethods(await accounts.elevationMethods()));
  const mail = useAction(async () => {
    await accounts.mailElevationCode();
    setMailed(true);
  });
  const key = useAction(async () => {
    await accounts.elevateWithKey();
    onDone();
  });
  useEffect(() => void load.run(), []);
  if (!methods) return load.refusal ? <ErrorNote refusal={load.refusal} /> : <Skeleton lines={2} />;
  const hasCode = methods.includes("totp") || methods.includes("recovery-code");
  return (
    <>
      <p>{t.account.elevateHint}</p>
      {methods.includes("webauthn") && hasPasskeys() && <button className="primary" disabled={key.isBusy} onClick={() => void key.run()}>{t.account.elevateKey}</button>}
      <ErrorNote refusal={key.refusal} />
      {hasCode && (
        <Form submit={t.account.elevateSubmit} act={({ otp }) => accounts.elevateWithCode(otp!)} onDone={onDone}>
          <Field name="otp" label={t.account.elevateTotp} required autoFocus autoComplete="one-time-code" inputMode="text" />
        </Form>
      )}
      {methods.includes("email") && !isMailed && <button disabled={mail.isBusy} onClick={() => void mail.run()}>{t.account.elevateMail}</button>}
      <ErrorNote refusal={mail.refusal} />
      {isMailed && (
        <Form submit={t.account.elevateSubmit} act={({ otp }) => accounts.elevateWithMail(otp!)} onDone={onDone}>
          <Field name="otp" label={t.account.codeFromMail} required autoFocus autoComplete="one-time-code" inputMode="numeric" />
        </Form>
      )}
    </>
  );
}
