// What stands where content is missing: it loads, it is refused, there is none.

import { useState, type ReactNode } from "react";
import type { Refusal } from "../gateway";
import { refusalText } from "../refusal";
import { t } from "../text";

/** Grey lines, which appear only if the content takes longer than a moment. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div className="skeleton" role="status">
      <span className="unseen">{t.loading}</span>
      {Array.from({ length: lines }, (_, index) => <div key={index} aria-hidden="true" />)}
    </div>
  );
}

export function ErrorNote({ refusal }: { refusal?: Refusal }) {
  return <div role="alert">{refusal && <p className="note bad">{refusalText(refusal)}</p>}</div>;
}

export function RefusedContent({ refusal, reload }: { refusal: Refusal; reload?: () => void }) {
  return (
    <div className="note bad block" role="alert">
      <p>{refusalText(refusal)}</p>
      {reload && <button onClick={reload}>{t.retry}</button>}
    </div>
  );
}

export function Empty({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="strong">{title}</p>
      {hint && <p>{hint}</p>}
      {children}
    </div>
  );
}

/** The content of something loaded, or why there is none. */
export function Content<Data>({ of, lines, children }: { of: { data?: Data; refusal?: Refusal; reload?: () => void }; lines?: number; children: (data: Data) => ReactNode }) {
  if (of.data !== undefined) return <>{of.refusal && <ErrorNote refusal={of.refusal} />}{children(of.data)}</>;
  if (of.refusal) return <RefusedContent refusal={of.refusal} reload={of.reload} />;
  return <Skeleton lines={lines} />;
}

export function Badge({ kind = "plain", children }: { kind?: "plain" | "good" | "bad" | "warn" | "info"; children: ReactNode }) {
  return <span className={`badge ${kind}`}>{children}</span>;
}

/** A secret that is shown once, with a button that copies it. */
export function Secret({ label, value }: { label: string; value: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div className="secret">
      <label>
        <span>{label}</span>
        <input readOnly value={value} onFocus={(event) => event.target.select()} />
      </label>
      <button type="button" onClick={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}>{copied ? t.copied : t.copy}</button>
    </div>
  );
}
