// @ts-check
// Rights requests: sends one, shows how those that were sent go on and what was answered, and the messages to the person.

import { asFailure } from "./core.js";
import { h } from "./dom.js";
import { Widget, define } from "./element.js";
import { fact } from "./facts.js";
import { day, failed } from "./text.js";

const OFFERED = ["access", "rectification", "portability", "erasure", "deletion", "restriction", "objection"];
/** How many messages are shown before the list is opened. */
const RECENT = 4;
const CLOSED = ["completed", "rejected", "withdrawn"];

class RightsManagement extends Widget {
  lines = 8;
  /** @type {string} */ #type = "access";
  #text = "";
  #isSending = false;
  /** @type {{good: boolean, text: string} | null} */ #outcome = null;
  /** @type {string | null} */ #withdrawing = null;
  /** The contents of the documents that are shown. @type {Map<string, string>} */ #shown = new Map();
  /** The document that could not be read. @type {string | null} */ #unread = null;
  /** The addresses that were left for an answer and are not confirmed, by request. @type {Map<string, string>} */ #contacts = new Map();
  /** What is typed into the field of a request, an address or a code. @type {Map<string, string>} */ #typed = new Map();
  /** How the last step with an address ended, by request. @type {Map<string, {good: boolean, text: string}>} */ #steps = new Map();
  /** @type {{good: boolean, text: string} | null} */ #file = null;

  /** @param {boolean} good @param {string} text */
  #finish(good, text) {
    this.#outcome = { good, text };
    this.announce(text);
  }

  /** @param {Event} event */
  async #send(event) {
    event.preventDefault();
    const { client, texts: t } = this;
    if (!client || this.#isSending) return;
    const text = this.#text.trim();
    if (this.#type === "rectification" && !text) {
      this.#finish(false, t.wordsNeeded);
      this.shadowRoot?.querySelector("textarea")?.focus();
      return;
    }
    this.#isSending = true;
    this.#outcome = null;
    this.redraw();
    try {
      await client.sendRequest(this.#type, text);
      this.#text = "";
      this.#finish(true, t.sent);
    } catch (error) {
      this.#finish(false, failed(t, asFailure(error)));
    }
    this.#isSending = false;
    this.redraw();
  }

  /** @param {string} id */
  async #withdraw(id) {
    const { client, texts: t } = this;
    if (!client) return;
    if (this.#withdrawing !== id) {
      this.#withdrawing = id;
      this.announce(t.really);
      return;
    }
    this.#withdrawing = null;
    try {
      await client.withdraw(id);
      this.#finish(true, t.withdrawn);
    } catch (error) {
      this.#finish(false, failed(t, asFailure(error)));
    }
    /** @type {HTMLElement | null | undefined} */ (this.shadowRoot?.querySelector("#requests"))?.focus();
  }

  /** Leaves an address for an answer, or confirms it with a code. @param {Event} event @param {RightsRequest} request */
  async #contact(event, request) {
    event.preventDefault();
    const { client, texts: t } = this;
    const typed = (this.#typed.get(request.id) ?? "").trim();
    if (!client || !typed) return;
    const step = (/** @type {boolean} */ good, /** @type {string} */ text) => {
      this.#steps.set(request.id, { good, text });
      this.announce(text);
    };
    const known = this.#contacts.get(request.id) ?? request.contactEmail;
    try {
      if (known) await client.verifyContact(request.id, typed);
      else await client.leaveContact(request.id, typed);
      if (!known) this.#contacts.set(request.id, typed);
      this.#typed.delete(request.id);
      step(true, known ? t.contactVerified(known) : t.contactLeft);
    } catch (error) {
      step(false, failed(t, asFailure(error)));
    }
  }

  /** Shows a document, or hides it. @param {Client} client @param {AnswerDocument} document */
  async #show(client, { id }) {
    if (!this.#shown.delete(id)) await this.#readDocument(client, id, (content) => this.#shown.set(id, content));
    this.redraw();
  }

  /** @param {Client} client @param {AnswerDocument} document */
  async #download(client, document) {
    await this.#readDocument(client, document.id, (content) => save(fileName(document), document.mediaType, content));
    this.redraw();
  }

  /** @param {Client} client @param {string} id @param {(content: string) => void} use */
  async #readDocument(client, id, use) {
    this.#unread = null;
    try {
      use(await client.readDocument(id));
    } catch {
      this.#unread = id;
      this.announce(this.texts.unreadable);
    }
  }

  /** @param {Client} client @param {"page" | "data"} form */
  async #export(client, form) {
    const { texts: t } = this;
    this.#file = { good: true, text: t.exporting };
    this.redraw();
    try {
      const { json, html } = await client.exportData();
      const name = `${t.export.toLowerCase().replaceAll(" ", "-")}-${new Date().toISOString().slice(0, 10)}`;
      if (form === "page") save(`${name}.html`, "text/html", html);
      else save(`${name}.json`, "application/json", JSON.stringify(json, null, 2));
      this.#file = { good: true, text: t.exported };
    } catch {
      this.#file = { good: false, text: t.exportFailed };
    }
    this.announce(this.#file.text);
  }

  /** @param {Client} client @param {Message[]} messages */
  async #read(client, messages) {
    const { texts: t } = this;
    try {
      await client.markRead(messages);
      this.announce(t.isRead);
    } catch (error) {
      this.announce(failed(t, asFailure(error)));
    }
    /** @type {HTMLElement | null | undefined} */ (this.shadowRoot?.querySelector("#messages"))?.focus();
  }

  /** @type {Widget["view"]} */
  view(t, client) {
    const requests = client.own?.requests ?? [];
    const isNeeded = this.#type === "rectification";
    return [
      h("header", { key: "head", class: "head" }, h("h2", { part: "heading" }, t.rights), h("p", { class: "muted" }, t.rightsMore)),
      h("form", { key: "form", class: "form", part: "form", onsubmit: (/** @type {Event} */ event) => this.#send(event), novalidate: true },
        h("fieldset", { class: "choices" }, h("legend", null, t.kind), OFFERED.map((type) =>
          h("label", { key: type, class: "choice", part: "choice" },
            h("input", { type: "radio", name: "type", value: type, checked: this.#type === type, onchange: () => {
              this.#type = type;
              this.redraw();
            } }),
            h("span", null, h("span", { class: "strong" }, t.types[type][0]), h("span", { class: "muted" }, t.types[type][1]))))),
        h("label", { class: "field" }, h("span", null, isNeeded ? t.words : t.wordsOptional),
          h("textarea", { rows: 3, maxlength: 2000, value: this.#text, "aria-describedby": "hint", "aria-required": isNeeded ? "true" : null,
            oninput: (/** @type {Event} */ event) => {
              this.#text = /** @type {HTMLTextAreaElement} */ (event.target).value;
            } })),
        h("p", { id: "hint", class: "small muted" }, t.wordsHint),
        h("div", { class: "row" },
          h("button", { type: "submit", class: "button primary", part: "button primary", disabled: client.trouble !== null, "aria-disabled": this.#isSending ? "true" : null },
            this.#isSending ? t.sending : t.send),
          h("p", { class: `state ${this.#outcome?.good ? "good" : "bad"}` }, this.#outcome?.text ?? "\u00a0"))),
      !client.trouble && h("section", { key: "requests" },
        h("h3", { id: "requests", tabindex: "-1" }, t.requests),
        requests.length === 0
          ? h("p", { class: "muted" }, t.noRequests)
          : h("ul", { class: "list", part: "list" }, requests.map((request) => this.#request(t, client, request)))),
      client.own && (client.isIdentified || client.own.messages.length > 0) && this.#messages(t, client, client.own.messages),
      client.isIdentified && client.own && h("section", { key: "export" },
        h("h3", null, t.export),
        h("p", { class: "muted" }, t.exportMore),
        h("div", { class: "row" },
          h("button", { type: "button", class: "button", part: "button", onclick: () => this.#export(client, "page") }, t.exportPage),
          h("button", { type: "button", class: "button", part: "button", onclick: () => this.#export(client, "data") }, t.exportData),
          h("p", { class: `state ${this.#file?.good ? "good" : "bad"}` }, this.#file?.text ?? "\u00a0"))),
    ];
  }

  /** @param {Texts} t @param {Client} client @param {RightsRequest} request */
  #request(t, client, request) {
    const isWaiting = request.status === "submitted" || request.status === "pending";
    const isClosed = CLOSED.includes(request.status);
    const title = t.types[request.requestType]?.[0] ?? request.requestType;
    const { workflow } = request;
    const home = client.controller?.country;
    const isLate = !isClosed && workflow && Date.parse(workflow.dueAt) < Date.now();
    const closedAt = request.closedAt ?? (isClosed ? request.updatedAt : null);
    return h("li", { key: request.id, class: "item", part: "request" },
      h("div", { class: "title" },
        h("span", { class: "strong" }, title),
        h("span", { class: `badge ${request.status}` }, t.states[request.status] ?? request.status)),
      request.description && h("p", { class: "words" }, request.description),
      h("dl", { class: "dates" },
        fact(t.received, [day(t, request.createdAt)]),
        !isClosed && workflow && fact(t.due, [day(t, workflow.dueAt, home)]),
        closedAt && fact(t.closed, [day(t, closedAt)])),
      isLate && h("p", { class: "bad" }, t.overdue(day(t, workflow.dueAt, home))),
      workflow?.extendedAt && h("p", null, t.extended(day(t, workflow.extendedAt)), workflow.extensionReason && ` ${t.reason}: ${workflow.extensionReason}`),
      !isClosed && h("p", { class: "small muted" }, request.verified ? t.verified : t.unverified),
      request.result && h("div", { class: "quote" }, h("h4", null, t.result), h("p", { class: "words" }, request.result)),
      request.rejectionReason && h("div", { class: "quote" }, h("h4", null, t.rejection), h("p", { class: "words" }, request.rejectionReason)),
      request.documents.length > 0 && h("div", null, h("h4", null, t.documents),
        h("ul", { class: "documents" }, request.documents.map((document) => this.#document(t, client, document)))),
      !client.isIdentified && !isClosed && this.#reach(t, request),
      isWaiting && h("div", { class: "title" }, h("span", null), h("button", {
        type: "button", class: "link", "aria-label": `${this.#withdrawing === request.id ? t.really : t.withdraw} ${title}, ${day(t, request.createdAt)}`, onclick: () => this.#withdraw(request.id),
      }, this.#withdrawing === request.id ? t.really : t.withdraw)));
  }

  /** A document of an answer. Only plain text is shown within the page; everything can be kept as a file. @param {Texts} t @param {Client} client @param {AnswerDocument} document */
  #document(t, client, document) {
    const isText = /^(text\/plain|text\/csv|application\/json)\b/.test(document.mediaType);
    const content = this.#shown.get(document.id);
    return h("li", { key: document.id, part: "document" },
      h("div", { class: "title wrap" },
        h("span", null, document.title, h("span", { class: "small muted" }, ` ${day(t, document.createdAt)}`)),
        h("span", { class: "row" },
          isText && h("button", { type: "button", class: "link", "aria-expanded": String(content !== undefined), "aria-label": `${content === undefined ? t.show : t.hide}: ${document.title}`,
            onclick: () => this.#show(client, document) }, content === undefined ? t.show : t.hide),
          h("button", { type: "button", class: "link", "aria-label": `${t.download}: ${document.title}`, onclick: () => this.#download(client, document) }, t.download))),
      this.#unread === document.id && h("p", { class: "bad small" }, t.unreadable),
      content !== undefined && h("pre", { tabindex: "0", role: "region", "aria-label": document.title }, content));
  }

  /** How a visitor can be reached. @param {Texts} t @param {RightsRequest} request */
  #reach(t, request) {
    const known = this.#contacts.get(request.id) ?? request.contactEmail;
    const step = this.#steps.get(request.id);
    if (request.contactVerifiedAt && request.contactEmail) return h("p", { key: "contact", class: "small" }, t.contactVerified(request.contactEmail));
    return h("form", { key: "contact", class: "contact", novalidate: true, onsubmit: (/** @type {Event} */ event) => this.#contact(event, request) },
      !known && h("p", { class: "small muted" }, t.contactMore),
      h("div", { class: "ask" },
        h("label", { key: known ? "code" : "mail", class: "field" }, h("span", null, known ? t.code(known) : t.contact),
          h("input", {
            type: known ? "text" : "email", inputmode: known ? "numeric" : "email", autocomplete: known ? "one-time-code" : "email", maxlength: 254, value: this.#typed.get(request.id) ?? "",
            oninput: (/** @type {Event} */ event) => this.#typed.set(request.id, /** @type {HTMLInputElement} */ (event.target).value),
          })),
        h("button", { type: "submit", class: "button", part: "button" }, known ? t.confirm : t.leave)),
      h("div", { class: "title wrap" },
        h("p", { class: `state ${step?.good ? "good" : "bad"}` }, step?.text ?? "\u00a0"),
        this.#contacts.has(request.id) && h("button", { type: "button", class: "link", onclick: () => {
          this.#contacts.delete(request.id);
          this.#steps.delete(request.id);
          this.#typed.delete(request.id);
          this.redraw();
        } }, t.otherContact)));
  }

  /** @param {Texts} t @param {Client} client @param {Message[]} messages */
  #messages(t, client, messages) {
    const unread = messages.filter((message) => !message.isRead);
    const recent = messages.slice(0, RECENT);
    const older = messages.slice(RECENT);
    return h("section", { key: "messages" },
      h("div", { class: "title wrap" },
        h("h3", { id: "messages", tabindex: "-1" }, t.messages),
        unread.length > 1 && h("button", { type: "button", class: "link", onclick: () => this.#read(client, unread) }, t.markAllRead)),
      messages.length === 0
        ? h("p", { class: "muted" }, t.noMessages)
        : h("ul", { class: "list", part: "list" }, recent.map((message) => this.#message(t, client, message))),
      older.length > 0 && h("details", null, h("summary", null, t.older(older.length, older.filter((message) => !message.isRead).length)), h("ul", { class: "list" }, older.map((message) => this.#message(t, client, message)))));
  }

  /** @param {Texts} t @param {Client} client @param {Message} message */
  #message(t, client, message) {
    return h("li", { key: message.id, class: "item", part: "message" },
      h("div", { class: "title" },
        h("span", { class: "strong" }, message.title),
        !message.isRead && h("span", { class: "badge submitted" }, t.unread)),
      h("p", { class: "words" }, message.body),
      h("div", { class: "title" },
        h("span", { class: "small muted" }, day(t, message.createdAt)),
        !message.isRead && h("button", { type: "button", class: "link", "aria-label": `${t.markRead}: ${message.title}`, onclick: () => this.#read(client, [message]) }, t.markRead)));
  }
}

/** A document's title with an ending that fits its type. @param {AnswerDocument} document */
function fileName({ title, mediaType }) {
  const endings = /** @type {Record<string, string>} */ ({ "application/json": "json", "text/html": "html", "text/csv": "csv", "text/plain": "txt" });
  const ending = endings[mediaType.split(";")[0]];
  const bare = title.replace(/[^\p{L}\p{N}. -]/gu, "").trim() || "document";
  return !ending || bare.endsWith(`.${ending}`) ? bare : `${bare}.${ending}`;
}

/** Keeps a text as a file. It is never opened in the page's origin, so markup in it stays harmless. @param {string} name @param {string} type @param {string} text */
function save(name, type, text) {
  const href = URL.createObjectURL(new Blob([text], { type: `${type.split(";")[0]};charset=utf-8` }));
  const link = Object.assign(document.createElement("a"), { href, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 10000);
}

define("svc-rights-management", RightsManagement);
