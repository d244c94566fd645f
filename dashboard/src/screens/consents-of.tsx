// The consents of a person, each with what a controller needs to prove it: who gave it, in which way, which text was shown.

import { useState } from "react";
import { announce } from "../announce";
import { change } from "../api";
import { useDesk } from "../desk";
import { dateTime } from "../format";
import { ConsentPurposes, SaveConsents, type ConsentFragment } from "../generated/user";
import { useQuery } from "../hooks";
import { Choice, Dialog, Form } from "../parts/form";
import { Facts, Prose, Section } from "../parts/page";
import { Badge, Content, Empty } from "../parts/states";
import { t } from "../text";

export function Given({ value }: { value: string }) {
  return value === "true" ? <Badge kind="good">{t.consents.given}</Badge> : <Badge>{t.consents.refused}</Badge>;
}

export function formName(form: string): string {
  return form.startsWith("webhook:") ? t.consents.webhook(form.slice(8)) : t.consents.forms[form] ?? form;
}

export function ConsentsOf({ person, consents, onChange }: { person: string; consents: ConsentFragment[]; onChange: () => void }) {
  const { canEdit } = useDesk();
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title={t.consents.title} actions={canEdit && <button onClick={() => setOpen(true)}>{t.consents.change}</button>}>
      {consents.length === 0 && <Empty title={t.consents.empty} />}
      <ul className="consents">{consents.map((consent) => <Consent key={consent.id} consent={consent} />)}</ul>
      {isOpen && <EnterConsents person={person} consents={consents} onClose={() => setOpen(false)} onDone={onChange} />}
    </Section>
  );
}

function Consent({ consent }: { consent: ConsentFragment }) {
  const giver = consent.givenByUser?.displayName ?? t.consents.givers[consent.givenBy] ?? consent.givenBy;
  const former = consent.dataSubjectConsentHistory;
  return (
    <li>
      <div className="row wrap between">
        <span className="strong">{consent.purpose?.title ?? t.none}</span>
        <Given value={consent.value} />
      </div>
      <small>{dateTime(consent.updatedAt)} · {giver} · {formName(consent.form)}</small>
      <details>
        <summary>{t.consents.evidence}</summary>
        <Facts of={[
          [t.consents.who, giver],
          [t.consents.form, formName(consent.form)],
          [t.consents.purpose, t.consents.version(consent.purposeVersion)],
          consent.privacyNotice !== null && [t.consents.notice, t.consents.noticeVersion(consent.privacyNotice.version)],
          consent.textDigest !== null && [t.consents.digest, <code key="digest" className="break">{consent.textDigest}</code>],
        ]} />
        <p className="strong">{t.consents.shownText}</p>
        {consent.shownText ? <div className="quoted" tabIndex={0} role="region" aria-label={t.consents.shownText}><Prose text={consent.shownText} /></div> : <p className="soft">{t.consents.noText}</p>}
        <p className="strong">{t.consents.former}</p>
        {former.length === 0 ? <p className="soft">{t.consents.noFormer}</p> : (
          <ul className="history">
            {former.map((one) => (
              <li key={one.id}>
                <span><Given value={one.value} /> {one.givenByUser?.displayName ?? t.consents.givers[one.givenBy] ?? one.givenBy} · {formName(one.form)}</span>
                <small>{t.consents.until(dateTime(one.validFrom), dateTime(one.replacedAt))}</small>
              </li>
            ))}
          </ul>
        )}
      </details>
    </li>
  );
}

/** What the person has said to a colleague. Only answers that differ are sent. */
function EnterConsents({ person, consents, onClose, onDone }: { person: string; consents: ConsentFragment[]; onClose: () => void; onDone: () => void }) {
  const { controller } = useDesk();
  const purposes = useQuery(ConsentPurposes, { controller });
  const before = (id: string) => consents.find(({ purpose }) => purpose?.id === id)?.value ?? "";
  async function save({ form, ...answers }: Record<string, string>) {
    const changed = Object.entries(answers).filter(([id, value]) => value !== "" && value !== before(id));
    if (changed.length === 0) return;
    const { upsertDataSubjectConsents: saved } = await change(SaveConsents, { controller, person, form: form!, purposes: Object.fromEntries(changed.map(([id, value]) => [id, value === "true"])) });
    announce(saved.data && saved.data.leftOff.length > 0 ? t.consents.left : t.saved);
    onDone();
  }
  return (
    <Dialog title={t.consents.change} onClose={onClose}>
      <Content of={purposes} lines={5}>
        {({ dataControllerProcessingPurposes: rows }) => (
          <Form submit={t.save} onCancel={onClose} onDone={onClose} act={save}>
            <p className="soft">{t.consents.changeHint}</p>
            {rows.map(({ id, title }) => <Choice key={id} name={id} label={title} defaultValue={before(id)} options={[["", t.consents.never], ["true", t.consents.given], ["false", t.consents.refused]]} />)}
            <Choice name="form" label={t.consents.changeForm} options={(["telephone", "paper", "dashboard"] as const).map((one) => [one, t.consents.forms[one]!] as const)} />
          </Form>
        )}
      </Content>
    </Dialog>
  );
}
