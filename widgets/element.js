// @ts-check
// The element that all widgets are: a shadow root, its language, the states that every widget has, and live messages.

import { Client } from "./core.js";
import { h, patch } from "./dom.js";
import { sheet } from "./style.js";
import { firstKnown, languageName, loadTexts, texts } from "./text.js";

const BASE = new URL("..", import.meta.url).href.replace(/\/$/, "");
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A URL of the page's own site; nothing if it is of another one, or none. @param {string} text */
function ownUrl(text) {
  try {
    const url = new URL(text, document.baseURI);
    return url.origin === self.origin ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** After how many milliseconds texts that could not be loaded are asked for again. */
const RETRY_INTERVAL = 2000;

/** The base of the widgets. */
export class Widget extends HTMLElement {
  static observedAttributes = ["data-controller-id", "data-identity", "data-identity-url", "lang"];

  /** @type {Client | null} */ client = null;
  /** The lines of the placeholder that is shown while data is loading. */
  lines = 6;
  #isDue = false;
  #isActive = false;
  #isForeign = false;
  #message = "";
  #draw = () => this.redraw();
  #observer = new MutationObserver(this.#draw);

  constructor() {
    super();
    this.attachShadow({ mode: "open" });
    /** @type {ShadowRoot} */ (this.shadowRoot).adoptedStyleSheets = [sheet];
  }

  connectedCallback() {
    this.#isActive = true;
    const controllerId = this.dataset.controllerId ?? "";
    const { identity = null, identityUrl } = this.dataset;
    const url = identityUrl ? ownUrl(identityUrl) : null;
    this.#isForeign = url === undefined;
    if (UUID.test(controllerId) && url !== undefined) {
      this.client = Client.of({ base: BASE, controllerId: controllerId.toLowerCase(), identity, identityUrl: url });
      this.client.addEventListener("change", this.#draw);
      this.client.acquire();
    }
    this.#observer.observe(document.documentElement, { attributeFilter: ["lang"] });
    this.redraw();
  }

  disconnectedCallback() {
    this.#isActive = false;
    this.#observer.disconnect();
    this.client?.removeEventListener("change", this.#draw);
    this.client?.release();
    this.client = null;
  }

  attributeChangedCallback() {
    // An element that is upgraded gets its attributes before it is connected.
    if (!this.#isActive) return;
    this.disconnectedCallback();
    this.connectedCallback();
  }

  /** The language of the element or the page, or else that of the controller; nothing as long as that is not known. */
  get #language() {
    const own = firstKnown(this.closest("[lang]")?.getAttribute("lang"));
    const { client } = this;
    if (own || (client?.status === "loading" && !client.offline)) return own;
    return firstKnown(client?.controller?.language, navigator.language) ?? "en";
  }

  /** The texts, which a widget that shows anything has. @returns {Texts} */
  get texts() {
    return /** @type {Texts} */ (texts(this.#language ?? ""));
  }

  /** Whether another widget has this one as a part. */
  get isPart() {
    const root = this.getRootNode();
    return root instanceof ShadowRoot && root.host instanceof Widget;
  }

  /** Scrolls to an element of the widget and focuses it; whether that succeeds. @param {string} selector */
  show(selector) {
    const element = /** @type {HTMLElement | null | undefined} */ (this.shadowRoot?.querySelector(selector));
    element?.scrollIntoView({ block: "center" });
    element?.focus({ preventScroll: true });
    return Boolean(element) && this.shadowRoot?.activeElement === element;
  }

  /** Says something to screen readers. @param {string} message */
  announce(message) {
    this.#message = message;
    this.redraw();
  }

  /** Draws the widget again, once for all changes of a moment. */
  redraw() {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.isConnected) patch(/** @type {ShadowRoot} */ (this.shadowRoot), this.#frame());
    });
  }

  /** @returns {Child[]} */
  #frame() {
    const { texts: t, client } = this;
    if (!t) {
      if (this.#language) loadTexts(this.#language).then(this.#draw, () => setTimeout(this.#draw, RETRY_INTERVAL));
      return [h("div", { key: "body", class: "body", part: "body" }, this.#placeholder())];
    }
    const live = h("p", { key: "live", class: "quiet", role: "status" }, this.#message);
    const body = () => {
      if (this.#isForeign) return this.notice(t.foreignIdentity, t.foreignIdentityMore);
      if (!client) return this.notice(t.noController, t.noControllerMore);
      if (client.status === "refused") return this.notice(t.refused, t.refusedMore, t.retry, () => client.load());
      if (client.status === "empty") return this.notice(t.empty, t.emptyMore);
      if (!client.controller) return client.offline ? [this.#offline(t), this.#placeholder(t)] : this.#placeholder(t);
      return [client.offline && this.#offline(t), !this.isPart && this.#notes(t, client, client.controller), this.view(t, client, client.controller)];
    };
    return [live, h("div", { key: "body", class: "body", part: "body", lang: t.language }, body())];
  }

  /** @param {Texts} t */
  #offline(t) {
    return h("p", { key: "offline", class: "banner", role: "alert" }, t.offline);
  }

  /** What holds for the whole widget. @param {Texts} t @param {Client} client @param {Controller} controller */
  #notes(t, client, controller) {
    return [
      client.trouble && h("div", { key: "trouble", class: "note", part: "note", role: "status" }, h("p", null, t.troubles[client.trouble]),
        h("button", { type: "button", class: "button", part: "button", onclick: () => client.retry() }, t.retry)),
      controller.language !== t.language && h("p", { key: "written", class: "small muted" }, t.written(controller.title, languageName(t, controller.language))),
    ];
  }

  /** @param {Texts} [t] */
  #placeholder(t) {
    const lines = Array.from({ length: this.lines }, (_, index) => h("div", { class: `bone w${index % 3}` }));
    return h("div", { key: "placeholder", class: "placeholder", role: "status", "aria-label": t?.loading }, lines);
  }

  /**
   * A state instead of the content.
   * @param {string} title
   * @param {string} more
   * @param {string} [label]
   * @param {() => void} [act]
   * @returns {Child}
   */
  notice(title, more, label, act) {
    const button = label ? h("button", { type: "button", class: "button", onclick: act }, label) : null;
    return h("div", { key: "notice", class: "notice", part: "notice" }, h("p", { class: "strong" }, title), h("p", null, more), button);
  }

  /**
   * The content of a widget.
   * @param {Texts} t
   * @param {Client} client
   * @param {Controller} controller
   * @returns {Child}
   */
  view(t, client, controller) {
    void [t, client, controller];
    return null;
  }
}

/**
 * Defines an element, unless the page has it already.
 * @param {string} name
 * @param {CustomElementConstructor} type
 */
export function define(name, type) {
  if (!customElements.get(name)) customElements.define(name, type);
}

/**
 * A button or badge's icon.
 * @param {string} path
 */
export function icon(path) {
  return h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false", class: "icon" }, h("path", { d: path }));
}
