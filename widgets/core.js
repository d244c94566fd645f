// @ts-check
// What the widgets of one controller on a page share: the session, the data, and the changes that others make.

const CONTROLLER = `dataController(id: $id) {
  id title description website address postalCode city country language dpoName dpoEmail dpoPhone
  purposes(order_by: [{position: asc}, {title: asc}]) {
    id title description legalBasis consentRequired retentionMonths version respectsGlobalPrivacyControl
    dataItems(order_by: [{label: asc}]) { label category isSpecial isRequired specialCategoryCondition }
    processors { processor { title service services country safeguard safeguards } }
  }
  faqs(order_by: [{position: asc}]) { id category question answer }
  privacyNotices(order_by: [{version: desc}]) { id title version language quickLook overview full publishedAt }
}`;
/** What not every permission file lets everybody read. */
const SETTINGS = `query ($id: uuid!) {
  dataController(id: $id) { complianceConfiguration }
}`;
const REQUEST_FIELDS = `id requestType status description verified createdAt updatedAt closedAt result rejectionReason contactEmail contactVerifiedAt
  workflow { state dueAt extendedAt extensionReason } documents(order_by: [{createdAt: asc}]) { id title mediaType createdAt }`;
/** What a session reads of its person. */
const OWN = {
  consents: "dataSubjectConsentFormValues(where: {dataSubjectId: {_eq: $id}}) { id value dataControllerProcessingPurposeId createdAt updatedAt givenBy form purposeVersion }",
  history: "dataSubjectConsentHistory(where: {dataSubjectId: {_eq: $id}}, order_by: [{replacedAt: desc}]) { dataSubjectConsentFormValueId value validFrom replacedAt givenBy form }",
  requests: `dataSubjectsRightsRequests(where: {dataSubjectId: {_eq: $id}}, order_by: [{createdAt: desc}]) { ${REQUEST_FIELDS} }`,
  messages: "notificationMessages(where: {dataSubjectId: {_eq: $id}}, order_by: [{createdAt: desc}], limit: 50) { id kind title body isRead createdAt }",
  mapping: "dataSubjectDataMapping(where: {dataSubjectId: {_eq: $id}}, order_by: [{dataItemLabel: asc}, {purposeTitle: asc}]) { dataItemId dataItemLabel dataItemLabels dataCategory isSpecial purposeTitle legalBasis retentionMonths processors origin originLabel originLabels recordedAt }",
};
/** What an identified person may read beside `OWN`. */
const OWN_OF_IDENTIFIED = {
  person: "dataSubject(id: $id) { displayName email globalPrivacyControl }",
};
/** @type {Own} */
const NOTHING = { consents: [], history: [], requests: [], mapping: [], messages: [], person: null };
const CONSENT = `mutation ($controller: uuid!, $id: uuid!, $purposes: jsonb!) {
  upsertDataSubjectConsents(dataControllerId: $controller, dataSubjectId: $id, purposes: $purposes, form: "widget") { data { consentCookie leftOff } }
}`;
const REQUEST = `mutation ($id: uuid!, $type: String!, $text: String) {
  insertDataSubjectsRightsRequest(object: {dataSubjectId: $id, requestType: $type, description: $text}) {
    ${REQUEST_FIELDS}
  }
}`;
const WITHDRAW = `mutation ($id: uuid!) {
  updateDataSubjectsRightsRequest(pk_columns: {id: $id}, _set: {status: "withdrawn"}) {
    ${REQUEST_FIELDS}
  }
}`;
const ASK = `query ($id: uuid!, $question: String!) {
  answerFAQ(dataControllerId: $id, question: $question) { answer language generated sources { id kind title text language } }
}`;
const LEAVE_CONTACT = `mutation ($id: uuid!, $email: String!) {
  leaveRightsRequestContact(rightsRequestId: $id, email: $email) { status message }
}`;
const VERIFY_CONTACT = `mutation ($id: uuid!, $code: String!) {
  verifyRightsRequestContact(rightsRequestId: $id, code: $code) { status message }
}`;
const EXPORT = `query ($id: uuid!) {
  exportDataSubjectData(dataSubjectId: $id) { json html }
}`;
const UNDO_SIGNAL = `mutation ($id: uuid!) {
  updateDataSubject(pk_columns: {id: $id}, _set: {globalPrivacyControl: false}) { displayName email globalPrivacyControl }
}`;
const DOCUMENT = `query ($id: uuid!) {
  rightsRequestDocument(id: $id) { content }
}`;
const READ = `mutation ($id: uuid!) {
  updateNotificationMessage(pk_columns: {id: $id}, _set: {isRead: true}) { id }
}`;

/** After how many milliseconds a widget asks again who the person is. */
const RETRY_INTERVAL = 60_000;

/** Why a request failed, in a word that a text exists for, and the service's own sentence if it gave one. */
export class Failure extends Error {
  /** @param {"offline" | "refused" | "failed"} kind @param {string} [sentence] */
  constructor(kind, sentence) {
    super(kind);
    this.kind = kind;
    this.sentence = sentence ?? null;
  }
}

/** @type {Map<string, Client>} */
const clients = new Map();

/** @param {number} ms */
const sleep = (ms) => new Promise((done) => {
  const timer = setTimeout(finish, ms);
  function finish() {
    clearTimeout(timer);
    removeEventListener("online", finish);
    done(undefined);
  }
  addEventListener("online", finish);
});

/** The data of one controller, for all widgets of a page that show it. Dispatches `change`. */
export class Client extends EventTarget {
  /** @type {Controller | null} */ controller = null;
  /** @type {Own | null} */ own = null;
  /** @type {"loading" | "ready" | "empty" | "refused"} */ status = "loading";
  offline = false;
  /** The controller's settings that concern people, as far as they are public. @type {Settings} */ settings = {};
  /** Why nothing of the person is shown, although the site may know who it is. @type {Trouble | null} */ trouble = null;
  /** Whether the site has identified the person. */
  isIdentified = false;
  /** Whether there is a person: an identified one, or a visitor who has made a choice. */
  isKnown = false;
  /** What was chosen and is not saved yet, by purpose. @type {Map<string, boolean>} */ pending = new Map();
  /** How the last choice ended, by purpose: `unkept` is saved, but not in this browser. @type {Map<string, "saved" | "unkept" | Failure>} */ outcomes = new Map();

  /** @type {Session | null} */ #session = null;
  /** @type {Promise<Session> | null} */ #opening = null;
  /** @type {WebSocket | null} */ #socket = null;
  /** Choices are saved one after the other, so that the last cookie has them all. @type {Promise<void>} */ #saving = Promise.resolve();
  #users = 0;
  #generation = 0;
  /** @type {string | null} */ #secret = null;
  /** Whether the visitor is one since this choice. */ #isNew = false;
  /** Whether the browser forgets the visitor's secret with the page. */ #isForgetful = false;
  /** The person whose data is shown. @type {string | null} */ #person = null;

  /** @param {Place} place */
  constructor(place) {
    super();
    this.place = place;
  }

  /** The client of a place, shared by its widgets. @param {Place} place */
  static of(place) {
    const key = JSON.stringify(place);
    const known = clients.get(key) ?? new Client(place);
    clients.set(key, known);
    return known;
  }

  acquire() {
    this.#users += 1;
    if (this.#users > 1) return;
    addEventListener("storage", this.#stored);
    this.load();
  }

  release() {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#generation += 1;
    removeEventListener("storage", this.#stored);
    this.#socket?.close();
    this.#socket = null;
    clients.delete(JSON.stringify(this.place));
    // Whoever is left on the page is the present person now.
    this.#owner?.keepCookie();
  }

  /** The client whose person the site's cookie is about: the first that a site has identified, else the first. @returns {Client | undefined} */
  get #owner() {
    const all = [...clients.values()].filter(({ place }) => place.base === this.place.base && place.controllerId === this.place.controllerId);
    return all.find(({ place }) => place.identity || place.identityUrl) ?? all[0];
  }

  /** Makes the cookie that of the present person, after the choices that are being saved. */
  keepCookie() {
    const kept = this.#saving.then(() => this.#keepCookie()).catch(() => undefined);
    this.#saving = kept;
    return kept;
  }

  async #keepCookie() {
    const { controllerId } = this.place;
    if (this.#owner !== this || this.status === "loading" || this.trouble === "own" || this.pending.size > 0) return;
    // The cookie has the purposes that are still in use.
    const purposes = new Set(this.controller?.purposes.map(({ id }) => id));
    const consents = this.own?.consents.filter(({ dataControllerProcessingPurposeId: id }) => purposes.has(id)) ?? [];
    if (this.status !== "ready" || !this.#person || consents.length === 0) {
      writeCookie(controllerId, null);
      return;
    }
    const person = this.#person;
    if (isCookieOf(readCookie(controllerId), person, consents)) return;
    // Another person's choices count no longer than it takes to fetch these.
    writeCookie(controllerId, null);
    const variables = { controller: controllerId, id: person, purposes: {} };
    const { upsertDataSubjectConsents: { data } } = await this.#send(CONSENT, variables);
    if (this.#owner === this && this.#person === person) writeCookie(controllerId, data.consentCookie);
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }

  /** Whether a purpose is agreed to, as far as is shown. @param {string} id */
  agrees(id) {
    return this.pending.get(id) ?? this.consent(id)?.value === "true";
  }

  /** @param {string} id */
  consent(id) {
    return this.own?.consents.find((consent) => consent.dataControllerProcessingPurposeId === id) ?? null;
  }

  /** Who has sent Global Privacy Control: this browser now, or an earlier one of the person. @returns {"browser" | "person" | null} */
  get signal() {
    if (/** @type {any} */ (navigator).globalPrivacyControl === true) return "browser";
    return this.own?.person?.globalPrivacyControl ? "person" : null;
  }

  /** Whether the controller follows the signal; nothing if it does not say so. */
  get honoursSignal() {
    return this.settings.honoursGlobalPrivacyControl;
  }

  /** Whether the signal keeps a purpose off. @param {Purpose} purpose */
  isBlocked(purpose) {
    return this.signal !== null && this.honoursSignal === true && purpose.respectsGlobalPrivacyControl;
  }

  /** Asks again who the person is, and loads everything. */
  retry() {
    this.#session = null;
    this.load();
  }

  /** Loads everything, and again until it succeeds or is refused. What is public is shown even if the rest cannot be read. */
  async load() {
    const generation = ++this.#generation;
    this.status = this.controller ? this.status : "loading";
    this.#socket?.close();
    for (let wait = 500; generation === this.#generation; wait = Math.min(wait * 2, 15000)) {
      try {
        const session = await this.#open(false);
        const data = await this.#send(`query ($id: uuid!) { ${CONTROLLER} }`, { id: this.place.controllerId });
        if (generation !== this.#generation) return;
        this.controller = data.dataController;
        this.status = this.controller ? "ready" : "empty";
        this.trouble = session.trouble;
        this.isIdentified = session.isIdentified;
        const subject = session.dataSubjectId;
        this.#person = subject;
        const [own, settings] = await Promise.all([subject ? this.#readOwn(session) : null, this.#readSettings()]);
        if (generation !== this.#generation) return;
        this.own = own;
        this.settings = settings;
        this.isKnown = subject !== null;
        this.offline = false;
        this.changed();
        this.keepCookie();
        if (this.trouble) setTimeout(() => generation === this.#generation && this.retry(), RETRY_INTERVAL);
        this.#listen(generation);
        return;
      } catch (error) {
        if (generation !== this.#generation) return;
        const failure = asFailure(error);
        if (failure.kind === "refused") {
          this.status = "refused";
          this.own = null;
          this.#person = null;
          this.changed();
          this.keepCookie();
          return;
        }
        this.offline = true;
        // Without the person's choices a switch that is off may be wrong.
        if (this.#person && !this.own) this.trouble = "own";
        this.changed();
        await sleep(wait);
      }
    }
  }

  /** @returns {Promise<Settings>} */
  async #readSettings() {
    try {
      return (await this.#send(SETTINGS, { id: this.place.controllerId })).dataController?.complianceConfiguration ?? {};
    } catch (error) {
      if (asFailure(error).kind !== "refused") throw error;
      return {};
    }
  }

  /** What is held of the session's person; nothing if the session may not read it. @param {Session} session @returns {Promise<Own | null>} */
  async #readOwn(session) {
    const fields = Object.entries(ownFields(session)).map(([name, field]) => `${name}: ${field}`);
    try {
      return { ...NOTHING, ...(await this.#send(`query ($id: uuid!) { ${fields.join("\n")} }`, { id: session.dataSubjectId })) };
    } catch (error) {
      if (asFailure(error).kind !== "refused") throw error;
      this.trouble = "own";
      return null;
    }
  }

  /** Saves a choice. It is shown at once, and taken back if it cannot be saved. @param {string[]} purposes @param {boolean} agreed */
  async setConsents(purposes, agreed) {
    for (const purpose of purposes) {
      this.pending.set(purpose, agreed);
      this.outcomes.delete(purpose);
    }
    this.changed();
    const person = this.#person;
    const saved = this.#saving.then(() => this.#save(purposes, agreed, person));
    this.#saving = saved;
    await saved;
  }

  /**
   * Saves a choice, but for purposes about which another one was made while it waited for the one before.
   * @param {string[]} all
   * @param {boolean} agreed
   * @param {string | null} person who made the choice
   */
  async #save(all, agreed, person) {
    const isCurrent = (/** @type {string} */ purpose) => this.pending.get(purpose) === agreed;
    const purposes = all.filter(isCurrent);
    if (purposes.length === 0) return;
    /** @type {"saved" | "unkept" | Failure} */ let outcome;
    try {
      const id = await this.#subject(person);
      const choice = Object.fromEntries(purposes.map((purpose) => [purpose, agreed]));
      const { upsertDataSubjectConsents: { data } } = await this.#send(CONSENT, { controller: this.place.controllerId, id, purposes: choice });
      const isKept = this.#owner === this && writeCookie(this.place.controllerId, data.consentCookie) && !this.#isForgetful;
      outcome = isKept ? "saved" : "unkept";
      if (this.own) {
        const others = this.own.consents.filter((consent) => !purposes.includes(consent.dataControllerProcessingPurposeId));
        // Until the rows themselves arrive.
        const updatedAt = new Date().toISOString();
        const saved = purposes.map((purpose) => ({
          id: this.consent(purpose)?.id ?? "", value: String(agreed && !data.leftOff.includes(purpose)), dataControllerProcessingPurposeId: purpose, createdAt: updatedAt, updatedAt,
          givenBy: this.isIdentified ? "person" : "visitor", form: "widget", purposeVersion: null,
        }));
        this.own = { ...this.own, consents: [...others, ...saved] };
      }
    } catch (error) {
      outcome = asFailure(error);
    }
    this.#listenToNew();
    // A further choice may have been made meanwhile.
    for (const purpose of purposes.filter(isCurrent)) {
      this.outcomes.set(purpose, outcome);
      this.pending.delete(purpose);
    }
    this.changed();
  }

  /** @param {string} type @param {string} text */
  async sendRequest(type, text) {
    const id = await this.#subject(this.#person);
    const data = await this.#send(REQUEST, { id, type, text: text || null });
    this.#putRequest(data.insertDataSubjectsRightsRequest);
    this.#listenToNew();
  }

  /** @param {string} id */
  async withdraw(id) {
    const data = await this.#send(WITHDRAW, { id });
    if (!data.updateDataSubjectsRightsRequest) throw new Failure("refused");
    this.#putRequest(data.updateDataSubjectsRightsRequest);
  }

  /** The controller's answer to a question; without sources there is none. @param {string} question @returns {Promise<Answer>} */
  async ask(question) {
    return (await this.#send(ASK, { id: this.place.controllerId, question })).answerFAQ;
  }

  /** Sends a code to an address for the answer to a request. @param {string} id @param {string} email */
  async leaveContact(id, email) {
    await this.#send(LEAVE_CONTACT, { id, email });
  }

  /** Confirms the address with the code. @param {string} id @param {string} code */
  async verifyContact(id, code) {
    const { verifyRightsRequestContact: { status, message } } = await this.#send(VERIFY_CONTACT, { id, code });
    if (status !== "success") throw new Failure("refused", message);
  }

  /** @param {string} id @returns {Promise<string>} */
  async readDocument(id) {
    const { rightsRequestDocument: document } = await this.#send(DOCUMENT, { id });
    if (!document) throw new Failure("refused");
    return document.content;
  }

  /** What is held about the person, for people and for programs. @returns {Promise<{json: unknown, html: string}>} */
  async exportData() {
    const id = await this.#subject(this.#person);
    return (await this.#send(EXPORT, { id })).exportDataSubjectData;
  }

  /** The person decides about each purpose, although another browser has sent Global Privacy Control. */
  async undoSignal() {
    const id = await this.#subject(this.#person);
    const { updateDataSubject: person } = await this.#send(UNDO_SIGNAL, { id });
    if (this.own) this.own = { ...this.own, person };
    this.changed();
  }

  /** @param {Message[]} messages */
  async markRead(messages) {
    for (const { id } of messages) await this.#send(READ, { id });
    const ids = new Set(messages.map(({ id }) => id));
    if (this.own) this.own = { ...this.own, messages: this.own.messages.map((message) => (ids.has(message.id) ? { ...message, isRead: true } : message)) };
    this.changed();
  }

  /** @param {RightsRequest} request */
  #putRequest(request) {
    if (!this.own) return;
    const others = this.own.requests.filter((other) => other.id !== request.id);
    const requests = [...others, request].sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
    this.own = { ...this.own, requests };
    this.changed();
  }

  /**
   * The person for whom something is written; a visitor gets a pseudonym now.
   * @param {string | null} person who acts; nothing is written for another one
   * @returns {Promise<string>}
   */
  async #subject(person) {
    const session = await this.#open(true);
    if (!session.dataSubjectId || (person && person !== session.dataSubjectId)) throw new Failure("refused");
    if (!this.isKnown) {
      this.isKnown = true;
      this.#person = session.dataSubjectId;
      this.own ??= NOTHING;
      this.#isNew = true;
    }
    return session.dataSubjectId;
  }

  /** Listens to the changes of a new visitor, after the first choice: what was read before it would take it back. */
  #listenToNew() {
    if (!this.#isNew) return;
    this.#isNew = false;
    this.#listen(++this.#generation);
  }

  get #key() {
    return `svc-visitor ${this.place.base} ${this.place.controllerId}`;
  }

  /** The visitor's secret, which leaves the browser for the gateway alone. @param {boolean} create */
  #visitor(create) {
    try {
      this.#secret = localStorage.getItem(this.#key) ?? this.#secret;
    } catch {
      // The site or the browser forbids storage: the secret lasts as long as the page.
    }
    if (!this.#secret && create) {
      const bytes = crypto.getRandomValues(new Uint8Array(32));
      const base64 = btoa(String.fromCharCode(...bytes));
      this.#secret = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
      try {
        localStorage.setItem(this.#key, this.#secret);
        this.#isForgetful = localStorage.getItem(this.#key) !== this.#secret;
      } catch {
        // As above.
        this.#isForgetful = true;
      }
    }
    return this.#secret;
  }

  /** Another tab has made the first choice of this visitor. */
  #stored = (/** @type {StorageEvent} */ event) => {
    if (event.key !== this.#key && event.key !== null) return;
    this.#secret = null;
    this.#session = null;
    this.load();
  };

  /** The session, renewed before it expires. @param {boolean} needsPerson @returns {Promise<Session>} */
  async #open(needsPerson) {
    if (this.#opening) await this.#opening.catch(() => null);
    const session = this.#session;
    if (session && session.until > Date.now() && (session.dataSubjectId || !needsPerson)) return session;
    this.#opening = this.#renew(needsPerson);
    try {
      return await this.#opening;
    } finally {
      this.#opening = null;
    }
  }

  /** @param {boolean} needsPerson */
  async #renew(needsPerson) {
    const { base, controllerId, identityUrl } = this.place;
    let { identity } = this.place;
    /** @type {Trouble | null} */ let trouble = null;
    if (identityUrl) {
      try {
        identity = await readIdentity(identityUrl);
      } catch (error) {
        // The person whose data is shown stays until the site answers.
        if (this.own && this.isIdentified) throw error;
        trouble = "identity";
      }
    }
    const open = (/** @type {object} */ person) => reach(`${base}/v1/widgets/session`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ controllerId, ...person }),
    });
    let response = await open(trouble ? {} : identity ? { identity } : { visitor: this.#visitor(needsPerson) });
    if (response.status === 401 && identity) {
      trouble = "identity";
      response = await open({});
    }
    if (!response.ok) throw new Failure(response.status === 429 || response.status >= 500 ? "failed" : "refused");
    const answer = await response.json();
    // A few seconds early, so that no request is under way when it ends.
    const until = Date.now() + Math.max(answer.accessTokenExpiresIn * 1000 - 5000, 1000);
    const isIdentified = Boolean(identity) && !trouble;
    /** @type {Session} */ const session = { ...answer, until, isIdentified, trouble };
    this.#session = session;
    if (this.#person && answer.dataSubjectId !== this.#person) {
      // The site has identified somebody else: nothing of the former person stays.
      this.#person = null;
      this.own = null;
      this.controller = null;
      this.pending.clear();
      this.outcomes.clear();
      queueMicrotask(() => this.load());
    } else if (this.status === "ready" && !this.#person && isIdentified) {
      // A visitor of whom nothing is known has signed in.
      queueMicrotask(() => this.load());
    }
    return session;
  }

  /** Sends a document. A session that has expired is renewed once. @param {string} query @param {object} variables @returns {Promise<any>} */
  async #send(query, variables) {
    for (let attempt = 0; ; attempt += 1) {
      const session = await this.#open(false);
      const headers = { "Content-Type": "application/json", ...credentials(session) };
      const response = await reach(`${this.place.base}/v1/graphql`, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
      const answer = await response.json().catch(() => null);
      const [{ message = "", extensions: { code = "" } = {} } = {}] = answer?.errors ?? [];
      if (answer?.data && !answer.errors) {
        if (this.offline) {
          this.offline = false;
          this.changed();
        }
        return answer.data;
      }
      if ((response.status === 401 || code === "access-denied") && attempt === 0) this.#session = null;
      else if (response.status === 429 || response.status >= 500 || !answer) throw new Failure("failed");
      else throw new Failure("refused", RULES.has(code) ? message : undefined);
    }
  }

  /**
   * Listens to changes by graphql-transport-ws, and connects again whenever the connection is lost.
   * @param {number} generation
   */
  async #listen(generation) {
    this.#socket?.close();
    for (let wait = 500; generation === this.#generation; wait = Math.min(wait * 2, 30000)) {
      try {
        const session = await this.#open(false);
        if (generation !== this.#generation) return;
        const began = Date.now();
        await this.#follow(session);
        if (generation !== this.#generation) return;
        if (Date.now() - began > 5000) wait = 500;
      } catch {
        // The next attempt renews the session.
      }
      await sleep(wait);
    }
  }

  /** Follows changes until the connection ends. @param {Session} session */
  #follow(session) {
    const socket = new WebSocket(`${this.place.base.replace(/^http/, "ws")}/v1/graphql`, "graphql-transport-ws");
    this.#socket = socket;
    return /** @type {Promise<void>} */ (new Promise((done) => {
      const say = (/** @type {object} */ message) => socket.send(JSON.stringify(message));
      socket.onopen = () => say({ type: "connection_init", payload: { headers: credentials(session) } });
      socket.onclose = (event) => {
        // A session that has expired is not used again.
        if (event.code >= 4400 && event.code < 4500 && this.#session === session) this.#session = null;
        done();
      };
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        if (message.type === "ping") say({ type: "pong" });
        if (message.type === "connection_ack") {
          const ask = (/** @type {string} */ id, /** @type {string} */ field, /** @type {unknown} */ value) =>
            say({ id, type: "subscribe", payload: { query: `subscription ($id: uuid!) { ${field} }`, variables: { id: value } } });
          ask("controller", CONTROLLER, this.place.controllerId);
          if (session.dataSubjectId && this.own) for (const [id, field] of Object.entries(ownFields(session))) ask(id, field, session.dataSubjectId);
        }
        if (message.type === "next" && message.payload.data) this.#receive(message.id, Object.values(message.payload.data)[0]);
        if (message.type === "error") socket.close();
      };
    }));
  }

  /** @param {string} id @param {any} value */
  #receive(id, value) {
    this.offline = false;
    if (id === "controller") {
      this.controller = value;
      this.status = value ? "ready" : "empty";
    } else if (this.own) this.own = { ...this.own, [id]: value };
    this.changed();
    if (id === "consents") this.keepCookie();
  }
}

/** The codes of errors whose message is a sentence about a rule of the service. */
const RULES = new Set(["data-exception", "constraint-violation", "action-failed"]);

/** The fields that a session may read of its person. @param {Session} session */
function ownFields(session) {
  return session.isIdentified ? { ...OWN, ...OWN_OF_IDENTIFIED } : OWN;
}

/** The signed identity of who is signed in at the site; 401 and 403 say that nobody is. @param {string} url */
async function readIdentity(url) {
  const response = await reach(url, { credentials: "same-origin", headers: { Accept: "text/plain" } });
  if (response.status === 401 || response.status === 403) return null;
  // A redirection to another site's sign-in is no answer of this one.
  if (!response.ok || new URL(response.url).origin !== self.origin) throw new Failure("failed");
  return (await response.text()).trim() || null;
}

/** The cookie's value; null if there is none, or none can be read. @param {string} controller */
function readCookie(controller) {
  try {
    const pairs = document.cookie.split("; ").map((pair) => pair.split("="));
    return pairs.find(([name]) => name === `svc-consents-${controller}`)?.[1] ?? null;
  } catch {
    // The site or the browser forbids cookies.
    return null;
  }
}

/**
 * Keeps the signed consents as a cookie of the page's own site, whose server can verify them. Browsers drop a cookie that is too long or
 * not wanted without a word, so it is read again; one that is not kept leaves no former one behind.
 * @param {string} controller
 * @param {string | null} value null deletes the cookie
 * @returns {boolean} whether the browser has kept it
 */
function writeCookie(controller, value) {
  if (value === null && readCookie(controller) === null) return true;
  // A year, after which the visitor may be asked again.
  const attributes = [`Max-Age=${value === null ? 0 : 31536000}`, "Path=/", "SameSite=Lax", ...(location.protocol === "https:" ? ["Secure"] : [])];
  try {
    document.cookie = [`svc-consents-${controller}=${value ?? ""}`, ...attributes].join("; ");
  } catch {
    // The site or the browser forbids cookies. The choice is saved nevertheless.
    return false;
  }
  if (readCookie(controller) === value) return true;
  if (value !== null) writeCookie(controller, null);
  return false;
}

/**
 * Whether a cookie says of a person what the database does. One in the short form has to be made again.
 * @param {string | null} cookie
 * @param {string} person
 * @param {Consent[]} consents
 */
function isCookieOf(cookie, person, consents) {
  try {
    const base64 = (cookie ?? "").split(".")[0].replaceAll("-", "+").replaceAll("_", "/");
    const { dataSubjectId, purposes } = JSON.parse(atob(base64));
    return dataSubjectId === person && Object.keys(purposes).length === consents.length
      && consents.every(({ value, dataControllerProcessingPurposeId: id }) => purposes[id] === (value === "true"));
  } catch {
    return false;
  }
}

/** @param {Session} session */
function credentials(session) {
  return { Authorization: `Bearer ${session.accessToken}`, [session.roleHeader]: session.role };
}

/** @param {string} url @param {RequestInit} init */
async function reach(url, init) {
  try {
    return await fetch(url, { credentials: "omit", cache: "no-store", ...init, signal: AbortSignal.timeout(20000) });
  } catch {
    throw new Failure("offline");
  }
}

/** @param {unknown} error */
export function asFailure(error) {
  return error instanceof Failure ? error : new Failure("failed");
}
