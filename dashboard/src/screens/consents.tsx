// The consents of all people of a controller, as figures and as a list.

import { useDesk } from "../desk";
import { pattern } from "../filters";
import { dateTime, month } from "../format";
import { ConsentList, ConsentStatistics, type ConsentListQuery, type ConsentStatisticsQuery, type DataSubjectConsentFormValues_Bool_Exp } from "../generated/user";
import { useDelayed, useQuery } from "../hooks";
import { Shares, StackedBars } from "../parts/chart";
import { Choice, Field } from "../parts/form";
import { Page, Section } from "../parts/page";
import { personName } from "../parts/request-bits";
import { Content, Empty } from "../parts/states";
import { CsvButton, Pager, Table, type Column } from "../parts/table";
import { href, setQuery } from "../route";
import { t } from "../text";
import { Given, formName } from "./consents-of";

type Row = ConsentListQuery["dataSubjectConsentFormValues"][number];

const SIZE = 50;

export function Consents({ query }: { query: Record<string, string> }) {
  const { controller } = useDesk();
  const since = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 11, 1)).toISOString();
  const statistics = useQuery(ConsentStatistics, { controller, since });
  const page = Math.max(1, Number(query.page) || 1);
  const search = useDelayed(query.q ?? "");
  const like = { _ilike: pattern(search) };
  const where: DataSubjectConsentFormValues_Bool_Exp = {
    dataSubject: { dataControllerId: { _eq: controller }, ...(search ? { _or: [{ displayName: like }, { email: like }] } : {}) },
    ...(query.purpose ? { dataControllerProcessingPurposeId: { _eq: query.purpose } } : {}),
    ...(query.answer ? { value: { _eq: query.answer } } : {}),
  };
  const list = useQuery(ConsentList, { where, limit: SIZE, offset: (page - 1) * SIZE });
  const rows = list.data?.dataSubjectConsentFormValues ?? [];
  const columns: Column<Row>[] = [
    { title: t.personLabel, isHead: true, csv: ({ dataSubject }) => personName(dataSubject), cell: ({ dataSubject }) => <a className="cut" href={href([controller, "people", dataSubject!.id], { tab: "consents" })}>{personName(dataSubject)}</a> },
    { title: t.consents.purpose, csv: ({ purpose }) => purpose?.title ?? "", cell: ({ purpose, purposeVersion }) => <>{purpose?.title} <small>v{purposeVersion}</small></> },
    { title: t.consents.answer, csv: ({ value }) => (value === "true" ? t.consents.given : t.consents.refused), cell: ({ value }) => <Given value={value} /> },
    { title: t.consents.who, csv: ({ givenBy }) => t.consents.givers[givenBy] ?? givenBy, cell: ({ givenBy }) => t.consents.givers[givenBy] ?? givenBy },
    { title: t.consents.form, csv: ({ form }) => formName(form), cell: ({ form }) => formName(form) },
    { title: t.consents.when, csv: ({ updatedAt }) => updatedAt, cell: ({ updatedAt }) => dateTime(updatedAt) },
  ];
  return (
    <Page title={t.consents.title} id="consents" actions={<CsvButton name="consents" columns={columns} rows={rows} />}>
      <Section title={t.overview.charts}>
        <Content of={statistics} lines={6}>{(data) => <Charts data={data} />}</Content>
      </Section>
      <div className="filters" role="search">
        <Field type="search" label={t.search} placeholder={t.consents.searchHint} value={query.q ?? ""} onChange={(event) => setQuery({ q: event.target.value, page: undefined })} />
        <Choice label={t.consents.purpose} value={query.purpose ?? ""} onChange={(event) => setQuery({ purpose: event.target.value, page: undefined })} options={[["", t.consents.purposesAll], ...(statistics.data?.purposes ?? []).map(({ id, title }) => [id, title] as const)]} />
        <Choice label={t.consents.answer} value={query.answer ?? ""} onChange={(event) => setQuery({ answer: event.target.value, page: undefined })} options={[["", t.consents.answersAll], ["true", t.consents.given], ["false", t.consents.refused]]} />
      </div>
      <Content of={list} lines={8}>
        {({ dataSubjectConsentFormValuesAggregate }) => rows.length === 0 ? <Empty title={t.consents.empty} /> : (
          <>
            <Table caption={t.consents.title} columns={columns} rows={rows} />
            <Pager page={page} size={SIZE} total={dataSubjectConsentFormValuesAggregate.aggregate?.count ?? 0} onPage={(next) => setQuery({ page: next === 1 ? undefined : String(next) })} />
          </>
        )}
      </Content>
    </Page>
  );
}

function Charts({ data: { purposes, current, answers } }: { data: ConsentStatisticsQuery }) {
  const now = (id: string, value: string) => current.find(({ key }) => key.dataControllerProcessingPurposeId === id && key.value === value)?.aggregate.count ?? 0;
  const active = purposes.filter(({ status }) => status === "active");
  const months = Array.from({ length: 12 }, (_, index) => new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 11 + index, 1)).toISOString());
  const inMonth = (time: string, value: string) =>
    answers.filter(({ key }) => key.updatedAt.slice(0, 7) === time.slice(0, 7) && key.value === value).reduce((sum, { aggregate }) => sum + aggregate.count, 0);
  return (
    <div className="charts">
      <Shares title={t.consents.chart} hint={t.consents.chartHint} head={t.consents.purpose} names={{ yes: t.consents.agree, no: t.consents.refuse }} rows={active.map(({ id, title }) => ({ label: title, yes: now(id, "true"), no: now(id, "false") }))} />
      <StackedBars
        title={t.consents.overTime} hint={t.consents.overTimeHint} head={t.consents.month} labels={months.map(month)}
        series={[{ name: t.consents.given, color: 1, values: months.map((time) => inMonth(time, "true")) }, { name: t.consents.refused, color: 3, values: months.map((time) => inMonth(time, "false")) }]}
      />
    </div>
  );
}
