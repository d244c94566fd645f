// The people whose data the controller processes: searched, paged, entered.

import { useState } from "react";
import { announce } from "../announce";
import { change } from "../api";
import { useDesk } from "../desk";
import { pattern } from "../filters";
import { country, date } from "../format";
import { CreatePerson, People as PeopleQuery, type DataSubjects_Bool_Exp, type PeopleQuery as Found } from "../generated/user";
import { useDelayed, useQuery } from "../hooks";
import { Dialog, Field, Form } from "../parts/form";
import { Page } from "../parts/page";
import { personName } from "../parts/request-bits";
import { Content, Empty } from "../parts/states";
import { CsvButton, Pager, Table, type Column } from "../parts/table";
import { go, href, setQuery } from "../route";
import { t } from "../text";

type Row = Found["dataSubjects"][number];

const SIZE = 50;

export function People({ query }: { query: Record<string, string> }) {
  const { controller, canEdit } = useDesk();
  const [isEntering, enter] = useState(false);
  const page = Math.max(1, Number(query.page) || 1);
  const search = useDelayed(query.q ?? "");
  const like = { _ilike: pattern(search) };
  const where: DataSubjects_Bool_Exp = { dataControllerId: { _eq: controller }, ...(search ? { _or: [{ displayName: like }, { email: like }, { did: like }] } : {}) };
  const people = useQuery(PeopleQuery, { where, limit: SIZE, offset: (page - 1) * SIZE });
  const rows = people.data?.dataSubjects ?? [];
  const columns: Column<Row>[] = [
    { title: t.people.name, isHead: true, csv: (row) => row.displayName ?? "", cell: (row) => <a href={href([controller, "people", row.id])}>{personName(row)}</a> },
    { title: t.people.email, csv: ({ email }) => email ?? "", cell: ({ email }) => <span className="cut">{email ?? t.none}</span> },
    { title: t.people.did, className: "wide-only", csv: ({ did }) => did, cell: ({ did }) => <span className="cut soft">{did}</span> },
    { title: t.people.country, csv: (row) => row.country ?? "", cell: (row) => country(row.country) },
    { title: t.people.language, csv: ({ language }) => language, cell: ({ language }) => t.locales[language as "en"] ?? language },
    { title: t.people.since, csv: ({ createdAt }) => createdAt, cell: ({ createdAt }) => date(createdAt) },
    { title: t.people.open, csv: ({ openRequests }) => String(openRequests.aggregate?.count ?? 0), cell: ({ openRequests }) => openRequests.aggregate?.count || t.none },
  ];
  return (
    <Page title={t.people.title} id="people" actions={<>
      <CsvButton name="people" columns={columns} rows={rows} />
      {canEdit && <button className="primary" onClick={() => enter(true)}>{t.people.new}</button>}
    </>}>
      <div className="filters" role="search">
        <Field type="search" label={t.search} placeholder={t.people.searchHint} value={query.q ?? ""} onChange={(event) => setQuery({ q: event.target.value, page: undefined })} />
      </div>
      <Content of={people} lines={10}>
        {({ dataSubjectsAggregate }) => rows.length === 0 ? <Empty title={t.people.empty} hint={t.people.emptyHint} /> : (
          <>
            <Table caption={t.people.title} columns={columns} rows={rows} />
            <Pager page={page} size={SIZE} total={dataSubjectsAggregate.aggregate?.count ?? 0} onPage={(next) => setQuery({ page: next === 1 ? undefined : String(next) })} />
          </>
        )}
      </Content>
      {isEntering && (
        <Dialog title={t.people.new} onClose={() => enter(false)}>
          <Form submit={t.requests.enter} onCancel={() => enter(false)} act={async ({ displayName, email, country }) => {
            const { createDataSubject: made } = await change(CreatePerson, { controller, payload: { displayName: displayName || null, email: email || null, country: country?.toUpperCase() || null } });
            announce(t.people.created);
            go(href([controller, "people", made.dataSubjectId]));
          }}>
            <Field name="displayName" label={t.people.name} required maxLength={200} autoFocus />
            <Field name="email" type="email" label={t.people.email} maxLength={320} />
            <Field name="country" label={t.people.country} hint={t.people.countryHint} maxLength={2} pattern="[A-Za-z]{2}" />
          </Form>
        </Dialog>
      )}
    </Page>
  );
}
