// @ts-check
// The transparency center: all components of a controller behind tabs. A page has one.

import { h } from "./dom.js";
import { Widget, define } from "./element.js";
import "./svc-overview.js";
import "./svc-consents.js";
import "./svc-rights-management.js";
import "./svc-privacy.js";
import "./svc-data-map.js";

/** @typedef {keyof Texts["tabs"]} Tab */

/** @type {Record<Tab, string>} */
const ELEMENTS = { overview: "svc-overview", consents: "svc-consents", rights: "svc-rights-management", privacy: "svc-privacy", map: "svc-data-map" };
const TABS = /** @type {Tab[]} */ (Object.keys(ELEMENTS));
const PARTS = "body heading figures card officer list purpose switch button primary form choice request document message levels notice-text faq answers source recorded possible map category data-item note notice"
  .split(" ").join(", ");

class TransparencyApp extends Widget {
  lines = 10;
  /** @type {TransparencyApp | null} */ static first = null;
  /** @type {Tab} */ #tab = "overview";
  /** Tabs that were opened; the others are made when they are. @type {Set<Tab>} */ #opened = new Set(["overview"]);

  constructor() {
    super();
    // An answer names what another tab shows.
    this.addEventListener("svc-show", (event) => {
      const { tag, selector } = /** @type {CustomEvent<{tag: string, selector: string}>} */ (event).detail;
      this.#open(TABS.find((tab) => ELEMENTS[tab] === tag) ?? "overview");
      requestAnimationFrame(() => this.#show(tag, selector));
    });
  }

  connectedCallback() {
    TransparencyApp.first ??= this;
    super.connectedCallback();
  }

  /** Shows an element as soon as it is drawn. @param {string} tag @param {string} selector */
  #show(tag, selector, tries = 20) {
    const widget = /** @type {Widget | null | undefined} */ (this.shadowRoot?.querySelector(tag));
    if (!widget?.show(selector) && tries > 0) requestAnimationFrame(() => this.#show(tag, selector, tries - 1));
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    if (TransparencyApp.first !== this || this.isConnected) return;
    TransparencyApp.first = null;
    const next = document.querySelector("transparency-app");
    if (next instanceof TransparencyApp) {
      TransparencyApp.first = next;
      next.redraw();
    }
  }

  /** @param {Tab} tab @param {boolean} [focus] */
  #open(tab, focus = false) {
    this.#tab = tab;
    this.#opened.add(tab);
    this.redraw();
    queueMicrotask(() => {
      const button = /** @type {HTMLElement | null | undefined} */ (this.shadowRoot?.querySelector(`#tab-${tab}`));
      if (focus) button?.focus();
      button?.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const isRtl = getComputedStyle(this).direction === "rtl";
    const at = TABS.indexOf(this.#tab);
    const step = { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1 }[event.key];
    const next = event.key === "Home" ? 0 : event.key === "End" ? TABS.length - 1 : step === undefined ? -1 : (at + step + TABS.length) % TABS.length;
    if (next < 0) return;
    event.preventDefault();
    this.#open(TABS[next], true);
  }

  /** @type {Widget["view"]} */
  view(t, client) {
    if (TransparencyApp.first !== this) return this.notice(t.second, t.secondMore);
    const { controllerId } = client.place;
    const { identity, identityUrl } = this.dataset;
    const unread = client.own?.messages.filter((message) => !message.isRead).length ?? 0;
    return [
      h("div", { key: "tabs", class: "tabs", part: "tabs", role: "tablist", "aria-label": t.center, onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event) },
        TABS.map((tab) => h("button", {
          key: tab, id: `tab-${tab}`, type: "button", role: "tab", class: "tab", part: tab === this.#tab ? "tab tab-selected" : "tab",
          "aria-selected": String(tab === this.#tab), "aria-controls": `panel-${tab}`, tabindex: tab === this.#tab ? "0" : "-1", onclick: () => this.#open(tab),
        }, t.tabs[tab], tab === "rights" && unread > 0 && [h("span", { class: "count", "aria-hidden": "true" }, unread), h("span", { class: "quiet" }, `, ${t.unreadCount(unread)}`)]))),
      TABS.map((tab) => h("div", { key: `panel-${tab}`, id: `panel-${tab}`, class: "panel", part: "panel", role: "tabpanel", "aria-labelledby": `tab-${tab}`, hidden: tab !== this.#tab },
        this.#opened.has(tab) && h(ELEMENTS[tab], { "data-controller-id": controllerId, "data-identity": identity, "data-identity-url": identityUrl, lang: t.language, exportparts: PARTS }))),
    ];
  }
}

define("transparency-app", TransparencyApp);
