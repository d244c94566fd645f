// What data is processed for. A draft is written freely; an active purpose keeps its wording; a retired one stays.

import { useState } from "react";
import { announce } from "../announce";
import { change } from "../api";
import { useDesk } from "../desk";
import { AddDataItem, CreatePurpose, DeletePurpose, Purposes as PurposesQuery, RemoveDataItem, UpdatePurpose, type PurposesQuery as Loaded } from "../generated/user";
import { useQuery } from "../hooks";
import { Act, Area, Check, Choice, Confirmed, Dialog, Field, Form } from "../parts/form";
import { Facts, Prose } from "../parts/page";
import { Badge, Content, Empty } from "../parts/states";
import { t } from "../text";

type Purpose = Loaded["dataControllerProcessingPurposes"][number];

const STATE_KINDS = { draft: "warn", active: "good", retired: "plain" } as const;

export function Purposes() {
  const { controller, canEdit } = useDesk();
  const purposes = useQuery(PurposesQuery, { controller });
  const [edits, edit] = useState<Purpose | "new" | null>(null);
  const rows = purposes.data?.dataControllerProcessingPurposes ?? [];
  return (
    <>
      {canEdit && <div className="row end"><button className="primary" onClick={() => edit("new")}>{t.texts.newPurpose}</button></div>}
      <Content of={purposes} lines={8}>
        {() => rows.length === 0 ? <Empty title={t.texts.purposesEmpty} /> : rows.map((purpose) => <PurposeCard key={purpose.id} purpose={purpose} onEdit={() => edit(purpose)} onChange={purposes.reload} />)}
      </Content>
      {edits && <PurposeForm purpose={edits === "new" ? null : edits} next={Math.max(0, ...rows.map(({ position }) => position)) + 1} onClose={() => edit(null)} onDone={purposes.reload} />}
    </>
  );
}

function PurposeCard({ purpose, onEdit, onChange }: { purpose: Purpose; onEdit: () => void; onChange: () => void }) {
  const { canEdit } = useDesk();
  const isDraft = purpose.status === "draft";
  return (
    <section className="card" aria-label={purpose.title}>
      <header>
        <div>
          <h2>{purpose.title}</h2>
          <p className="row wrap"><Badge kind={STATE_KINDS[purpose.status as "draft"]}>{t.texts.states[purpose.status]}</Badge> <span className="soft">{t.texts.version} {purpose.version}</span></p>
        </div>
        {canEdit && (
          <div className="buttons">
            {isDraft && <button aria-label={`${t.edit}: ${purpose.title}`} onClick={onEdit}>{t.edit}</button>}
            {isDraft && <Confirmed label={t.texts.activate} describe={purpose.title} question={t.texts.activateConfirm} danger={false} act={() => change(UpdatePurpose, { id: purpose.id, set: { status: "active" } })} onDone={onChange} />}
            {purpose.status === "active" && <Confirmed label={t.texts.retire} describe={purpose.title} question={t.texts.retireConfirm} act={() => change(UpdatePurpose, { id: purpose.id, set: { status: "retired" } })} onDone={onChange} />}
            {isDraft && <Confirmed label={t.delete} describe={purpose.title} question={`${t.delete}: ${purpose.title}`} act={() => change(DeletePurpose, { id: purpose.id })} onDone={onChange} />}
          </div>
        )}
      </header>
      <Prose text={purpose.description} />
      <Facts of={[
        [t.texts.basis, t.legalBases[purpose.legalBasis] ?? purpose.legalBasis],
        [t.person.kept, t.person.months(purpose.retentionMonths)],
        purpose.consentRequired && [t.texts.gpc, purpose.respectsGlobalPrivacyControl ? t.yes : t.no],
        [t.texts.recipients, purpose.processors.map(({ processor }) => processor?.title).join(", ") || t.none],
      ]} />
      <details>
        <summary>{t.texts.data} ({purpose.dataItems.length})</summary>
        <ul className="list">
          {purpose.dataItems.map(({ id, label, category, isSpecial }) => (
            <li key={id}><span>{label} <small>{category}</small> {isSpecial && <Badge kind="warn">{t.person.special}</Badge>}</span>{canEdit && isDraft && <Act label={t.remove} describe={label} act={() => change(RemoveDataItem, { id })} onDone={onChange} />}</li>
          ))}
        </ul>
        {canEdit && isDraft && (
          <Form className="inline" submit={t.add} act={async ({ label, category }, form) => {
            await change(AddDataItem, { object: { dataControllerProcessingPurposeId: purpose.id, label, category, isRequired: false } });
            form.reset();
            onChange();
          }}>
            <Field name="label" label={t.texts.dataLabel} required maxLength={200} />
            <Field name="category" label={t.texts.dataCategory} required maxLength={200} list="data-categories" />
            <datalist id="data-categories">{[...new Set(purpose.dataItems.map(({ category }) => category))].map((one) => <option key={one} value={one} />)}</datalist>
          </Form>
        )}
      </details>
    </section>
  );
}

function PurposeForm({ purpose, next, onClose, onDone }: { purpose: Purpose | null; next: number; onClose: () => void; onDone: () => void }) {
  const { controller } = useDesk();
  async function save({ title, description, legalBasis, retention, gpc }: Record<string, string>) {
    const set = { title, description, legalBasis, retentionMonths: retention ? Number(retention) : null, respectsGlobalPrivacyControl: gpc === "on" };
    if (purpose) await change(UpdatePurpose, { id: purpose.id, set });
    else await change(CreatePurpose, { object: { ...set, dataControllerId: controller, status: "draft", position: next } });
    announce(t.saved);
    onDone();
  }
  return (
    <Dialog title={purpose ? t.edit : t.texts.newPurpose} onClose={onClose} wide>
      <Form submit={t.save} act={save} onCancel={onClose} onDone={onClose}>
        <Field name="title" label={t.texts.purposeTitle} defaultValue={purpose?.title} required maxLength={200} autoFocus />
        <Area name="description" label={t.texts.description} defaultValue={purpose?.description} required maxLength={5000} />
        <Choice name="legalBasis" label={t.texts.basis} defaultValue={purpose?.legalBasis ?? "consent"} options={Object.entries(t.legalBases)} />
        <Field name="retention" type="number" label={t.texts.retention} hint={t.texts.retentionNone} min={1} max={1200} defaultValue={purpose?.retentionMonths ?? ""} />
        <Check name="gpc" label={t.texts.gpc} defaultChecked={purpose?.respectsGlobalPrivacyControl} />
      </Form>
    </Dialog>
  );
}
