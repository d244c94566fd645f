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
  /** @type {Answer | "asking" | "failed" | null} */ #answer = null;
  /** The entries of the FAQ that are open. @type {Set<string>} */ #open = new Set();

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
        "aria-label": notice.title, role: this.#level === "full" ? "region" : null }, paragraphs(notice[this.#level], this.#level === "full")),
      h("section", { key: "faq" },
        h("h3", { id: "faq", tabindex: "-1" }, t.faq),
        h("form", { class: "ask", role: "search", onsubmit: (/** @type {Event} */ event) => this.#ask(event) },
          h("label", { class: "field" }, h("span", null, t.question),
            h("input", { type: "text", maxlength: 300, placeholder: t.questionHint, value: this.#question, oninput: (/** @type {Event} */ event) => {
              this.#question = /** @type {HTMLInputElement} */ (event.target).value;
            } })),
          h("button", { type: "submit", class: "button primary", part: "button primary" }, t.ask)),
        this.#found(t, controller),
        h("div", { class: "faq", lang: controller.language }, controller.faqs.map((faq) => h("details", {
          key: faq.id, id: `faq-${faq.id}`, part: "faq", open: this.#open.has(faq.id), ontoggle: (/** @type {Event} */ event) => {
            if (/** @type {HTMLDetailsElement} */ (event.target).open) this.#open.add(faq.id);
            else this.#open.delete(faq.id);
          },
        }, h("summary", null, faq.question), h("p", null, faq.answer))))),
    ];
  }

  /** Shows the text that an answer comes from. @param {Source} source @param {Controller} controller */
  #show(source, controller) {
    const place = elsewhere(source);
    if (place) {
      if (this.isPart) this.dispatchEvent(new CustomEvent("svc-show", { bubbles: true, composed: true, detail: place }));
      else this.#widget(place.tag, controller)?.show(place.selector);
      return;
    }
    const chapter = chapterNumber(source, controller);
    if (source.kind === "faq") this.#open.add(source.id);
    else this.#level = chapter === null ? "overview" : "full";
    this.redraw();
    // After the drawing, which the line above has put into the queue.
    queueMicrotask(() => this.show(source.kind === "faq" ? `#faq-${source.id} summary` : chapter === null ? ".prose" : `#chapter-${chapter}`));
  }

  /** The page's widget that shows a controller. @param {string} tag @param {Controller} controller */
  #widget(tag, controller) {
    const widgets = /** @type {NodeListOf<Widget>} */ (document.querySelectorAll(tag));
    return [...widgets].find(({ client }) => client?.controller?.id === controller.id);
  }

  /** @param {Texts} t @param {Controller} controller */
  #found(t, controller) {
    const found = this.#answer;
    if (found === null) return null;
    if (found === "asking") return h("p", { key: "found", class: "muted" }, t.loading, " …");
    if (found === "failed") return h("p", { key: "found", class: "bad" }, t.askFailed);
    if (found.sources.length === 0) {
      return h("p", { key: "found", class: "quote" }, t.noAnswer, " ", controller.dpoEmail && h("a", { href: `mailto:${controller.dpoEmail}` }, controller.dpoEmail));
    }
    const sources = named(found.sources);
    return h("div", { key: "found", class: "quote", part: "answers" },
      heading(found) && h("p", { class: "strong", lang: found.sources[0].language }, heading(found)),
      h("p", { class: "words", lang: found.language }, found.answer),
      found.generated && h("p", { class: "small muted" }, t.generated),
      h("p", { class: "small strong" }, t.source(sources.length)),
      h("ul", { class: "sources small" }, sources.map((source) => h("li", { key: `${source.id} ${source.title}` },
        this.isPart || !elsewhere(source) || this.#widget(elsewhere(source)?.tag ?? "", controller)
          ? h("button", { type: "button", class: "link", part: "source", onclick: () => this.#show(source, controller) }, h("span", { lang: source.language }, source.title))
          : h("span", { lang: source.language }, source.title),
        h("span", { class: "muted" }, ` (${t.sourceKinds[source.kind]})`)))));
  }
}

/** The widget and the element of it that show a source; nothing for a source that is shown here. @param {Source} source */
function elsewhere({ kind, id }) {
  if (kind === "purpose") return { tag: "svc-consents", selector: `#item-${id}` };
  return kind === "controller" ? { tag: "svc-overview", selector: "h2" } : null;
}

/** The question that the first source answers, unless the answer says it itself. @param {Answer} answer */
function heading({ answer, generated, sources: [first] }) {
  return !generated && first.kind === "faq" && !answer.includes(first.title) ? first.title : null;
}

/** The sources, each title once. @param {Source[]} sources */
function named(sources) {
  return [...new Map(sources.map((source) => [source.title, source])).values()];
}

/** The chapters of a text: a numbered line that begins a paragraph. @param {string} text */
function chapters(text) {
  return text.split(/\n{2,}/).filter((part) => /^\d+\. .*\n/.test(part)).map((part) => part.split("\n")[0]);
}

/** The number of the chapter that a source's title ends with; nothing if it has none. @param {Source} source @param {Controller} controller */
function chapterNumber(source, controller) {
  const notice = controller.privacyNotices.find(({ id }) => id === source.id);
  const index = chapters(notice?.full ?? "").findIndex((title) => source.title.endsWith(title.replace(/^\d+\.\s*/, "")));
  return index < 0 ? null : index;
}

/** Paragraphs, and the heads of numbered sections. @param {string} text @param {boolean} hasChapters */
function paragraphs(text, hasChapters) {
  let number = 0;
  return text.split(/\n{2,}/).map((part) => {
    const [first, ...rest] = part.split("\n");
    const isHead = /^\d+\. /.test(first) && rest.length > 0;
    if (!isHead) return h("p", null, part);
    number += 1;
    return [h("h4", hasChapters ? { id: `chapter-${number - 1}`, tabindex: "-1" } : null, first), h("p", null, rest.join(" "))];
  });
}

define("svc-privacy", Privacy);
