// Services that report to the controller: their state, their keys, and the reports that came.

import { useState } from "react";
import { announce } from "../announce";
import { change } from "../api";
import { useDesk } from "../desk";
import { date, dateTime, number } from "../format";
import { GATEWAY } from "../gateway";
import { CreateIntegrationKey, Deliveries, IntegrationKeys, Integrations as IntegrationsQuery, ReplayDelivery, RevokeIntegrationKey, type DeliveriesQuery, type IntegrationsQuery as Loaded, type WebhookDeliveries_Bool_Exp } from "../generated/user";
import { useQuery } from "../hooks";
import { Act, Choice, Confirmed, Dialog, Field, Form } from "../parts/form";
import { Facts, Page, Section } from "../parts/page";
import { Badge, Content, Empty, Secret } from "../parts/states";
import { CsvButton, Pager, Table, type Column } from "../parts/table";
import { setQuery } from "../route";
import { labelOf, t } from "../text";

type Service = Loaded["integrationServices"][number];
type Delivery = DeliveriesQuery["webhookDeliveries"][number] & { id: string };

const SIZE = 50;
const STATE_KINDS = { processed: "good", failed: "bad", retrying: "warn", waiting: "info", removed: "plain" } as const;

export function Integrations({ query }: { query: Record<string, string> }) {
  const { controller, canAdminister } = useDesk();
  const services = useQuery(IntegrationsQuery, { controller });
  const [keysOf, setKeysOf] = useState<Service>();
  const nameOf = (service: string | null) => {
    const found = services.data?.integrationServices.find((one) => one.service === service);
    return found ? labelOf(found.labels, service ?? "") : service ?? t.none;
  };
  const columns: Column<Service & { id: string }>[] = [
    { title: t.integrations.service, isHead: true, cell: ({ service, connected }) => <>{nameOf(service)} {!connected && <Badge>{t.integrations.notConnected}</Badge>}</> },
    { title: t.integrations.verification, cell: ({ verification }) => verification },
    { title: t.integrations.last, cell: ({ lastReceivedAt }) => dateTime(lastReceivedAt) },
    {
      title: t.integrations.deliveriesCount,
      cell: ({ deliveries, failed, waiting }) => (
        <span className="row wrap">{number(Number(deliveries ?? 0))} {Number(failed) > 0 && <Badge kind="bad">{number(Number(failed))} {t.integrations.failed}</Badge>}{Number(waiting) > 0 && <Badge kind="info">{number(Number(waiting))} {t.integrations.waiting}</Badge>}</span>
      ),
    },
    { title: t.integrations.keys, cell: ({ validKeys, managesKeys }) => (managesKeys ? number(Number(validKeys ?? 0)) : t.none) },
  ];
  if (canAdminister) columns.push({ title: t.actions, className: "actions", cell: (row) => <button aria-label={t.integrations.keysFor(nameOf(row.service))} onClick={() => setKeysOf(row)}>{t.integrations.keys}</button> });
  return (
    <Page title={t.integrations.title} id="integrations">
      <Content of={services}>
        {({ integrationServices }) => integrationServices.length === 0 ? <Empty title={t.integrations.empty} /> : <Table caption={t.integrations.title} columns={columns} rows={integrationServices.map((row) => ({ ...row, id: row.service ?? "" }))} />}
      </Content>
      <Reports query={query} services={(services.data?.integrationServices ?? []).map(({ service }) => [service ?? "", nameOf(service)] as const)} nameOf={nameOf} onReplay={services.reload} />
      {keysOf && <Keys service={keysOf} name={nameOf(keysOf.service)} onClose={() => { setKeysOf(undefined); services.reload(); }} />}
    </Page>
  );
}

function Reports({ query, services, nameOf, onReplay }: { query: Record<string, string>; services: (readonly [string, string])[]; nameOf: (service: string | null) => string; onReplay: () => void }) {
  const { controller, canAdminister } = useDesk();
  const page = Math.max(1, Number(query.page) || 1);
  const where: WebhookDeliveries_Bool_Exp = {
    dataControllerId: { _eq: controller },
    ...(query.service ? { service: { _eq: query.service } } : {}),
    ...(query.state ? { state: { _eq: query.state } } : {}),
  };
  const deliveries = useQuery(Deliveries, { where, limit: SIZE + 1, offset: (page - 1) * SIZE });
  const rows = (deliveries.data?.webhookDeliveries ?? []).slice(0, SIZE) as Delivery[];
  const columns: Column<Delivery>[] = [
    { title: t.integrations.received, isHead: true, csv: ({ receivedAt }) => receivedAt ?? "", cell: ({ receivedAt }) => dateTime(receivedAt) },
    { title: t.integrations.service, csv: ({ service }) => nameOf(service), cell: ({ service }) => nameOf(service) },
    { title: t.integrations.state, csv: ({ state }) => t.integrations.states[state ?? ""] ?? "", cell: ({ state }) => <Badge kind={STATE_KINDS[state as "failed"]}>{t.integrations.states[state ?? ""] ?? state}</Badge> },
    { title: t.integrations.attempts, csv: ({ attempts }) => String(attempts ?? 0), cell: ({ attempts }) => attempts ?? 0 },
    { title: t.integrations.error, csv: ({ lastError }) => lastError ?? "", cell: ({ lastError }) => <span className="break">{lastError ?? t.none}</span> },
  ];
  if (canAdminister) columns.push({ title: t.actions, className: "actions", cell: ({ id, state }) => (state === "failed" || state === "retrying") && <Act label={t.integrations.replay} act={() => change(ReplayDelivery, { id })} onDone={() => { announce(t.integrations.replayed); deliveries.reload(); onReplay(); }} /> });
  const total = (page - 1) * SIZE + (deliveries.data?.webhookDeliveries.length ?? 0);
  return (
    <Section title={t.integrations.deliveries} actions={<CsvButton name="reports" columns={columns} rows={rows} />}>
      <div className="filters">
        <Choice label={t.integrations.service} value={query.service ?? ""} onChange={(event) => setQuery({ service: event.target.value, page: undefined })} options={[["", t.integrations.allServices], ...services]} />
        <Choice label={t.integrations.state} value={query.state ?? ""} onChange={(event) => setQuery({ state: event.target.value, page: undefined })} options={[["", t.all], ...Object.entries(t.integrations.states)]} />
      </div>
      <Content of={deliveries}>
        {() => rows.length === 0 ? <Empty title={t.integrations.deliveriesEmpty} /> : (
          <>
            <Table caption={t.integrations.deliveries} columns={columns} rows={rows} />
            <Pager page={page} size={SIZE} total={total} onPage={(next) => setQuery({ page: next === 1 ? undefined : String(next) })} />
          </>
        )}
      </Content>
    </Section>
  );
}

const addressOf = (path: string) => decodeURI(new URL(path, GATEWAY || location.origin).href);

function Keys({ service, name, onClose }: { service: Service; name: string; onClose: () => void }) {
  const { controller } = useDesk();
  const keys = useQuery(IntegrationKeys, { controller });
  const [made, setMade] = useState<{ secret: string; path: string }>();
  return (
    <Dialog title={t.integrations.keysFor(name)} onClose={onClose} wide>
      <Facts of={[[t.integrations.address, <code key="path" className="break">{addressOf(service.path ?? "/")}</code>]]} />
      {!service.managesKeys && <p className="note info">{t.integrations.operator}</p>}
      {service.managesKeys && (
        <>
          {made && (
            <div className="note good">
              <p className="strong">{t.integrations.keyOnce}</p>
              <Secret label={t.integrations.hint} value={made.secret} />
              {made.path.includes("{key}") && <Secret label={t.integrations.address} value={addressOf(made.path.replace("{key}", encodeURIComponent(made.secret)))} />}
            </div>
          )}
          <Content of={keys} lines={3}>
            {({ integrationKeys }) => {
              const rows = integrationKeys.filter((one) => one.service === service.service).map((row) => ({ ...row, id: row.id ?? "" }));
              return rows.length === 0 ? <p className="soft">{t.integrations.noKeys}</p> : (
                <Table caption={t.integrations.keysFor(name)} rows={rows} columns={[
                  { title: t.integrations.keyName, isHead: true, cell: (row) => row.name ?? t.integrations.operatorKey },
                  { title: t.integrations.hint, cell: ({ hint }) => <code>{hint}</code> },
                  { title: t.integrations.created, cell: ({ createdAt, creator }) => <>{date(createdAt)} <small>{creator && t.by(creator.displayName)}</small></> },
                  { title: t.integrations.state, cell: ({ revokedAt }) => (revokedAt ? <Badge>{t.integrations.revoked} {date(revokedAt)}</Badge> : <Badge kind="good">{t.integrations.valid}</Badge>) },
                  { title: t.actions, className: "actions", cell: (row) => !row.revokedAt && <Confirmed label={t.integrations.revoke} describe={row.name ?? ""} question={t.integrations.revokeConfirm(row.name ?? "")} act={() => change(RevokeIntegrationKey, { id: row.id })} onDone={keys.reload} /> },
                ]} />
              );
            }}
          </Content>
          <Form className="inline" submit={t.integrations.create} act={async ({ name }, form) => {
            const { createIntegrationKey } = await change(CreateIntegrationKey, { controller, service: service.service!, name: name! });
            setMade(createIntegrationKey);
            form.reset();
            keys.reload();
          }}>
            <Field name="name" label={t.integrations.newKey} hint={t.integrations.keyNameHint} required maxLength={100} autoComplete="off" />
          </Form>
        </>
      )}
    </Dialog>
  );
}
