// Privacy notices: a draft is written, published once, and replaced by the next version.

import { useState } from "react";
import { announce } from "../announce";
import { change } from "../api";
import { useDesk } from "../desk";
import { difference } from "../difference";
import { date } from "../format";
import { CreateNotice, DeleteNotice, Notices as NoticesQuery, UpdateNotice, type NoticesQuery as Loaded } from "../generated/user";
import { useQuery } from "../hooks";
import { Area, Choice, Confirmed, Dialog, Field, Form } from "../parts/form";
import { Prose } from "../parts/page";
import { Badge, Content, Empty } from "../parts/states";
import { t } from "../text";

type Notice = Loaded["privacyNotices"][number];

const TEXTS = ["quickLook", "overview", "full"] as const;
const names = () => ({ quickLook: t.texts.quickLook, overview: t.texts.overviewText, full: t.texts.full });

export function Notices() {
  const { controller, canEdit } = useDesk();
  const notices = useQuery(NoticesQuery, { controller });
  const [edits, edit] = useState<Notice | "new" | null>(null);
  const rows = notices.data?.privacyNotices ?? [];
  return (
    <>
      {canEdit && <div className="row end"><button className="primary" disabled={!notices.data} onClick={() => edit("new")}>{t.texts.newVersion}</button></div>}
      <Content of={notices} lines={6}>
        {() => rows.length === 0 ? <Empty title={t.texts.noticesEmpty} /> : rows.map((notice) => (
          <NoticeCard key={notice.id} notice={notice} before={rows.find(({ version, language }) => language === notice.language && version < notice.version)} onEdit={() => edit(notice)} onChange={notices.reload} />
        ))}
      </Content>
      {edits && <NoticeForm notice={edits === "new" ? null : edits} latest={rows[0]} onClose={() => edit(null)} onDone={notices.reload} />}
    </>
  );
}

function NoticeCard({ notice, before, onEdit, onChange }: { notice: Notice; before?: Notice; onEdit: () => void; onChange: () => void }) {
  const { canEdit } = useDesk();
  const [compares, compare] = useState(false);
  const isDraft = notice.publishedAt === null;
  return (
    <section className="card" aria-label={`${notice.title}, ${t.texts.version} ${notice.version}`}>
      <header>
        <div>
          <h2>{notice.title}</h2>
          <p className="row wrap">
            <span>{t.texts.version} {notice.version}</span>
            <span>{t.locales[notice.language as "en"]}</span>
            {isDraft ? <Badge kind="warn">{t.texts.draft}</Badge> : <Badge kind={notice.published ? "good" : "plain"}>{t.texts.publishedOn(date(notice.publishedAt))}</Badge>}
          </p>
        </div>
        <div className="buttons">
          {before && <button aria-expanded={compares} onClick={() => compare(!compares)}>{t.texts.compare}</button>}
          {canEdit && isDraft && (
            <>
              <button onClick={onEdit}>{t.edit}</button>
              <Confirmed label={t.texts.publish} question={t.texts.publishConfirm} danger={false} act={() => change(UpdateNotice, { id: notice.id, set: { published: true, publishedAt: new Date().toISOString() } })} onDone={() => { announce(t.texts.publishDone); onChange(); }} />
              <Confirmed label={t.texts.deleteDraft} question={`${t.texts.deleteDraft}?`} act={() => change(DeleteNotice, { id: notice.id })} onDone={onChange} />
            </>
          )}
        </div>
      </header>
      {compares && before ? TEXTS.map((text) => <Compared key={text} title={names()[text]} before={before[text]} after={notice[text]} />) : (
        <>
          <Prose text={notice.quickLook} />
          <details>
            <summary>{t.texts.full}</summary>
            <h3>{t.texts.overviewText}</h3>
            <Prose text={notice.overview} />
            <h3>{t.texts.full}</h3>
            <Prose text={notice.full} />
          </details>
        </>
      )}
    </section>
  );
}

function Compared({ title, before, after }: { title: string; before: string; after: string }) {
  const lines = difference(before, after);
  const hasChanged = lines.some(({ kind }) => kind !== "same");
  return (
    <>
      <h3>{title}</h3>
      {!hasChanged ? <p className="soft">{t.texts.unchanged}</p> : (
        <div className="difference" tabIndex={0} role="region" aria-label={title}>
          {lines.map(({ kind, text }, index) =>
            kind === "added" ? <ins key={index}><span className="unseen">{t.texts.added}: </span>{text || " "}</ins>
              : kind === "removed" ? <del key={index}><span className="unseen">{t.texts.removed}: </span>{text || " "}</del>
              : <span key={index}>{text || " "}</span>)}
        </div>
      )}
    </>
  );
}

function NoticeForm({ notice, latest, onClose, onDone }: { notice: Notice | null; latest?: Notice; onClose: () => void; onDone: () => void }) {
  const { controller } = useDesk();
  // The next version begins as the last one.
  const begin = notice ?? latest;
  async function save({ title, language, quickLook, overview, full }: Record<string, string>) {
    const texts = { title, quickLook, overview, full };
    if (notice) await change(UpdateNotice, { id: notice.id, set: texts });
    else await change(CreateNotice, { object: { ...texts, dataControllerId: controller, language, version: (latest?.version ?? 0) + 1, published: false } });
    announce(t.saved);
    onDone();
  }
  return (
    <Dialog title={notice ? t.edit : t.texts.newVersion} onClose={onClose} wide>
      <Form submit={t.save} act={save} onCancel={onClose} onDone={onClose}>
        <Field name="title" label={t.texts.noticeTitle} defaultValue={begin?.title} required maxLength={200} autoFocus />
        {!notice && <Choice name="language" label={t.language} defaultValue={begin?.language} options={Object.entries(t.locales)} />}
        <Area name="quickLook" label={t.texts.quickLook} defaultValue={begin?.quickLook} required rows={4} />
        <Area name="overview" label={t.texts.overviewText} defaultValue={begin?.overview} required rows={6} />
        <Area name="full" label={t.texts.full} defaultValue={begin?.full} required rows={14} />
      </Form>
    </Dialog>
  );
}
