// Which words tell a language, so that a text that is half translated is found.

/** Words of one language that are none of another's, as far as the service writes. */
const WORDS = {
  en: "the and your you with are not this about have our from which by for it what who where or address customer number telephone request received "
    + "page pages visited order ordered invoice invoices purchases device shortened interests time signed answer answered sent notice consent rights",
  de: "und ist nicht mit für ihre ihr ihnen sie wird werden auf eine einen zum zur oder wir wurde das dem einwilligung anschrift kundennummer antrag antwort rechnung zweck",
  nl: "het een niet voor wordt worden uw zijn naar bij geen ook onze wij bent hebt toestemming adres klantnummer verzoek antwoord factuur doel",
};

/** Names that are the same in all languages. */
const NAMES = ["Global Privacy Control", "Do Not Track", "Data Privacy Framework", "UK Extension", "UK GDPR"];

/**
 * The words of other languages in a text.
 * @param {string} language
 * @param {string} text
 * @param {string[]} names what is no word of a language
 */
export function foreignWords(language, text, names = []) {
  let bare = text.replace(/\S+@\S+|https?:\S+|\S+\.example\S*/g, " ");
  for (const name of [...NAMES, ...names]) bare = bare.replaceAll(name, " ");
  const found = new Set(bare.toLowerCase().split(/[^\p{L}]+/u));
  const own = new Set(WORDS[language].split(" "));
  const others = Object.entries(WORDS).filter(([other]) => other !== language).flatMap(([, words]) => words.split(" "));
  return others.filter((word) => found.has(word) && !own.has(word));
}

/** All texts of a page's widgets, those of closed parts and of attributes too; run in the page. */
export function widgetTexts() {
  const texts = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) texts.push(node.nodeValue.trim());
    if (!(node instanceof Element || node instanceof ShadowRoot)) return;
    if (node instanceof Element) {
      for (const name of ["aria-label", "placeholder", "title", "alt"]) texts.push(node.getAttribute(name) ?? "");
      if (node.shadowRoot) walk(node.shadowRoot);
    }
    for (const child of node.childNodes) walk(child);
  };
  for (const widget of document.querySelectorAll("transparency-app, svc-overview, svc-consents, svc-rights-management, svc-privacy, svc-data-map")) {
    if (widget.shadowRoot) walk(widget.shadowRoot);
  }
  return [...new Set(texts)].filter(Boolean);
}
