// What happened with the access of the team's members, for Administrators.

import { useDesk } from "../desk";
import { dateTime } from "../format";
import { TeamEvents, type TeamEventsQuery } from "../generated/user";
import { useQuery } from "../hooks";
import { Choice } from "../parts/form";
import { Page } from "../parts/page";
import { personName } from "../parts/request-bits";
import { Badge, Content, Empty } from "../parts/states";
import { CsvButton, Table, type Column } from "../parts/table";
import { setQuery } from "../route";
import { t } from "../text";

type Row = TeamEventsQuery["teamAuthenticationEvents"][number] & { id: string };

export const eventName = (event: string | null) => t.audit.events[event ?? ""] ?? event ?? t.none;

/** Whether an event went well; the gateway's word for that is `ok` or `success`. */
export const wentWell = (outcome: string | null) => ["ok", "success", "succeeded", "accepted"].includes(outcome ?? "");

export function Outcome({ outcome }: { outcome: string | null }) {
  return wentWell(outcome) ? <Badge kind="good">{t.audit.ok}</Badge> : <Badge kind="bad">{t.audit.refusedOutcome}</Badge>;
}

export const methodName = (method: string | null) => t.account.methodNames[method ?? ""] ?? method ?? t.none;

export function Audit({ query }: { query: Record<string, string> }) {
  const { controller } = useDesk();
  const events = useQuery(TeamEvents, { controller, limit: 500 });
  const all = (events.data?.teamAuthenticationEvents ?? []).map((row, index) => ({ ...row, id: String(row.id ?? index) })) as Row[];
  // Sessions are renewed each hour, which nobody looks for unless asked.
  const rows = all.filter(({ event }) => (query.event ? event === query.event : event !== "refresh"));
  const who = (row: Row) => row.user?.displayName ?? (row.dataSubject ? personName(row.dataSubject) : t.none);
  const columns: Column<Row>[] = [
    { title: t.audit.when, isHead: true, csv: ({ at }) => at ?? "", cell: ({ at }) => dateTime(at) },
    { title: t.audit.event, csv: ({ event }) => eventName(event), cell: ({ event }) => eventName(event) },
    { title: t.audit.who, csv: who, cell: who },
    { title: t.audit.outcome, csv: ({ outcome }) => (wentWell(outcome) ? t.audit.ok : t.audit.refusedOutcome), cell: ({ outcome }) => <Outcome outcome={outcome} /> },
    { title: t.audit.method, csv: ({ method }) => methodName(method), cell: ({ method }) => methodName(method) },
    { title: t.audit.reason, csv: ({ reason }) => reason ?? "", cell: ({ reason }) => <span className="break">{reason ?? t.none}</span> },
  ];
  const kinds = [...new Set(all.map(({ event }) => event ?? ""))].sort();
  return (
    <Page title={t.audit.title} id="audit" actions={<CsvButton name="audit" columns={columns} rows={rows} />}>
      <p className="soft">{t.audit.hint}</p>
      <div className="filters">
        <Choice label={t.audit.event} value={query.event ?? ""} onChange={(event) => setQuery({ event: event.target.value })} options={[["", t.audit.filterEvent], ...kinds.map((kind) => [kind, eventName(kind)] as const)]} />
      </div>
      <Content of={events} lines={10}>{() => (rows.length === 0 ? <Empty title={t.audit.empty} /> : <Table caption={t.audit.title} columns={columns} rows={rows} />)}</Content>
    </Page>
  );
}
