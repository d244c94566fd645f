// The list of requests: live, with views, filters and search in the address, and changes of several at once.

import { useEffect, useRef, useState } from "react";
import { announce } from "../announce";
import { change } from "../api";
import { useDesk } from "../desk";
import { VIEWS, viewFilter, type View } from "../filters";
import { date, dateTime } from "../format";
import { AssignRequests, CountRequests, LiveRequests, SetRequestsStatus, type LiveRequestsSubscription, type RightsRequestWorkflows_Order_By } from "../generated/user";
import { optimistic, useAction, useDelayed, useLive, useQuery } from "../hooks";
import { Choice, Field } from "../parts/form";
import { Page } from "../parts/page";
import { Due, LiveMark, Status, personName } from "../parts/request-bits";
import { Badge, Content, Empty, ErrorNote } from "../parts/states";
import { CsvButton, Pager, Table, type Column } from "../parts/table";
import { href, setQuery } from "../route";
import { useAssignees } from "../team-members";
import { t } from "../text";
import { NewRequest } from "./new-request";

type Row = LiveRequestsSubscription["rightsRequestWorkflows"][number];

const SIZE = 50;
/** How many requests one call may assign, and begin. */
const MOST_ASSIGNED = 20;
const MOST_BEGUN = 10;

export function Requests({ query }: { query: Record<string, string> }) {
  const { controller, user, canEdit } = useDesk();
  const members = useAssignees();
  const view: View = VIEWS.find((one) => one === query.view) ?? "open";
  const page = Math.max(1, Number(query.page) || 1);
  const search = useDelayed(query.q ?? "");
  const where = viewFilter(view, controller, user.id, { type: query.type, assignee: query.to, search });
  const byReceipt: RightsRequestWorkflows_Order_By = { request: { createdAt: "desc" } };
  const isByReceipt = (query.sort ?? (view === "closed" || view === "all" ? "received" : "due")) === "received";
  const orderBy = [isByReceipt ? byReceipt : ({ dueAt: "asc" } as const), { id: "asc" } as const];
  const live = useLive(LiveRequests, { where, orderBy, limit: SIZE, offset: (page - 1) * SIZE });
  const count = useQuery(CountRequests, { where }, JSON.stringify(live.data));
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [isEntering, enter] = useState(false);
  const rows = live.data?.rightsRequestWorkflows.filter(({ request }) => request) ?? [];
  useEffect(() => choose(new Set()), [view, page, query.type, query.to, search]);
  useArrivals(live.data && rows.map(({ id }) => id), JSON.stringify([where, orderBy, page]));

  const columns: Column<Row>[] = [
    {
      title: t.requests.type, isHead: true, csv: ({ request }) => t.requestTypes[request!.requestType] ?? request!.requestType,
      cell: ({ request }) => <a href={href([controller, "requests", request!.id])}>{t.requestTypes[request!.requestType]}</a>,
    },
    { title: t.personLabel, csv: ({ dataSubject }) => personName(dataSubject), cell: ({ dataSubject }) => <span className="cut">{personName(dataSubject)}</span> },
    { title: t.people.email, className: "wide-only", csv: ({ dataSubject }) => dataSubject?.email ?? "", cell: ({ dataSubject }) => <span className="cut soft">{dataSubject?.displayName ? dataSubject.email ?? t.none : t.none}</span> },
    { title: t.requests.status, csv: ({ request }) => t.statuses[request!.status] ?? request!.status, cell: ({ request }) => <Status status={request!.status} /> },
    {
      title: t.requests.identity, csv: ({ request }) => (request!.verified ? t.requests.verified : t.requests.unverified),
      cell: ({ request, state }) => (request!.verified ? t.requests.verified : state === "closed" ? t.none : <Badge kind="warn">{t.requests.unverified}</Badge>),
    },
    { title: t.requests.assignee, csv: ({ assignee }) => assignee?.displayName ?? "", cell: ({ assignee }) => assignee?.displayName ?? <span className="soft">{t.requests.nobody}</span> },
    { title: t.requests.received, csv: ({ request }) => dateTime(request!.createdAt), cell: ({ request }) => date(request!.createdAt) },
    view === "closed"
      ? { title: t.requests.closed, csv: ({ request }) => dateTime(request!.closedAt), cell: ({ request }) => date(request!.closedAt) }
      : { title: t.requests.due, csv: ({ dueAt }) => dateTime(dueAt), cell: (row) => <Due row={row} /> },
  ];

  return (
    <Page
      title={t.requests.title} id="requests"
      actions={<>
        <LiveMark isConnected={live.isConnected} />
        <CsvButton name="requests" columns={columns} rows={rows} />
        {canEdit && <button className="primary" onClick={() => enter(true)}>{t.requests.new}</button>}
      </>}
    >
      <nav className="tabs" aria-label={t.requests.view}>
        {VIEWS.map((one) => (
          <a key={one} aria-current={one === view ? "page" : undefined} href={href([controller, "requests"], { view: one === "open" ? undefined : one, q: query.q, type: query.type, to: query.to })}>{t.requests.views[one]}</a>
        ))}
      </nav>
      <div className="filters" role="search">
        <Field type="search" label={t.search} placeholder={t.requests.searchHint} value={query.q ?? ""} onChange={(event) => setQuery({ q: event.target.value, page: undefined })} />
        <Choice label={t.requests.type} value={query.type ?? ""} onChange={(event) => setQuery({ type: event.target.value, page: undefined })} options={[["", t.all], ...Object.entries(t.requestTypes)]} />
        <Choice label={t.requests.assignee} value={query.to ?? ""} onChange={(event) => setQuery({ to: event.target.value, page: undefined })} options={[["", t.all], ["nobody", t.requests.nobody], ...members.map(({ id, name }) => [id, name] as const)]} />
        <Choice label={t.requests.sort} value={isByReceipt ? "received" : "due"} onChange={(event) => setQuery({ sort: event.target.value })} options={[["due", t.requests.sortDue], ["received", t.requests.sortReceived]]} />
      </div>
      {canEdit && chosen.size > 0 && <Bulk rows={rows.filter(({ id }) => chosen.has(id))} members={members} patch={live.patch} onDone={() => choose(new Set())} />}
      <Content of={live} lines={10}>
        {() => rows.length === 0 ? <Empty title={t.requests.empty} hint={t.requests.emptyHint} /> : (
          <Table caption={t.requests.title} columns={columns} rows={rows} selection={canEdit && view !== "closed" ? { ids: chosen, set: choose } : undefined} nameOf={({ request, dataSubject }) => `${t.requestTypes[request!.requestType]}, ${personName(dataSubject)}`} />
        )}
      </Content>
      {live.data && count.data && <Pager page={page} size={SIZE} total={count.data.rightsRequestWorkflowsAggregate.aggregate?.count ?? 0} onPage={(next) => setQuery({ page: next === 1 ? undefined : String(next) })} />}
      {isEntering && <NewRequest onClose={() => enter(false)} />}
    </Page>
  );
}

/** Says when requests come into the list while somebody looks at it; others come with another filter. */
function useArrivals(ids: string[] | undefined, list: string) {
  const before = useRef({ list: "", ids: new Set<string>() });
  useEffect(() => {
    if (!ids) return;
    const known = before.current;
    const arrived = known.list === list ? ids.filter((id) => !known.ids.has(id)).length : 0;
    before.current = { list, ids: new Set(ids) };
    if (arrived > 0) announce(t.requests.arrived(arrived));
  }, [ids?.join(), list]);
}

/** What is done to several requests at once. It shows at once, and is taken back if the gateway refuses it. */
function Bulk({ rows, members, patch, onDone }: {
  rows: Row[]; members: { id: string; name: string }[];
  patch: (change: (before: LiveRequestsSubscription) => LiveRequestsSubscription) => () => void;
  onDone: () => void;
}) {
  const ids = new Set(rows.map(({ id }) => id));
  const patchRows = (edit: (row: Row) => Row) =>
    patch(({ rightsRequestWorkflows }) => ({ rightsRequestWorkflows: rightsRequestWorkflows.map((row) => (ids.has(row.id) ? edit(row) : row)) }));
  const open = rows.filter(({ request }) => ["submitted", "pending"].includes(request!.status));

  const assign = useAction(async (to: string) => {
    const member = members.find(({ id }) => id === to);
    const assignee = member ? { id: member.id, displayName: member.name } : null;
    const undo = patchRows((row) => ({ ...row, assignedTo: member?.id ?? null, assignee }));
    await optimistic(undo, change(AssignRequests, { ids: rows.map(({ id }) => id), to: member?.id ?? null }));
    announce(t.requests.done(rows.length));
    onDone();
  });
  const begin = useAction(async () => {
    const undo = patchRows((row) => (open.includes(row) ? { ...row, request: { ...row.request!, status: "in_progress" } } : row));
    await optimistic(undo, change(SetRequestsStatus, { ids: open.map(({ request }) => request!.id), status: "in_progress" }));
    announce(t.requests.done(open.length));
    onDone();
  });
  return (
    <div className="bulk" role="group" aria-label={t.selected(rows.length)}>
      <span className="strong">{t.selected(rows.length)}</span>
      <select aria-label={t.requests.assignTo} value="" disabled={assign.isBusy || rows.length > MOST_ASSIGNED} onChange={(event) => void assign.run(event.target.value)}>
        <option value="" disabled>{t.requests.assignTo}…</option>
        <option value="nobody">{t.requests.nobody}</option>
        {members.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
      </select>
      <button disabled={begin.isBusy || open.length === 0 || open.length > MOST_BEGUN} onClick={() => void begin.run()}>{t.requests.begin}</button>
      {(rows.length > MOST_ASSIGNED || open.length > MOST_BEGUN) && <small>{t.requests.atMost(open.length > MOST_BEGUN ? MOST_BEGUN : MOST_ASSIGNED)}</small>}
      <ErrorNote refusal={assign.refusal ?? begin.refusal} />
    </div>
  );
}
