// Questions that people ask, with the controller's answers.

import { useState } from "react";
import { announce } from "../announce";
import { change } from "../api";
import { useDesk } from "../desk";
import { CreateFaq, DeleteFaq, Faqs, UpdateFaq, type FaqsQuery } from "../generated/user";
import { useQuery } from "../hooks";
import { Area, Check, Confirmed, Dialog, Field, Form } from "../parts/form";
import { Prose } from "../parts/page";
import { Badge, Content, Empty } from "../parts/states";
import { t } from "../text";

type Entry = FaqsQuery["dataControllerFaqs"][number];

export function Faq() {
  const { controller, canEdit } = useDesk();
  const faqs = useQuery(Faqs, { controller });
  const [edits, edit] = useState<Entry | "new" | null>(null);
  const rows = faqs.data?.dataControllerFaqs ?? [];
  const categories = [...new Set(rows.map(({ category }) => category))];
  return (
    <>
      {canEdit && <div className="row end"><button className="primary" onClick={() => edit("new")}>{t.texts.newFaq}</button></div>}
      <Content of={faqs} lines={8}>
        {() => rows.length === 0 ? <Empty title={t.texts.faqEmpty} /> : categories.map((category) => (
          <section className="card" key={category} aria-label={category}>
            <h2>{category}</h2>
            <ul className="messages">
              {rows.filter((row) => row.category === category).map((row) => (
                <li key={row.id}>
                  <details>
                    <summary><span className="strong">{row.question}</span> {!row.published && <Badge kind="warn">{t.texts.hidden}</Badge>}</summary>
                    <Prose text={row.answer} />
                    {canEdit && (
                      <div className="buttons">
                        <button aria-label={`${t.edit}: ${row.question}`} onClick={() => edit(row)}>{t.edit}</button>
                        <Confirmed label={t.delete} describe={row.question} question={`${t.delete}: ${row.question}`} act={() => change(DeleteFaq, { id: row.id })} onDone={faqs.reload} />
                      </div>
                    )}
                  </details>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </Content>
      {edits && <EntryForm entry={edits === "new" ? null : edits} categories={categories} next={Math.max(0, ...rows.map(({ position }) => position)) + 1} onClose={() => edit(null)} onDone={faqs.reload} />}
    </>
  );
}

function EntryForm({ entry, categories, next, onClose, onDone }: { entry: Entry | null; categories: string[]; next: number; onClose: () => void; onDone: () => void }) {
  const { controller } = useDesk();
  async function save({ category, question, answer, position, published }: Record<string, string>) {
    const set = { category, question, answer, position: Number(position), published: published === "on" };
    if (entry) await change(UpdateFaq, { id: entry.id, set });
    else await change(CreateFaq, { object: { ...set, dataControllerId: controller } });
    announce(t.saved);
    onDone();
  }
  return (
    <Dialog title={entry ? t.edit : t.texts.newFaq} onClose={onClose} wide>
      <Form submit={t.save} act={save} onCancel={onClose} onDone={onClose}>
        <Field name="category" label={t.texts.category} defaultValue={entry?.category ?? categories[0]} list="categories" required maxLength={200} autoFocus />
        <datalist id="categories">{categories.map((one) => <option key={one} value={one} />)}</datalist>
        <Field name="question" label={t.texts.question} defaultValue={entry?.question} required maxLength={1000} />
        <Area name="answer" label={t.texts.answer} defaultValue={entry?.answer} required rows={8} />
        <Field name="position" type="number" label={t.texts.position} defaultValue={entry?.position ?? next} min={0} required />
        <Check name="published" label={t.texts.visible} defaultChecked={entry?.published ?? true} />
      </Form>
    </Dialog>
  );
}
