// @ts-check
// The privacy notice at three levels of detail, the FAQ, and answers to questions.

import { h } from "./dom.js";
import { Widget, define } from "./element.js";
import { currentNotice } from "./svc-overview.js";
import { day } from "./text.js";

/** @typedef {"quickLook" | "overview" | "full"} Level */

class Privacy extends Widget {
  lines = 10;
  /** @type {Level} */ #level = "overview";
  #question = "";
  /** @type {{answer: string, language: string, sources: {id: string, title: string}[]} | "asking" | "failed" | null} */ #answer = null;

  /** @param {Event} event */
  async #ask(event) {
    event.preventDefault();
    const { client, texts: t } = this;
    const question = this.#question.trim();
    if (!client || !question) return;
    this.#answer = "asking";
    this.redraw();
    try {
      this.#answer = await client.ask(question);
      this.announce(this.#answer.sources.length ? this.#answer.answer : t.noAnswer);
    } catch {
      this.#answer = "failed";
      this.announce(t.askFailed);
    }
  }

  /** @type {Widget["view"]} */
  view(t, client, controller) {
    const notice = currentNotice(controller, t.language);
    const levels = /** @type {[Level, string][]} */ (Object.entries(t.levels));
    return [
      h("header", { key: "head", class: "head" },
        h("h2", { part: "heading" }, notice?.title ?? t.notice),
        notice && h("p", { class: "muted" }, t.version(notice.version, day(t, notice.publishedAt)))),
      notice ? h("fieldset", { key: "levels", class: "segments", part: "levels" }, h("legend", { class: "quiet" }, t.level),
        levels.map(([level, label]) => h("label", { key: level },
          h("input", { type: "radio", name: "level", value: level, checked: this.#level === level, onchange: () => {
            this.#level = level;
            this.redraw();
          } }), h("span", null, label))))
        : h("p", { key: "none", class: "muted" }, t.noNotice),
      notice && h("article", { key: "text", class: "prose", part: "notice-text", lang: notice.language, tabindex: this.#level === "full" ? "0" : null,
        "aria-label": notice.title, role: this.#level === "full" ? "region" : null }, paragraphs(notice[this.#level])),
      h("section", { key: "faq" },
        h("h3", null, t.faq),
        h("form", { class: "ask", role: "search", onsubmit: (/** @type {Event} */ event) => this.#ask(event) },
          h("label", { class: "field" }, h("span", null, t.question),
            h("input", { type: "text", maxlength: 300, placeholder: t.questionHint, value: this.#question, oninput: (/** @type {Event} */ event) => {
              this.#question = /** @type {HTMLInputElement} */ (event.target).value;
            } })),
          h("button", { type: "submit", class: "button primary", part: "button primary" }, t.ask)),
        this.#found(t, controller),
        h("div", { class: "faq" }, controller.faqs.map((faq) => h("details", { key: faq.id, part: "faq" }, h("summary", null, faq.question), h("p", null, faq.answer))))),
    ];
  }

  /** @param {import("./text.js").Texts} t @param {import("./core.js").Controller} controller */
  #found(t, controller) {
    const found = this.#answer;
    if (found === null) return null;
    if (found === "asking") return h("p", { key: "found", class: "muted" }, t.loading, " …");
    if (found === "failed") return h("p", { key: "found", class: "bad" }, t.askFailed);
    if (found.sources.length === 0) {
      return h("p", { key: "found", class: "quote" }, t.noAnswer, " ", controller.dpoEmail && h("a", { href: `mailto:${controller.dpoEmail}` }, controller.dpoEmail));
    }
    // A notice is a source by each of its chapters, so ids come twice.
    const titles = [...new Set(found.sources.map((source) => source.title))].slice(0, 3);
    return h("div", { key: "found", class: "quote", part: "answers", lang: found.language },
      h("p", null, found.answer),
      h("p", { class: "quiet" }, t.sources, " ", titles.join(" · ")));
  }
}

/** Paragraphs, and the heads of numbered sections. @param {string} text */
function paragraphs(text) {
  return text.split(/\n{2,}/).map((part) => {
    const [first, ...rest] = part.split("\n");
    const isHead = /^\d+\. /.test(first) && rest.length > 0;
    return isHead ? [h("h4", null, first), h("p", null, rest.join(" "))] : h("p", null, part);
  });
}

define("svc-privacy", Privacy);
