// A person: what is recorded, consents with their evidence, requests, activities and messages.

import { useState } from "react";
import { announce } from "../announce";
import { change } from "../api";
import { useDesk } from "../desk";
import { country, date, dateTime } from "../format";
import { DeletePerson, People, Person as PersonQuery, PersonActivities, PersonData, PersonMessages, UpdatePerson, type PersonDataQuery, type PersonQuery as Loaded } from "../generated/user";
import { useQuery } from "../hooks";
import { Check, Choice, Confirmed, Dialog, Field, Form } from "../parts/form";
import { Facts, Page, Prose, Section, Tabs } from "../parts/page";
import { Due, Status, personName } from "../parts/request-bits";
import { Badge, Content, Empty } from "../parts/states";
import { CsvButton, Pager, Table, type Column } from "../parts/table";
import { go, href } from "../route";
import { labelOf, t } from "../text";
import { ConsentsOf } from "./consents-of";
import { NewRequest } from "./new-request";
import { Export, WriteMessage } from "./request";

type Facts_ = NonNullable<Loaded["dataSubject"]>;

export function Person({ id, query }: { id: string; query: Record<string, string> }) {
  const { controller, canEdit } = useDesk();
  const loaded = useQuery(PersonQuery, { id });
  const person = loaded.data?.dataSubject;
  const [asks, setAsks] = useState<"forget" | "request" | null>(null);
  const tabs = t.person.tabs;
  const tab = query.tab && Object.hasOwn(tabs, query.tab) ? (query.tab as keyof typeof tabs) : "facts";
  return (
    <Page
      title={person ? personName(person) : t.personLabel} id={id}
      above={<a className="back" href={href([controller, "people"])}>← {t.people.title}</a>}
      actions={canEdit && person && <button onClick={() => setAsks("request")}>{t.requests.new}</button>}
    >
      <Content of={loaded} lines={10}>
        {() => !person ? <Empty title={t.refusals["not-found"]} /> : (
          <>
            <Tabs label={personName(person)} path={[controller, "people", id]} current={tab} tabs={[
              ["facts", tabs.facts], ["data", tabs.data], ["consents", tabs.consents, person.consents.length], ["requests", tabs.requests, person.rightsRequests.length],
              ["activities", tabs.activities, person.activityCount.aggregate?.count ?? 0], ["messages", tabs.messages],
            ]} />
            {tab === "facts" && <AboutPerson person={person} onChange={loaded.reload} onForget={() => setAsks("forget")} />}
            {tab === "data" && <Data id={id} />}
            {tab === "consents" && <ConsentsOf person={id} consents={person.consents} onChange={loaded.reload} />}
            {tab === "requests" && <RequestsOf person={person} />}
            {tab === "activities" && <Activities id={id} total={person.activityCount.aggregate?.count ?? 0} />}
            {tab === "messages" && <Messages id={id} />}
            {asks && <NewRequest person={{ id, name: personName(person) }} type={asks === "forget" ? "erasure" : "access"} onClose={() => setAsks(null)} />}
          </>
        )}
      </Content>
    </Page>
  );
}

function AboutPerson({ person, onChange, onForget }: { person: Facts_; onChange: () => void; onForget: () => void }) {
  const { controller, canEdit, canAdminister } = useDesk();
  const [isOpen, setOpen] = useState(false);
  const hasRecords = person.rightsRequests.length > 0 || person.consents.length > 0 || (person.activityCount.aggregate?.count ?? 0) > 0;
  return (
    <div className="columns">
      <Section title={t.person.tabs.facts} actions={canEdit && <button onClick={() => setOpen(true)}>{t.edit}</button>}>
        <Facts of={[
          [t.people.name, person.displayName ?? t.none],
          [t.people.email, person.email ?? t.none],
          [t.people.country, country(person.country)],
          [t.people.language, t.locales[person.language as "en"] ?? person.language],
          [t.people.did, <span key="did" className="break">{person.did}</span>],
          [t.people.since, date(person.createdAt)],
          [t.person.doNotTrack, person.doNotTrack ? t.yes : t.no],
          [t.person.gpc, person.globalPrivacyControl ? t.yes : t.no],
        ]} />
        {person.email && <Duplicates person={person} />}
      </Section>
      <div>
        <Section title={t.person.export}><Export person={person.id} /></Section>
        {canEdit && (
          <Section title={t.person.forget}>
            <p className="soft">{t.person.forgetHint}</p>
            <div className="buttons">
              <button className="danger" onClick={onForget}>{t.person.forget}</button>
              {canAdminister && !hasRecords && <Confirmed label={t.person.deletePerson} question={`${t.person.deleteConfirm} ${t.person.deleteHint}`} act={() => change(DeletePerson, { id: person.id })} onDone={() => go(href([controller, "people"]))} />}
            </div>
          </Section>
        )}
      </div>
      {isOpen && (
        <Dialog title={t.edit} onClose={() => setOpen(false)}>
          <Form submit={t.save} onCancel={() => setOpen(false)} onDone={() => { setOpen(false); onChange(); announce(t.saved); }} act={({ displayName, email, country, language, doNotTrack, gpc }) => change(UpdatePerson, {
            id: person.id,
            set: { displayName: displayName || null, email: email || null, country: country?.toUpperCase() || null, language, doNotTrack: doNotTrack === "on", globalPrivacyControl: gpc === "on" },
          })}>
            <Field name="displayName" label={t.people.name} defaultValue={person.displayName ?? ""} maxLength={200} autoFocus />
            <Field name="email" type="email" label={t.people.email} defaultValue={person.email ?? ""} maxLength={320} />
            <Field name="country" label={t.people.country} hint={t.people.countryHint} defaultValue={person.country ?? ""} maxLength={2} pattern="[A-Za-z]{2}" />
            <Choice name="language" label={t.people.language} defaultValue={person.language} options={Object.entries(t.locales)} />
            <Check name="doNotTrack" label={t.person.doNotTrack} defaultChecked={person.doNotTrack} />
            <Check name="gpc" label={t.person.gpc} defaultChecked={person.globalPrivacyControl} />
          </Form>
        </Dialog>
      )}
    </div>
  );
}

/** Other entries of the controller with the same address: one person may have been entered twice. */
function Duplicates({ person }: { person: Facts_ }) {
  const { controller } = useDesk();
  const where = { dataControllerId: { _eq: controller }, email: { _ilike: person.email!.replace(/[\\%_]/g, "\\$&") }, id: { _neq: person.id } };
  const found = useQuery(People, { where, limit: 5, offset: 0 });
  if (!found.data?.dataSubjects.length) return null;
  return (
    <div className="note warn">
      <p>{t.people.duplicates}</p>
      <ul>{found.data.dataSubjects.map((one) => <li key={one.id}><a href={href([controller, "people", one.id])}>{personName(one)}</a> {date(one.createdAt)}</li>)}</ul>
    </div>
  );
}

type Recorded = PersonDataQuery["dataSubjectDataMapping"][number] & { id: string };

function Data({ id }: { id: string }) {
  const data = useQuery(PersonData, { id });
  const columns: Column<Recorded>[] = [
    { title: t.person.dataItem, isHead: true, csv: (row) => labelOf(row.dataItemLabels, row.dataItemLabel ?? ""), cell: (row) => <>{labelOf(row.dataItemLabels, row.dataItemLabel ?? t.none)} {row.isSpecial && <Badge kind="warn">{t.person.special}</Badge>}</> },
    { title: t.person.origin, csv: (row) => labelOf(row.originLabels, row.originLabel ?? ""), cell: (row) => labelOf(row.originLabels, row.originLabel ?? t.none) },
    { title: t.person.when, csv: (row) => row.recordedAt ?? "", cell: (row) => date(row.recordedAt) },
    { title: t.person.purpose, csv: (row) => row.purposeTitle ?? "", cell: (row) => row.purposeTitle ?? t.none },
    { title: t.person.basis, csv: (row) => t.legalBases[row.legalBasis ?? ""] ?? row.legalBasis ?? "", cell: (row) => t.legalBases[row.legalBasis ?? ""] ?? row.legalBasis ?? t.none },
    { title: t.person.kept, csv: (row) => (row.purposeTitle ? t.person.months(row.retentionMonths) : ""), cell: (row) => (row.purposeTitle ? t.person.months(row.retentionMonths) : t.none) },
    { title: t.person.processors, csv: (row) => row.processors?.join(", ") ?? "", cell: (row) => row.processors?.join(", ") || t.none },
  ];
  return (
    <Content of={data} lines={8}>
      {({ dataSubjectDataMapping }) => {
        const rows = dataSubjectDataMapping.map((row, index) => ({ ...row, id: String(index) }));
        return rows.length === 0 ? <Empty title={t.person.dataEmpty} /> : (
          <>
            <div className="row end"><CsvButton name={`data-${id}`} columns={columns} rows={rows} /></div>
            <Table caption={t.person.data} columns={columns} rows={rows} />
          </>
        );
      }}
    </Content>
  );
}

function RequestsOf({ person }: { person: Facts_ }) {
  const { controller } = useDesk();
  if (person.rightsRequests.length === 0) return <Empty title={t.person.requestsEmpty} />;
  return (
    <Table caption={t.requests.title} rows={person.rightsRequests} columns={[
      { title: t.requests.type, isHead: true, cell: (row) => <a href={href([controller, "requests", row.id])}>{t.requestTypes[row.requestType]}</a> },
      { title: t.requests.status, cell: (row) => <Status status={row.status} /> },
      { title: t.requests.received, cell: (row) => date(row.createdAt) },
      { title: t.requests.due, cell: (row) => (row.workflow ? <Due row={{ ...row.workflow, extendedAt: null, state: row.closedAt ? "closed" : "open" }} /> : t.none) },
      { title: t.requests.closed, cell: (row) => date(row.closedAt) },
    ]} />
  );
}

function Activities({ id, total }: { id: string; total: number }) {
  const SIZE = 50;
  const [page, setPage] = useState(1);
  const activities = useQuery(PersonActivities, { id, limit: SIZE, offset: (page - 1) * SIZE });
  return (
    <Content of={activities} lines={8}>
      {({ dataProcessingActivities: rows }) => rows.length === 0 ? <Empty title={t.person.activitiesEmpty} /> : (
        <>
          <Table caption={t.person.tabs.activities} rows={rows} columns={[
            { title: t.person.activity, isHead: true, cell: ({ type }) => labelOf(type.labels, type.label) },
            { title: t.person.source, cell: ({ source }) => labelOf(source.labels, source.label) },
            { title: t.person.when, cell: ({ triggeredAt }) => dateTime(triggeredAt) },
            { title: t.person.recordedBy, cell: ({ recordedBy }) => t.person.recorders[recordedBy] ?? recordedBy },
          ]} />
          <Pager page={page} size={SIZE} total={total} onPage={setPage} />
        </>
      )}
    </Content>
  );
}

function Messages({ id }: { id: string }) {
  const { canEdit } = useDesk();
  const messages = useQuery(PersonMessages, { id });
  return (
    <Section title={t.person.tabs.messages} actions={canEdit && <WriteMessage person={id} onSent={messages.reload} />}>
      <Content of={messages}>
        {({ notificationMessages: rows }) => rows.length === 0 ? <Empty title={t.person.messagesEmpty} /> : (
          <ul className="messages">
            {rows.map(({ id, title, body, isRead, createdAt }) => (
              <li key={id}>
                <details>
                  <summary><span className="strong">{title}</span> <small>{dateTime(createdAt)}{!isRead && ` · ${t.request.unread}`}</small></summary>
                  <Prose text={body} />
                </details>
              </li>
            ))}
          </ul>
        )}
      </Content>
    </Section>
  );
}
