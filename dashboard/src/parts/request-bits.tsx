// Small parts that requests are shown with, in lists and in their file.

import { date, daysUntil } from "../format";
import { t } from "../text";
import { Badge } from "./states";

export function personName(person: { displayName: string | null; email: string | null } | null | undefined): string {
  return person?.displayName || person?.email || t.unnamed;
}

const KINDS: Record<string, "plain" | "good" | "bad" | "warn" | "info"> = { submitted: "info", pending: "info", in_progress: "warn", completed: "good", rejected: "bad", withdrawn: "plain" };

export function Status({ status }: { status: string }) {
  return <Badge kind={KINDS[status]}>{t.statuses[status] ?? status}</Badge>;
}

interface Deadline {
  state: string;
  dueAt: string;
  isOverdue: boolean | null;
  extendedAt: string | null;
}

/** When an answer is due, and how near that is. */
export function Due({ row: { state, dueAt, isOverdue, extendedAt } }: { row: Deadline }) {
  const days = daysUntil(dueAt);
  return (
    <span className="due">
      <span>{date(dueAt)}</span>
      {state !== "closed" && isOverdue && <Badge kind="bad">{t.requests.overdueSince(Math.max(1, -days))}</Badge>}
      {state !== "closed" && !isOverdue && <small className={days <= 7 ? "soon" : "soft"}>{t.requests.dueIn(Math.max(0, days))}</small>}
      {state === "closed" && isOverdue && <small className="soft">{t.overview.late}</small>}
      {extendedAt && <small className="soft">{t.requests.extended}</small>}
    </span>
  );
}

/** Whether a live list follows, in words too. */
export function LiveMark({ isConnected }: { isConnected: boolean }) {
  return <span className={`live${isConnected ? "" : " lost"}`} role="status">{isConnected ? t.live : t.liveLost}</span>;
}
