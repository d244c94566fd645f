// @ts-check
// Rights requests: sends one, and shows how those that were sent go on.

import { asFailure } from "./core.js";
import { h } from "./dom.js";
import { Widget, define } from "./element.js";
import { day } from "./text.js";

const OFFERED = ["access", "rectification", "portability", "erasure", "deletion"];

class RightsManagement extends Widget {
  lines = 8;
  /** @type {string} */ #type = "access";
  #text = "";
  #isSending = false;
  /** @type {{good: boolean, text: string} | null} */ #outcome = null;
  /** @type {string | null} */ #withdrawing = null;

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
      this.#finish(false, t.failures[asFailure(error).kind]);
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
      this.#finish(false, t.failures[asFailure(error).kind]);
    }
    /** @type {HTMLElement | null | undefined} */ (this.shadowRoot?.querySelector("#requests"))?.focus();
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
          h("button", { type: "submit", class: "button primary", part: "button primary", "aria-disabled": this.#isSending ? "true" : null },
            this.#isSending ? t.sending : t.send),
          h("p", { class: `state ${this.#outcome?.good ? "good" : "bad"}` }, this.#outcome?.text ?? "\u00a0"))),
      h("section", { key: "requests" },
        h("h3", { id: "requests", tabindex: "-1" }, t.requests),
        requests.length === 0
          ? h("p", { class: "muted" }, t.noRequests)
          : h("ul", { class: "list", part: "list" }, requests.map((request) => this.#request(t, request)))),
    ];
  }

  /** @param {import("./text.js").Texts} t @param {import("./core.js").Request} request */
  #request(t, request) {
    const isOpen = request.status === "submitted" || request.status === "pending";
    const title = t.types[request.requestType]?.[0] ?? request.requestType;
    return h("li", { key: request.id, class: "item", part: "request" },
      h("div", { class: "title" },
        h("span", { class: "strong" }, title),
        h("span", { class: `badge ${request.status}` }, t.states[request.status] ?? request.status)),
      request.description && h("p", { class: "words" }, request.description),
      h("div", { class: "title" },
        h("span", { class: "small muted" }, day(t, request.createdAt)),
        isOpen && h("button", { type: "button", class: "link", "aria-label": `${this.#withdrawing === request.id ? t.really : t.withdraw} ${title}, ${day(t, request.createdAt)}`,
          onclick: () => this.#withdraw(request.id) }, this.#withdrawing === request.id ? t.really : t.withdraw)));
  }
}

define("svc-rights-management", RightsManagement);
