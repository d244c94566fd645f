// @ts-check
// The widgets' style sheet. Pages set the custom properties of :host, and style parts by ::part.

const CSS = `
:host {
  --accent: var(--svc-accent, light-dark(#0b5cad, #82b8ff));
  --on-accent: var(--svc-on-accent, light-dark(#ffffff, #0a1826));
  --text: var(--svc-text, light-dark(#1b2430, #e9edf3));
  --muted: var(--svc-muted, light-dark(#51606f, #a9b5c3));
  --background: var(--svc-background, light-dark(#ffffff, #161c24));
  --surface: var(--svc-surface, light-dark(#f4f6f9, #1f2731));
  --border: var(--svc-border, light-dark(#d6dde5, #36424f));
  --control: var(--svc-control, light-dark(#738292, #8694a3));
  --good: light-dark(#11693a, #6cd89b);
  --bad: light-dark(#b3261e, #ff9f96);
  --radius: var(--svc-radius, 12px);
  display: block;
  container-type: inline-size;
  color: var(--text);
  font-family: var(--svc-font, inherit);
  font-size: var(--svc-font-size, 1rem);
  line-height: 1.55;
  text-align: start;
}
:host([hidden]), [hidden] { display: none !important; }
*, ::before, ::after { box-sizing: border-box; }
h2, h3, h4, p, ul, dl, dd, fieldset { margin: 0; padding: 0; border: 0; }
h2 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -0.01em; text-wrap: balance; }
h3 { font-size: 1.0625rem; line-height: 1.4; }
h4 { font-size: 1rem; line-height: 1.4; }
ul { list-style: none; }
address { font-style: normal; display: grid; gap: 2px; }
p, li, dd, dt, span, h2, h3, h4, legend, summary, label, input, textarea { overflow-wrap: anywhere; unicode-bidi: plaintext; text-align: -webkit-match-parent; text-align: match-parent; }
button, input, textarea { font: inherit; color: inherit; }
a, .link { color: var(--accent); text-underline-offset: 3px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
.body { display: grid; gap: 24px; padding: var(--svc-padding, 24px); background: var(--background);
  border: 1px solid var(--border); border-radius: var(--radius); min-block-size: var(--svc-min-height, 0); align-content: start; }
.body > section, .head, .card, .item, .quote, .notice { display: grid; gap: 8px; align-content: start; }
.head { gap: 4px; }
.head p { max-inline-size: 65ch; }
.muted { color: var(--muted); }
.small { font-size: 0.875rem; }
.strong { font-weight: 600; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.quiet { position: absolute; inline-size: 1px; block-size: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.row { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; }
.title { display: flex; gap: 8px 16px; justify-content: space-between; align-items: center; }
.title.wrap { flex-wrap: wrap; }
.title > :first-child { min-inline-size: 0; }
.badge { font-size: 0.8125rem; line-height: 1.4; padding: 2px 10px; border-radius: 99px; background: var(--surface); border: 1px solid var(--border); color: var(--muted); flex: none; }
.badge.completed { color: var(--good); border-color: currentColor; }
.badge.rejected { color: var(--bad); border-color: currentColor; }
.badge.submitted, .badge.pending, .badge.in_progress { color: var(--accent); border-color: currentColor; }
.icon { inline-size: 20px; block-size: 20px; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; flex: none; }
.button { min-block-size: 44px; padding: 8px 20px; border-radius: calc(var(--radius) * .75); border: 1px solid var(--control); background: var(--background); font-weight: 600; cursor: pointer; }
.button:hover { background: var(--surface); }
.button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.button.primary:hover { filter: brightness(1.1); }
.button[aria-disabled] { opacity: .7; cursor: progress; }
button:disabled, input:disabled { opacity: .6; cursor: not-allowed; }
.dates { display: flex; flex-wrap: wrap; gap: 4px 28px; font-size: 0.875rem; }
.dates dt { color: var(--muted); }
.documents { display: grid; gap: 8px; padding-block: 4px; }
.documents .row { gap: 20px; }
pre { margin: 8px 0 0; padding: 12px 14px; background: var(--surface); border: 1px solid var(--border); border-radius: 8px; white-space: pre-wrap; overflow: auto; max-block-size: 20em; overflow-wrap: anywhere; font-size: 0.8125rem; line-height: 1.5; }
.sources { display: grid; gap: 2px; }
.sources .link { text-align: start; }
.link { background: none; border: 0; padding: 4px 8px; margin: -4px -8px; min-block-size: 28px; text-decoration: underline; cursor: pointer; text-align: end; }
.banner { padding: 10px 14px; border-radius: calc(var(--radius) * .75); border: 1px solid currentColor; color: var(--bad); font-weight: 600; }
.quote { padding: 14px 18px; background: var(--surface); border-inline-start: 3px solid var(--accent); border-radius: 4px; gap: 8px; }
.quote h3 { font-size: 0.9375rem; }
.notice { justify-items: start; }
.note { display: flex; flex-wrap: wrap; gap: 12px; justify-content: space-between; align-items: center; padding: 12px 16px; border-radius: calc(var(--radius) * .75); background: var(--surface); border: 1px solid var(--control); }
.note > p { flex: 1 1 260px; max-inline-size: 70ch; }
.placeholder { display: grid; gap: 18px; }
.bone { block-size: 22px; border-radius: 6px; background: var(--surface); }
.bone.w1 { inline-size: 88%; } .bone.w2 { inline-size: 64%; margin-block-end: 20px; }
@media (prefers-reduced-motion: no-preference) {
  .bone { animation: breathe 1.6s ease-in-out infinite alternate; }
  .switch, .switch::before { transition: background-color .15s, translate .15s; }
}
@keyframes breathe { to { opacity: .5; } }

.figures { display: grid; grid-template-columns: repeat(2, 1fr); gap: 1px; background: var(--border); border: 1px solid var(--border); border-radius: var(--radius); overflow: hidden; }
.figure { display: flex; flex-direction: column-reverse; justify-content: flex-end; padding: 14px 18px; background: var(--background); }
.figure dd { font-size: 1.75rem; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums; }
.figure dt { color: var(--muted); font-size: 0.875rem; }
.cards { display: grid; gap: 16px; }
.card { padding: 18px; border: 1px solid var(--border); border-radius: var(--radius); background: var(--background); }
.list { display: grid; }
.item { padding-block: 18px; border-block-start: 1px solid var(--border); gap: 6px; }
.item:last-child { padding-block-end: 0; }
.item > p { max-inline-size: 70ch; }
.state { font-size: 0.875rem; min-block-size: 1.55em; }
.words { white-space: pre-line; }
.switch { appearance: none; flex: none; inline-size: 52px; block-size: 30px; margin: 0; border-radius: 99px; border: 2px solid var(--control); background: var(--background); cursor: pointer; position: relative; }
.switch::before { content: ""; position: absolute; inset-block-start: 4px; inset-inline-start: 4px; inline-size: 18px; block-size: 18px; border-radius: 50%; background: var(--control); }
.switch:checked { background: var(--accent); border-color: var(--accent); }
.switch:checked::before { background: var(--on-accent); translate: 22px 0; }
.switch:checked:dir(rtl)::before { translate: -22px 0; }
.switch:focus-visible { border-radius: 99px; }
details { min-inline-size: 0; }
summary { cursor: pointer; list-style-position: outside; margin-inline-start: 1.1em; min-block-size: 28px; padding-block: 2px; color: var(--accent); inline-size: fit-content; max-inline-size: calc(100% - 1.1em); }
.facts { margin-inline-start: 1.1em; display: grid; gap: 14px; padding-block: 10px 4px; }
.facts dt { font-size: 0.8125rem; color: var(--muted); }
.facts dd + dd { margin-block-start: 2px; }

.form { display: grid; gap: 16px; }
.choices { display: grid; gap: 10px; }
legend { font-weight: 600; padding: 0; margin-block-end: 10px; }
.choice { display: flex; gap: 12px; padding: 12px 14px; border: 1px solid var(--border); border-radius: calc(var(--radius) * .75); cursor: pointer; }
.choice:hover { border-color: var(--control); }
.choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); background: var(--surface); }
.choice > span { display: grid; align-content: start; }
.choice .muted { font-size: 0.875rem; line-height: 1.4; }
input[type=radio] { accent-color: var(--accent); inline-size: 18px; block-size: 18px; margin: 3px 0 0; flex: none; }
.field { display: grid; gap: 6px; font-weight: 600; }
textarea, input[type=text], input[type=email] { inline-size: 100%; padding: 10px 12px; min-block-size: 44px; border: 1px solid var(--control); border-radius: calc(var(--radius) * .75); background: var(--background); font-weight: 400; resize: vertical; }
::placeholder { color: var(--muted); opacity: 1; }

.segments { display: flex; flex-wrap: wrap; gap: 4px; padding: 4px; background: var(--surface); border: 1px solid var(--border); border-radius: var(--radius); inline-size: fit-content; max-inline-size: 100%; }
.segments label { position: relative; cursor: pointer; }
.segments input { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; margin: 0; opacity: 0; cursor: pointer; }
.segments span { display: block; padding: 6px 16px; border-radius: calc(var(--radius) * .7); border: 1px solid transparent; color: var(--muted); font-weight: 600; }
.segments :checked + span { background: var(--background); color: var(--text); border-color: var(--border); }
.segments :focus-visible + span { outline: 3px solid var(--accent); outline-offset: 1px; }
.prose { display: grid; gap: 10px; max-inline-size: 70ch; }
.prose h4 { margin-block-start: 8px; }
.ask { display: flex; flex-wrap: wrap; gap: 12px; align-items: end; margin-block: 4px 8px; }
.ask .field { flex: 1 1 240px; }
.faq { display: grid; }
.faq details { border-block-start: 1px solid var(--border); padding-block: 10px; }
.faq summary { color: var(--text); font-weight: 600; inline-size: auto; }
.faq p { margin-inline-start: 1.1em; padding-block: 6px 4px; color: var(--muted); max-inline-size: 70ch; }

.map { columns: 280px; column-gap: 16px; }
.category { break-inside: avoid; margin-block-end: 16px; }
.category h4 { display: flex; gap: 10px; align-items: center; }
.category h4 .icon { color: var(--accent); }
.category .count { margin-inline-start: auto; font-weight: 400; color: var(--muted); font-variant-numeric: tabular-nums; }
.category li { border-block-start: 1px solid var(--border); padding-block: 6px; }
.category li:last-child { padding-block-end: 0; }
.category summary { color: var(--text); inline-size: auto; }

.tabs { display: flex; flex-wrap: wrap; gap: 4px; border-block-end: 1px solid var(--border); padding-block-end: 12px; margin-block-end: -4px; }
.tab { padding: 8px 12px; min-block-size: 44px; border: 0; border-radius: calc(var(--radius) * .75); background: none; color: var(--muted); font-weight: 600; cursor: pointer; }
.tab .count { margin-inline-start: 6px; padding: 0 7px; border-radius: 99px; background: var(--accent); color: var(--on-accent); font-size: 0.8125rem; }
.tab[aria-selected=true] .count { background: var(--on-accent); color: var(--accent); }
.tab:hover { background: var(--surface); color: var(--text); }
.tab[aria-selected=true] { background: var(--accent); color: var(--on-accent); }
.panel > * { --svc-padding: 0; --svc-min-height: 0; }
/* A component within the transparency center. */
:host([exportparts]) .body { border: 0; border-radius: 0; }

@container (min-width: 540px) {
  .figures { grid-template-columns: repeat(4, 1fr); }
  .cards, .choices { grid-template-columns: 1fr 1fr; }
  .choices legend, .choice:nth-child(even):last-child { grid-column: 1 / -1; }
}
@container (min-width: 880px) {
  .choices { grid-template-columns: repeat(3, 1fr); }
  .choice:nth-child(even):last-child { grid-column: auto; }
}
@container (max-width: 539px) {
  .body { padding: var(--svc-padding, 18px); }
  .row { gap: 8px; }
  .row .button { flex: 1; padding-inline: 6px; }
  .segments { inline-size: 100%; flex-wrap: nowrap; }
  .segments label { flex: 1 1 auto; text-align: center; }
  .segments span { padding-inline: 6px; font-size: 0.875rem; white-space: nowrap; }
  .row .state { flex: 1 1 100%; }
  .ask .button { inline-size: 100%; }
  .tabs { display: grid; grid-template-columns: 1fr 1fr; }
  .tab { padding-inline: 6px; font-size: 0.875rem; line-height: 1.3; }
  .tab:nth-child(odd):last-child { grid-column: 1 / -1; }
}
@media (forced-colors: active) {
  .switch, .switch::before, .tab { forced-color-adjust: none; }
}
`;

/** The style sheet of every widget: constructed, so that a page's policy needs no `unsafe-inline`. */
export const sheet = new CSSStyleSheet();
sheet.replaceSync(CSS);
