// Entering a request that came by letter or telephone.

import { useState } from "react";
import { announce } from "../announce";
import { change } from "../api";
import { useDesk } from "../desk";
import { pattern } from "../filters";
import { Refusal } from "../gateway";
import { EnterRequest, People } from "../generated/user";
import { useDelayed, useQuery } from "../hooks";
import { Area, Check, Choice, Dialog, Field, Form } from "../parts/form";
import { personName } from "../parts/request-bits";
import { go, href } from "../route";
import { t } from "../text";

/** The kinds of requests; `deletion` is an old word for erasure. */
const TYPES = ["access", "erasure", "rectification", "portability", "restriction", "objection"] as const;

export function NewRequest({ person, type = "access", onClose }: { person?: { id: string; name: string }; type?: (typeof TYPES)[number]; onClose: () => void }) {
  const { controller } = useDesk();
  const [chosen, choose] = useState(person);
  const [isVerified, verify] = useState(false);

  async function enter({ type, description, evidence }: Record<string, string>) {
    if (!chosen) throw new Refusal("refused", "", t.requests.findPerson);
    const object = {
      dataSubjectId: chosen.id, requestType: type, description: description || null,
      ...(isVerified ? { verified: true, identityEvidence: evidence } : {}),
    };
    const { insertDataSubjectsRightsRequest: entered } = await change(EnterRequest, { object });
    announce(t.requests.entered);
    go(href([controller, "requests", entered!.id]));
  }

  return (
    <Dialog title={t.requests.newTitle} onClose={onClose}>
      <Form submit={t.requests.enter} act={enter} onCancel={onClose} onDone={onClose}>
        <p className="soft">{t.requests.newHint}</p>
        {chosen
          ? <p className="row"><span className="strong">{chosen.name}</span>{!person && <button type="button" className="link" onClick={() => choose(undefined)}>{t.edit}</button>}</p>
          : <PersonFinder controller={controller} onChoose={choose} />}
        <Choice name="type" label={t.requests.type} defaultValue={type} options={TYPES.map((one) => [one, t.requestTypes[one]!] as const)} />
        <Area name="description" label={t.requests.description} maxLength={4000} />
        <Check label={t.requests.identityNow} checked={isVerified} onChange={(event) => verify(event.target.checked)} />
        {isVerified && <Field name="evidence" label={t.request.identityHow} required maxLength={500} list="identity-hints" />}
        <IdentityHints />
      </Form>
    </Dialog>
  );
}

export function IdentityHints() {
  return <datalist id="identity-hints">{t.request.identityHints.map((hint) => <option key={hint} value={hint} />)}</datalist>;
}

function PersonFinder({ controller, onChoose }: { controller: string; onChoose: (person: { id: string; name: string }) => void }) {
  const [text, setText] = useState("");
  const search = useDelayed(text.trim());
  const like = { _ilike: pattern(search) };
  const found = useQuery(People, search.length < 2 ? null : { where: { dataControllerId: { _eq: controller }, _or: [{ displayName: like }, { email: like }] }, limit: 6, offset: 0 });
  return (
    <>
      <Field type="search" label={t.requests.findPerson} placeholder={t.requests.searchHint} value={text} onChange={(event) => setText(event.target.value)} autoFocus />
      <ul className="finder" aria-label={t.shell.people}>
        {found.data?.dataSubjects.map((one) => (
          <li key={one.id}><button type="button" onClick={() => onChoose({ id: one.id, name: personName(one) })}>{personName(one)} <small>{one.email}</small></button></li>
        ))}
      </ul>
      {found.data?.dataSubjects.length === 0 && <p className="soft" role="status">{t.people.empty}</p>}
    </>
  );
}
