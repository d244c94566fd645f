// Forms: fields with their label, hint and fault, a form that says what went wrong, and dialogs.

import { useEffect, useId, useRef, useState, type FormEvent, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes } from "react";
import { useAction } from "../hooks";
import { t } from "../text";
import { ErrorNote } from "./states";

interface FieldFacts {
  label: string;
  hint?: string;
}

function Labelled({ label, hint, children }: FieldFacts & { children: (id: string, hintId?: string) => ReactNode }) {
  const id = useId();
  const hintId = hint ? `${id}-hint` : undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id, hintId)}
      {hint && <small id={hintId}>{hint}</small>}
    </div>
  );
}

export function Field({ label, hint, ...rest }: FieldFacts & InputHTMLAttributes<HTMLInputElement>) {
  return <Labelled label={label} hint={hint}>{(id, hintId) => <input id={id} aria-describedby={hintId} {...rest} />}</Labelled>;
}

export function Area({ label, hint, ...rest }: FieldFacts & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <Labelled label={label} hint={hint}>{(id, hintId) => <textarea id={id} aria-describedby={hintId} rows={4} {...rest} />}</Labelled>;
}

export function Choice({ label, hint, options, ...rest }: FieldFacts & { options: readonly (readonly [value: string, name: string])[] } & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <Labelled label={label} hint={hint}>
      {(id, hintId) => (
        <select id={id} aria-describedby={hintId} {...rest}>
          {options.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
        </select>
      )}
    </Labelled>
  );
}

export function Check({ label, ...rest }: { label: string } & InputHTMLAttributes<HTMLInputElement>) {
  return <label className="check"><input type="checkbox" {...rest} /> <span>{label}</span></label>;
}

/** The values of a form by the names of its fields; texts without blanks around them. */
export type Values = Record<string, string>;

/** A form whose fields have names. While it runs it is not sent twice; what is refused stands above its buttons. */
export function Form({ act, submit, children, danger, onCancel, onDone, className }: {
  act: (values: Values, form: HTMLFormElement) => Promise<unknown>;
  submit: string;
  children?: ReactNode;
  danger?: boolean;
  onCancel?: () => void;
  onDone?: () => void;
  className?: string;
}) {
  const action = useAction(act);
  async function submitted(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const entries = [...new FormData(form)].map(([name, value]) => [name, typeof value === "string" ? value.trim() : ""]);
    if (await action.run(Object.fromEntries(entries) as Values, form)) onDone?.();
  }
  return (
    <form className={className} onSubmit={(event) => void submitted(event)}>
      {children}
      <ErrorNote refusal={action.refusal} />
      <div className="buttons">
        <button className={danger ? "danger" : "primary"} disabled={action.isBusy}>{submit}</button>
        {onCancel && <button type="button" onClick={onCancel}>{t.cancel}</button>}
      </div>
    </form>
  );
}

/** A dialog over the page, as long as it is rendered. The browser keeps the focus inside, and gives it back. */
export function Dialog({ title, onClose, children, wide }: { title: string; onClose: () => void; children: ReactNode; wide?: boolean }) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={ref} aria-labelledby={id} className={wide ? "wide" : undefined} onCancel={(event) => { event.preventDefault(); onClose(); }}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" className="quiet" aria-label={t.close} onClick={onClose}>✕</button>
      </header>
      {children}
    </dialog>
  );
}

/** A button that asks before it acts. */
export function Confirmed({ label, question, act, onDone, danger = true, className, describe }: {
  label: string; question: string; act: () => Promise<unknown>; onDone?: () => void; danger?: boolean; className?: string; describe?: string;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={className} aria-label={describe && `${label}: ${describe}`} onClick={() => setOpen(true)}>{label}</button>
      {isOpen && (
        <Dialog title={label} onClose={() => setOpen(false)}>
          <Form act={act} submit={label} danger={danger} onCancel={() => setOpen(false)} onDone={() => { setOpen(false); onDone?.(); }}>
            <p>{question}</p>
          </Form>
        </Dialog>
      )}
    </>
  );
}

/** A button that acts at once; a refusal stands beside it. */
export function Act({ label, act, onDone, className, describe, disabled }: { label: string; act: () => Promise<unknown>; onDone?: () => void; className?: string; describe?: string; disabled?: boolean }) {
  const action = useAction(act);
  return (
    <>
      <button type="button" className={className} aria-label={describe && `${label}: ${describe}`} disabled={action.isBusy || disabled} onClick={() => void action.run().then((done) => done && onDone?.())}>{label}</button>
      <ErrorNote refusal={action.refusal} />
    </>
  );
}
