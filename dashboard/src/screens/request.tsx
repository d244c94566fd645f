// The file of a request: who asks and what for, the identity, the steps, the answer. It is live, so two colleagues see the same.

import { useEffect, useRef, useState } from "react";
import { announce } from "../announce";
import { ask, change } from "../api";
import { save, saveCsv } from "../csv";
import { useDesk } from "../desk";
import { date, dateTime } from "../format";
import { Refusal } from "../gateway";
import {
  AttachDocument, ExportPerson, LiveRequest, RemoveDocument, RequestChanges, RequestDocument, RequestMessages, RunErasure, SendMessage, SetTaskState,
  UpdateRequest, UpdateWorkflow, type LiveRequestSubscription,
} from "../generated/user";
import { optimistic, useAction, useLive, useQuery, type Live } from "../hooks";
import { Act, Area, Choice, Confirmed, Dialog, Field, Form } from "../parts/form";
import { Facts, Page, Prose, Section } from "../parts/page";
import { Due, LiveMark, Status, personName } from "../parts/request-bits";
import { Badge, Empty, ErrorNote, RefusedContent, Skeleton } from "../parts/states";
import { href } from "../route";
import { useAssignees } from "../team-members";
import { labelOf, t } from "../text";
import { IdentityHints } from "./new-request";

type File = NonNullable<LiveRequestSubscription["dataSubjectsRightsRequest"]>;
type Workflow = NonNullable<File["workflow"]>;
type Task = Workflow["tasks"][number];

export function Request({ id }: { id: string }) {
  const { controller } = useDesk();
  const live = useLive(LiveRequest, { id });
  const file = live.data?.dataSubjectsRightsRequest;
  const title = file ? t.request.title(t.requestTypes[file.requestType] ?? file.requestType) : t.request.file;
  return (
    <Page
      title={title} id={id}
      above={<a className="back" href={href([controller, "requests"])}>← {t.requests.title}</a>}
      actions={<>
        <LiveMark isConnected={live.isConnected} />
        <button disabled={!file} onClick={() => window.print()}>{t.print}</button>
      </>}
    >
      {live.refusal ? <RefusedContent refusal={live.refusal} />
        : live.data === undefined ? <Skeleton lines={10} />
        : !file ? <Empty title={t.refusals["not-found"]} />
        : <FileOf file={file} live={live} />}
    </Page>
  );
}

/** A file whose workflow is changed at once, before the gateway has made the change. */
function patchWorkflow(live: Live<LiveRequestSubscription>, edit: (workflow: Workflow) => Workflow): () => void {
  return live.patch((before) => {
    const file = before.dataSubjectsRightsRequest;
    return file?.workflow ? { dataSubjectsRightsRequest: { ...file, workflow: edit(file.workflow) } } : before;
  });
}

/** On paper everything stands open, the messages too. */
function printWhole() {
  let opened: HTMLDetailsElement[] = [];
  const open = () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>(".file details:not([open])")];
    for (const one of opened) one.open = true;
  };
  const close = () => {
    for (const one of opened) one.open = false;
  };
  window.addEventListener("beforeprint", open);
  window.addEventListener("afterprint", close);
  return () => {
    window.removeEventListener("beforeprint", open);
    window.removeEventListener("afterprint", close);
  };
}

function FileOf({ file, live }: { file: File; live: Live<LiveRequestSubscription> }) {
  const { controller, controllerTitle, canEdit } = useDesk();
  const isOpen = file.closedAt === null;
  useEffect(printWhole, []);
  const mayWrite = canEdit && isOpen;
  const { workflow } = file;
  return (
    <div className="columns file">
      <p className="print-only">{controllerTitle} · {t.request.printTitle} {file.id} · {dateTime(new Date().toISOString())}</p>
      <div>
        <Section title={t.request.file}>
          <Facts of={[
            [t.requests.status, <Status key="status" status={file.status} />],
            [t.personLabel, <a key="person" href={href([controller, "people", file.dataSubject!.id])}>{personName(file.dataSubject)}</a>],
            [t.people.email, file.dataSubject?.email ?? t.none],
            file.contactEmail !== null && [t.request.contact, <>{file.contactEmail} {!file.contactVerifiedAt && <Badge kind="warn">{t.request.contactOpen}</Badge>}</>],
            [t.requests.channel, t.channels[file.channel] ?? file.channel],
            [t.request.received, dateTime(file.createdAt)],
            workflow !== null && [t.request.deadline, <Due key="due" row={workflow} />],
            Boolean(workflow?.extensionReason) && [t.request.extendedBecause, workflow!.extensionReason],
          ]} />
          {workflow && <Assignment workflow={workflow} live={live} mayWrite={mayWrite} />}
          {mayWrite && workflow && !workflow.extendedAt && !workflow.isOverdue && <Extension workflow={workflow} />}
        </Section>
      </div>
      <div className="main">
        <Section title={t.request.words} actions={mayWrite && ["submitted", "pending"].includes(file.status) && (
          <Act className="primary" label={t.request.begin} act={() => change(UpdateRequest, { id: file.id, set: { status: "in_progress" } })} onDone={() => announce(t.request.began)} />
        )}>
          {file.description ? <Prose text={file.description} /> : <p className="soft">{t.request.noWords}</p>}
        </Section>
        <Identity file={file} mayWrite={mayWrite} />
        <Section title={t.request.steps}>
          {workflow ? <ol className="steps">{workflow.tasks.map((task) => <Step key={task.id} task={task} live={live} mayWrite={mayWrite} />)}</ol> : <p className="soft">{t.request.notStarted}</p>}
        </Section>
        {["erasure", "deletion"].includes(file.requestType) && <Erasure file={file} mayWrite={mayWrite} />}
        <Documents file={file} mayWrite={mayWrite} />
        <Answer file={file} mayWrite={mayWrite} />
      </div>
      <div>
        <Messages file={file} />
        <History file={file} />
      </div>
    </div>
  );
}

function Assignment({ workflow, live, mayWrite }: { workflow: Workflow; live: Live<LiveRequestSubscription>; mayWrite: boolean }) {
  const members = useAssignees();
  const assign = useAction(async (to: string) => {
    const member = members.find(({ id }) => id === to);
    const assignee = member ? { id: member.id, displayName: member.name } : null;
    const undo = patchWorkflow(live, (before) => ({ ...before, assignedTo: member?.id ?? null, assignee }));
    await optimistic(undo, change(UpdateWorkflow, { id: workflow.id, set: { assignedTo: member?.id ?? null } }));
  });
  if (!mayWrite) return <Facts of={[[t.request.assign, workflow.assignee?.displayName ?? t.requests.nobody]]} />;
  const known = members.some(({ id }) => id === workflow.assignedTo);
  return (
    <>
      <Choice
        label={t.request.assign} value={workflow.assignedTo ?? ""} disabled={assign.isBusy} onChange={(event) => void assign.run(event.target.value)}
        options={[["", t.requests.nobody], ...(known || !workflow.assignedTo ? [] : [[workflow.assignedTo, workflow.assignee?.displayName ?? t.unnamed] as const]), ...members.map(({ id, name }) => [id, name] as const)]}
      />
      <ErrorNote refusal={assign.refusal} />
    </>
  );
}

function Extension({ workflow }: { workflow: Workflow }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button onClick={() => setOpen(true)}>{t.request.extend}</button>
      {isOpen && (
        <Dialog title={t.request.extend} onClose={() => setOpen(false)}>
          <Form submit={t.request.extend} act={({ reason }) => change(UpdateWorkflow, { id: workflow.id, set: { extensionReason: reason } })} onCancel={() => setOpen(false)} onDone={() => { setOpen(false); announce(t.saved); }}>
            <p>{t.request.extendHint}</p>
            <Area name="reason" label={t.request.reason} required maxLength={1000} autoFocus />
          </Form>
        </Dialog>
      )}
    </>
  );
}

function Identity({ file, mayWrite }: { file: File; mayWrite: boolean }) {
  return (
    <Section title={t.request.identity}>
      {file.verified
        ? <p><Badge kind="good">{t.requests.verified}</Badge> {t.request.identityChecked(date(file.verifiedAt), file.verifier?.displayName ?? null)}</p>
        : <p><Badge kind={mayWrite ? "warn" : "plain"}>{t.request.identityOpen}</Badge></p>}
      {file.identityEvidence && <p className="soft">{file.identityEvidence}</p>}
      {mayWrite && !file.verified && (
        <Form className="inline" submit={t.request.check} act={({ evidence }) => change(UpdateRequest, { id: file.id, set: { verified: true, identityEvidence: evidence } })} onDone={() => announce(t.request.checked)}>
          <Field name="evidence" label={t.request.identityHow} required maxLength={500} list="identity-hints" autoComplete="off" />
          <IdentityHints />
        </Form>
      )}
    </Section>
  );
}

/** The service marks these itself, when what they stand for is done. */
const OWN_STEPS = ["identity", "erasure", "answer"];

function Step({ task, live, mayWrite }: { task: Task; live: Live<LiveRequestSubscription>; mayWrite: boolean }) {
  const title = labelOf(task.titles, task.code);
  const set = useAction(async (state: string) => {
    const undo = patchWorkflow(live, (before) => ({ ...before, tasks: before.tasks.map((one) => (one.id === task.id ? { ...one, state } : one)) }));
    await optimistic(undo, change(SetTaskState, { id: task.id, state }));
  });
  const button = (state: string, label: string) => <button type="button" disabled={set.isBusy} aria-label={`${label}: ${title}`} onClick={() => void set.run(state)}>{label}</button>;
  return (
    <li className={task.state}>
      <span className="what">
        <span className="strong">{title}</span>
        <small>{task.state === "open" ? t.request.stepDue(date(task.dueAt)) : `${task.state === "done" ? t.request.stepDone : t.request.stepSkipped} ${date(task.doneAt)} ${task.member ? t.by(task.member.displayName) : ""}`}</small>
      </span>
      {mayWrite && !OWN_STEPS.includes(task.code) && (
        <span className="buttons">
          {task.state === "open" ? <>{button("done", t.request.markDone)}{button("skipped", t.request.skip)}</> : button("open", t.request.reopen)}
        </span>
      )}
      <ErrorNote refusal={set.refusal} />
    </li>
  );
}

function Erasure({ file, mayWrite }: { file: File; mayWrite: boolean }) {
  return (
    <Section title={t.request.erasure}>
      {file.erasedAt ? <p><Badge kind="good">{t.request.erased(date(file.erasedAt))}</Badge></p> : <p className="soft">{t.request.erasureHint}</p>}
      {mayWrite && !file.erasedAt && (file.verified
        ? <Confirmed className="danger" label={t.request.runErasure} question={t.request.erasureConfirm} act={() => ask(RunErasure, { id: file.id })} onDone={() => announce(t.request.erased(date(new Date().toISOString())))} />
        : <p className="soft">{t.request.missing}{t.request.missingIdentity}.</p>)}
    </Section>
  );
}

const MEDIA: Record<string, string> = { txt: "text/plain", csv: "text/csv", json: "application/json" };
const EXTENSIONS: Record<string, string> = { "text/plain": "txt", "text/csv": "csv", "application/json": "json", "text/html": "html" };

function Documents({ file, mayWrite }: { file: File; mayWrite: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const attach = useAction(async (chosen: globalThis.File) => {
    const mediaType = MEDIA[chosen.name.split(".").at(-1)?.toLowerCase() ?? ""];
    if (!mediaType || chosen.size > 1_000_000 || chosen.size === 0) throw new Refusal("refused", "", t.request.attachWrong);
    await change(AttachDocument, { object: { dataSubjectRightsRequestId: file.id, title: chosen.name, mediaType, content: await chosen.text() } });
  });
  const download = useAction(async (id: string) => {
    const { rightsRequestDocument: found } = await ask(RequestDocument, { id });
    if (!found) throw new Refusal("not-found", "", "");
    const extension = `.${EXTENSIONS[found.mediaType]}`;
    save(found.title.endsWith(extension) ? found.title : `${found.title}${extension}`, found.mediaType, found.content);
  });
  return (
    <Section title={t.request.documents} actions={mayWrite && (
      <>
        <input ref={input} type="file" className="unseen" tabIndex={-1} aria-hidden="true" accept=".txt,.csv,.json" onChange={(event) => { const [chosen] = event.target.files ?? []; event.target.value = ""; if (chosen) void attach.run(chosen); }} />
        <button disabled={attach.isBusy} title={t.request.attachHint} onClick={() => input.current?.click()}>{t.request.attach}</button>
      </>
    )}>
      {file.documents.length === 0 && <p className="soft">{["access", "portability"].includes(file.requestType) && mayWrite ? t.request.noDocuments : t.request.documentsNone}</p>}
      {file.documents.length > 0 && (
        <ul className="list">
          {file.documents.map(({ id, title, createdAt, author }) => (
            <li key={id}>
              <span><span className="strong">{title}</span> <small>{date(createdAt)} {t.by(author?.displayName ?? t.service)}</small></span>
              <span className="buttons">
                <button aria-label={`${t.request.download}: ${title}`} disabled={download.isBusy} onClick={() => void download.run(id)}>{t.request.download}</button>
                {mayWrite && <Act label={t.remove} describe={title} act={() => change(RemoveDocument, { id })} />}
              </span>
            </li>
          ))}
        </ul>
      )}
      <ErrorNote refusal={attach.refusal ?? download.refusal} />
      <Export person={file.dataSubject!.id} />
    </Section>
  );
}

/** All that is held about a person, as a file. */
export function Export({ person }: { person: string }) {
  const load = useAction(async (form: "html" | "json" | "csv") => {
    const { exportDataSubjectData: { html, json } } = await ask(ExportPerson, { id: person });
    if (form === "html") save(`${person}.html`, "text/html", html);
    if (form === "json") save(`${person}.json`, "application/json", JSON.stringify(json, null, 2));
    if (form === "csv") saveCsv(`${person}.csv`, [["table", "row", "field", "value"], ...flatten(json)]);
  });
  return (
    <div className="row wrap no-print">
      <span className="soft">{t.request.export}</span>
      {([["html", t.request.exportHtml], ["json", t.request.exportJson], ["csv", t.request.exportCsv]] as const).map(([form, label]) => <button key={form} disabled={load.isBusy} onClick={() => void load.run(form)}>{label}</button>)}
      <ErrorNote refusal={load.refusal} />
    </div>
  );
}

/** The rows of an export, one line for each field. */
function flatten(json: unknown): string[][] {
  const records = (json as { records?: Record<string, unknown> }).records ?? {};
  return Object.entries(records).flatMap(([table, rows]) =>
    (Array.isArray(rows) ? rows : [rows]).flatMap((row: Record<string, unknown>, index) =>
      Object.entries(row ?? {}).map(([field, value]) => [table, String(index + 1), field, typeof value === "object" ? JSON.stringify(value) : String(value)])));
}

function Answer({ file, mayWrite }: { file: File; mayWrite: boolean }) {
  const [result, setResult] = useState<string>();
  const [asks, setAsks] = useState<"complete" | "reject" | null>(null);
  if (file.closedAt) {
    return (
      <Section title={t.request.answer}>
        <p><Status status={file.status} /> {t.request.closedOn(date(file.closedAt), file.closer?.displayName ?? null)}</p>
        {file.result && <Prose text={file.result} />}
        {file.rejectionReason && <Prose text={file.rejectionReason} />}
      </Section>
    );
  }
  if (!mayWrite) return null;
  // What the erasure has written stands there, unless somebody has begun to write.
  const text = result ?? file.result ?? "";
  const isErasure = ["erasure", "deletion"].includes(file.requestType);
  const missing = [
    !file.verified && t.request.missingIdentity,
    isErasure && !file.erasedAt && t.request.missingErasure,
    !text.trim() && file.documents.length === 0 && !["access", "portability"].includes(file.requestType) && t.request.missingResult,
  ].filter((one) => one !== false);
  return (
    <Section title={t.request.answer} className="no-print">
      <Area label={t.request.result} value={text} maxLength={20000} rows={5} onChange={(event) => setResult(event.target.value)} />
      {missing.length > 0 && <p className="note info">{t.request.missing}{missing.join(", ")}.</p>}
      <div className="buttons">
        <button className="primary" disabled={missing.length > 0} onClick={() => setAsks("complete")}>{t.request.complete}</button>
        <button onClick={() => setAsks("reject")}>{t.request.reject}</button>
      </div>
      {asks === "complete" && (
        <Dialog title={t.request.completeTitle} onClose={() => setAsks(null)}>
          <Form submit={t.request.complete} onCancel={() => setAsks(null)} act={() => change(UpdateRequest, { id: file.id, set: { status: "completed", ...(text.trim() ? { result: text.trim() } : {}) } })} onDone={() => { setAsks(null); announce(t.request.completed); }}>
            <p>{t.request.completeHint}</p>
          </Form>
        </Dialog>
      )}
      {asks === "reject" && (
        <Dialog title={t.request.rejectTitle} onClose={() => setAsks(null)}>
          <Form submit={t.request.reject} danger onCancel={() => setAsks(null)} act={({ reason }) => change(UpdateRequest, { id: file.id, set: { status: "rejected", rejectionReason: reason } })} onDone={() => { setAsks(null); announce(t.request.rejected); }}>
            <p>{t.request.rejectHint}</p>
            <Area name="reason" label={t.request.rejection} required maxLength={4000} autoFocus />
          </Form>
        </Dialog>
      )}
    </Section>
  );
}

function Messages({ file }: { file: File }) {
  const { canEdit } = useDesk();
  const messages = useQuery(RequestMessages, { person: file.dataSubject!.id, since: file.createdAt }, `${file.status} ${file.workflow?.extendedAt}`);
  const rows = messages.data?.notificationMessages;
  return (
    <Section title={t.request.messages} actions={canEdit && !file.erasedAt && <WriteMessage person={file.dataSubject!.id} onSent={messages.reload} />}>
      {rows?.length === 0 && <p className="soft">{t.request.noMessages}</p>}
      {!rows && !messages.refusal && <Skeleton lines={3} />}
      <ErrorNote refusal={messages.refusal} />
      <ul className="messages">
        {rows?.map(({ id, title, body, isRead, createdAt }) => (
          <li key={id}>
            <details>
              <summary><span className="strong">{title}</span> <small>{dateTime(createdAt)}{!isRead && ` · ${t.request.unread}`}</small></summary>
              <Prose text={body} />
            </details>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function WriteMessage({ person, onSent }: { person: string; onSent: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button onClick={() => setOpen(true)}>{t.request.message}</button>
      {isOpen && (
        <Dialog title={t.request.message} onClose={() => setOpen(false)}>
          <Form submit={t.request.send} act={({ title, body }) => change(SendMessage, { person, title: title!, body: body! })} onCancel={() => setOpen(false)} onDone={() => { setOpen(false); announce(t.request.sent); onSent(); }}>
            <Field name="title" label={t.request.messageTitle} required maxLength={200} autoFocus />
            <Area name="body" label={t.request.messageBody} required maxLength={8000} rows={8} />
          </Form>
        </Dialog>
      )}
    </>
  );
}

function History({ file }: { file: File }) {
  const sign = [file.status, file.verified, file.workflow?.assignedTo, file.workflow?.dueAt].join();
  const changes = useQuery(RequestChanges, { id: file.id }, sign);
  const recorded = changes.data?.rightsRequestChanges ?? [];
  const has = (field: string) => recorded.some((one) => one.field === field);
  // Requests from before changes were kept have the times of their steps alone.
  const step = (field: string, at: string | null | undefined, newValue: string, name?: string) =>
    at && !has(field) ? [{ id: field, at, field, newValue, newAssignee: null, member: name ? { displayName: name } : null }] : [];
  const rows = [
    ...(recorded.some(({ field, newValue }) => field === "status" && newValue === "submitted") ? [] : [{ id: "received", at: file.createdAt, field: "status", newValue: "submitted", newAssignee: null, member: null }]),
    ...step("verified", file.verifiedAt, "true", file.verifier?.displayName),
    ...step("due_at", file.workflow?.extendedAt, file.workflow?.dueAt ?? ""),
    ...step("erased_at", file.erasedAt, file.erasedAt ?? ""),
    ...recorded,
    ...(file.closedAt && !has("status") ? step("status", file.closedAt, file.status, file.closer?.displayName) : []),
  ].sort((one, other) => one.at.localeCompare(other.at));
  const shown = (field: string, value: string | null, assignee: { displayName: string } | null) => {
    if (field === "assigned_to") return assignee?.displayName ?? t.requests.nobody;
    if (value === null) return t.none;
    if (field === "status") return t.statuses[value] ?? value;
    if (field === "verified") return value === "true" ? t.requests.verified : t.requests.unverified;
    return field === "due_at" || field === "erased_at" ? date(value) : value;
  };
  return (
    <Section title={t.request.history}>
      <ol className="history">
        {rows.map(({ id, at, field, newValue, newAssignee, member }) => (
          <li key={id}><span>{t.request.historyFields[field] ?? field}: <span className="strong">{shown(field, newValue, newAssignee)}</span></span><small>{dateTime(at)} {member && t.by(member.displayName)}</small></li>
        ))}
      </ol>
    </Section>
  );
}
