// Drives the widgets in Chromium against a running demo. Reads {"url", "other"…} (line 1 of `postern demo`) from
// standard input, and writes one JSON line for each check: {"name", "failure"}. Screenshots go to the folder given; the
// argument after it selects what widgets do (`behaviour`) or how they look and what they say (`looks`).

import assert from "node:assert/strict";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { launch, site } from "./browser.mjs";
import { foreignWords, widgetTexts } from "./languages.mjs";

const facts = JSON.parse(readFileSync(0, "utf8"));
const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const { url } = facts;
const controller = facts.data_controller_id;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const TAGS = ["svc-overview", "svc-consents", "svc-rights-management", "svc-privacy", "svc-data-map"];
const NEWSLETTER = facts.purpose_id;

// As a site's server verifies the cookie: demo/widgets.md. Its key is that of the demo's database.
function verified(cookie) {
  const [payload, signature = ""] = cookie.split(".");
  const given = Buffer.from(signature, "base64url");
  const expected = createHmac("sha256", Buffer.from(facts.consent_cookie_key, "hex")).update(payload).digest();
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return JSON.parse(Buffer.from(payload, "base64url"));
}

/** Whether a verified cookie agrees to a purpose, in both forms of demo/widgets.md. */
function agrees({ version, purposes, agreed }, purpose) {
  if (version === undefined) return purposes[purpose] === true;
  const short = createHash("sha256").update(purpose).digest().subarray(0, 6).toString("base64url");
  return (agreed.match(/.{8}/g) ?? []).includes(short);
}

/** What the database holds, as the admin sees it. */
async function admin(query, variables = {}) {
  const headers = { "Content-Type": "application/json", "X-Gateway-Admin-Secret": facts.admin_secret };
  const response = await fetch(`${url}/v1/graphql`, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  const answer = await response.json();
  assert.ok(answer.data, JSON.stringify(answer));
  return answer.data;
}

const element = (tag, attributes = "") => `<${tag} data-controller-id="${controller}" ${attributes}></${tag}>`;
const browser = await launch();

/** A page of its own, with its own storage. Its errors, and requests to other hosts, are failures. */
async function visit(address, options = {}) {
  const context = options.context ?? await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options });
  if (options.init) await context.addInitScript(options.init);
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !options.noisy) page.problems.push(message.text());
  });
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    const hosts = [new URL(url).host, new URL(address).host];
    if (protocol.startsWith("http") && !hosts.includes(host)) page.problems.push(`a request to ${host}`);
  });
  await page.goto(address);
  return page;
}

async function embedded(body, act, options) {
  const other = await site(url, body, options);
  try {
    const page = await visit(other.url, options);
    await act(page, other);
    if (!options?.noisy) assert.deepEqual(page.problems, []);
    await page.context().close();
  } finally {
    other.close();
  }
}

/** Waits until a condition holds; its last value is in the failure. */
async function until(read, holds) {
  const end = Date.now() + 15000;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    assert.ok(Date.now() < end, `still ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

const consentsOf = (subject) => admin(
  "query ($id: uuid!) { dataSubjectConsentFormValues(where: {dataSubjectId: {_eq: $id}}) { value dataControllerProcessingPurposeId } }", { id: subject },
).then((data) => data.dataSubjectConsentFormValues);

/** Remembers the data subject of the sessions that a page opens. */
function watchSubject(page) {
  page.on("response", async (response) => {
    if (response.url().endsWith("/v1/widgets/session") && response.ok()) {
      const { dataSubjectId } = await response.json().catch(() => ({}));
      page.subject = dataSubjectId ?? page.subject;
    }
  });
}

function identity(subject, audience = controller, seconds = 300, key = facts.identity_key) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: subject, aud: audience, exp: Math.floor(Date.now() / 1000) + seconds })}`;
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
}

const checks = {
  async "a visitor's consent becomes a row, and nothing is stored before"() {
    await embedded(element("svc-consents"), async (page) => {
      watchSubject(page);
      const control = page.getByRole("switch", { name: "Newsletter" });
      await control.waitFor();
      assert.equal(await page.evaluate(() => localStorage.length), 0);
      assert.equal(await control.isChecked(), false);
      await control.click();
      await page.locator("svc-consents li", { hasText: "Newsletter" }).locator(".good").waitFor();
      assert.deepEqual(await consentsOf(page.subject), [{ value: "true", dataControllerProcessingPurposeId: NEWSLETTER }]);
      const secret = await page.evaluate(() => localStorage.getItem(localStorage.key(0)));
      assert.equal(secret.length, 43);
      await page.reload();
      await until(() => page.getByRole("switch", { name: "Newsletter" }).isChecked(), Boolean);
      await page.getByRole("button", { name: "Reject all" }).click();
      await until(() => consentsOf(page.subject), (rows) => rows.length > 1 && rows.every((row) => row.value === "false"));
    });
  },

  async "a choice is kept as a signed cookie of the site, which its server can verify"() {
    await embedded(element("svc-consents"), async (page, other) => {
      watchSubject(page);
      const control = page.getByRole("switch", { name: "Newsletter" });
      await control.waitFor();
      assert.deepEqual(await page.context().cookies(), []);
      const cookie = async () => (await page.context().cookies(other.url)).find(({ name }) => name === `svc-consents-${controller}`);
      for (const agreed of [true, false]) {
        await control.click();
        const { value, path, sameSite, secure, httpOnly, expires } = await until(cookie, (kept) => kept && verified(kept.value)?.purposes[NEWSLETTER] === agreed);
        assert.deepEqual({ path, sameSite, secure, httpOnly }, { path: "/", sameSite: "Lax", secure: false, httpOnly: false });
        assert.ok(Math.abs(expires - Date.now() / 1000 - 31536000) < 86400, String(expires));
        const { dataSubjectId, dataControllerId } = verified(value);
        assert.deepEqual([dataSubjectId, dataControllerId], [page.subject, controller]);
        const [payload, signature] = value.split(".");
        const forged = Buffer.from(JSON.stringify({ ...verified(value), purposes: { [NEWSLETTER]: !agreed } })).toString("base64url");
        assert.equal(verified(`${forged}.${signature}`), null);
        assert.equal(verified(payload), null);
      }
      assert.deepEqual(await page.context().cookies(url), [], "the gateway's host gets none");
      await page.getByRole("button", { name: "Allow all" }).click();
      await until(async () => Object.values(verified((await cookie()).value).purposes), (all) => all.length > 1 && all.every(Boolean));
    });
  },

  async "the cookie belongs to the person who is present"() {
    const page = await visit(`${url}/widgets/demo?lang=de`);
    watchSubject(page);
    const kept = async () => (await page.context().cookies(url)).find(({ name }) => name === `svc-consents-${controller}`);
    const switched = page.locator("svc-consents").last().getByRole("switch").first();
    // A visitor chooses first, and is another person than the customer.
    await switched.click();
    const visitor = verified((await until(kept, Boolean)).value).dataSubjectId;
    await page.getByRole("button", { name: "Als Lena Fischer anmelden" }).click();
    await until(kept, (cookie) => cookie && verified(cookie.value)?.dataSubjectId === facts.data_subject_id);
    const consents = await consentsOf(facts.data_subject_id);
    const { purposes } = verified((await kept()).value);
    assert.ok(consents.length > 0 && Object.keys(purposes).length > 0);
    for (const { value, dataControllerProcessingPurposeId: id } of consents) if (id in purposes) assert.equal(purposes[id], value === "true");
    await page.getByRole("button", { name: /abmelden/i }).click();
    await until(kept, (cookie) => cookie && verified(cookie.value)?.dataSubjectId === visitor);
    // A visitor who is not known has no cookie.
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await until(kept, (cookie) => cookie === undefined);
    await page.context().close();
  },

  async "of two people on one page the cookie is of the one whom the site has identified"() {
    const body = element("svc-consents", 'class="visitor"') + element("svc-consents", `class="customer" data-identity="${identity(facts.data_subject_id)}"`);
    await embedded(body, async (page, other) => {
      const kept = async () => (await page.context().cookies(other.url)).find(({ name }) => name === `svc-consents-${controller}`);
      await until(kept, (cookie) => cookie && verified(cookie.value)?.dataSubjectId === facts.data_subject_id);
      const visitor = page.locator(".visitor").getByRole("switch", { name: "Newsletter" });
      await visitor.click();
      await page.locator(".visitor .bad", { hasText: "does not keep it" }).waitFor();
      assert.equal(verified((await kept()).value).dataSubjectId, facts.data_subject_id);
      await page.evaluate(() => document.querySelector(".customer").remove());
      const cookie = await until(kept, (cookie) => cookie && verified(cookie.value)?.dataSubjectId !== facts.data_subject_id);
      assert.ok(agrees(verified(cookie.value), NEWSLETTER));
    });
  },

  async "a browser that keeps no cookie is not said to keep one"() {
    const ways = {
      ignores: () => Object.defineProperty(Document.prototype, "cookie", { get: () => "", set: () => {} }),
      throws: () => {
        const refuse = () => { throw new DOMException("no cookies", "SecurityError"); };
        Object.defineProperty(Document.prototype, "cookie", { get: refuse, set: refuse });
      },
    };
    for (const [lang, text] of [["en", "does not keep it"], ["de", "nicht fest"]]) {
      for (const way of Object.values(ways)) {
        await embedded("", async (page) => {
          await page.addInitScript(way);
          await page.reload();
          await page.evaluate((html) => {
            document.querySelector("main").append(Object.assign(document.createElement("svc-consents"), html));
          }, { lang });
          await page.evaluate((id) => document.querySelector("svc-consents").setAttribute("data-controller-id", id), controller);
          await page.getByRole("switch", { name: "Newsletter" }).click();
          await page.locator(".bad", { hasText: text }).waitFor();
          assert.equal(await page.locator(".good").count(), 0);
          assert.ok(!/saved|gespeichert/i.test(await page.locator("svc-consents").getByRole("status").first().innerText()));
        });
      }
    }
  },

  async "an identity URL of another origin is refused, and asked for nothing"() {
    const foreign = (address) => element("svc-consents", `data-identity-url="${address}"`);
    await embedded(foreign(`${url}/widgets/demo/identity`) + foreign("http://["), async (page) => {
      await until(() => page.getByText("The identity is not of this site").count(), (count) => count === 2);
      assert.equal(await page.getByRole("switch").count(), 0);
    });
  },

  async "a page of an origin that is not listed is refused, and shows no data"() {
    const requests = [];
    const other = await site(facts.listed_url, TAGS.map((tag) => element(tag)).join("") + element("transparency-app"));
    const page = await visit("about:blank", { noisy: true });
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(other.url);
    const refused = page.getByText("This cannot be shown here");
    await until(() => refused.count(), (count) => count === TAGS.length + 1);
    await refused.first().waitFor();
    assert.equal(await page.getByRole("alert").count(), 0, "it is refused, and not taken for a lost network");
    assert.equal(await page.getByRole("button", { name: "Try again" }).count(), TAGS.length + 1);
    assert.equal(await page.getByRole("switch").count(), 0);
    assert.equal(await page.evaluate(() => localStorage.length), 0);
    assert.deepEqual(await page.context().cookies(), []);
    assert.ok(!requests.some((address) => address.endsWith("/v1/graphql")), requests.join(" "));
    await page.screenshot({ path: `${folder}/refused.png`, fullPage: true });
    await page.context().close();
    other.close();
  },

  async "a rights request is visible through GraphQL, and what becomes of it is shown live"() {
    await embedded(element("svc-rights-management", `data-identity="${identity(facts.data_subject_id)}"`), async (page) => {
      const words = `Please send everything, ${Date.now()}`;
      await page.getByRole("radio", { name: "Take my data along" }).check();
      await page.getByLabel("In your own words").fill(words);
      await page.getByRole("button", { name: "Send request" }).click();
      const row = page.locator("svc-rights-management li", { hasText: words });
      await row.locator(".badge", { hasText: "Received" }).waitFor();
      await row.locator("dt", { hasText: "Answer due by" }).waitFor();
      const find = "query ($text: String!) { dataSubjectsRightsRequests(where: {description: {_eq: $text}}) { id requestType status verified dataSubjectId } }";
      const { dataSubjectsRightsRequests: [found] } = await admin(find, { text: words });
      assert.deepEqual([found.requestType, found.verified, found.dataSubjectId], ["portability", false, facts.data_subject_id]);
      await admin('mutation ($id: uuid!) { updateDataSubjectsRightsRequest(pk_columns: {id: $id}, _set: {status: "in_progress"}) { id } }', { id: found.id });
      await row.locator(".badge", { hasText: "In progress" }).waitFor();
    });
  },

  async "every type of request is offered, a correction needs words, and one can be withdrawn"() {
    await embedded(element("svc-rights-management"), async (page) => {
      await page.getByRole("radio").first().waitFor();
      assert.equal(await page.getByRole("radio").count(), 7);
      await page.getByRole("radio", { name: "Correct my data" }).check();
      await page.getByRole("button", { name: "Send request" }).click();
      await page.locator(".bad", { hasText: "Please say what is to be corrected" }).waitFor();
      await page.getByLabel("In your own words").fill("My street");
      await page.getByRole("button", { name: "Send request" }).click();
      await page.getByRole("button", { name: /^Withdraw/ }).click();
      await page.getByRole("button", { name: /^Really withdraw/ }).click();
      await page.locator(".badge", { hasText: "Withdrawn" }).waitFor();
    });
  },

  async "an identity that is not signed by the site is refused"() {
    const wrong = identity(facts.data_subject_id, controller, 300, "another key, which is as long as the other one");
    await embedded(element("svc-consents", `data-identity="${wrong}"`), async (page) => {
      await page.getByRole("button", { name: "Try again" }).waitFor();
      await page.getByText("It could not be checked who you are").waitFor();
      assert.equal(await page.getByRole("switch", { disabled: false }).count(), 0);
    }, { noisy: true });
  },

  async "hostile text stays text"() {
    const hostile = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>';
    const purpose = await admin(
      'mutation ($id: uuid!, $text: String!) { insertDataControllerProcessingPurpose(object: {dataControllerId: $id, title: $text, description: $text, legalBasis: "consent", status: "active"}) { id } }',
      { id: controller, text: hostile },
    );
    const faq = await admin(
      "mutation ($id: uuid!, $text: String!) { insertDataControllerFaq(object: {dataControllerId: $id, question: $text, answer: $text, published: true}) { id } }",
      { id: controller, text: hostile },
    );
    await embedded(`<transparency-app data-controller-id="${controller}"></transparency-app>${TAGS.map((tag) => element(tag)).join("")}`, async (page) => {
      await page.getByRole("switch", { name: hostile }).waitFor();
      await page.locator("svc-privacy summary", { hasText: hostile }).first().waitFor();
      assert.equal(await page.evaluate(() => window.hurt), undefined);
      assert.equal(await page.locator("main img").count(), 0);
    });
    await admin('mutation ($id: uuid!) { updateDataControllerProcessingPurpose(pk_columns: {id: $id}, _set: {status: "retired"}) { id } }', { id: purpose.insertDataControllerProcessingPurpose.id });
    await admin("mutation ($id: uuid!) { deleteDataControllerFaq(id: $id) { id } }", { id: faq.insertDataControllerFaq.id });
  },

  async "the center can be used by keyboard alone"() {
    await embedded(element("transparency-app"), async (page) => {
      watchSubject(page);
      const focused = () => page.evaluate(() => {
        let active = document.activeElement;
        while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
        const label = active?.labels?.[0]?.textContent ?? active?.textContent;
        return { label: label?.trim(), outline: active ? getComputedStyle(active).outlineStyle : null };
      });
      await page.getByRole("tab", { name: "Overview" }).waitFor();
      await page.keyboard.press("Tab");
      assert.deepEqual(await focused(), { label: "Overview", outline: "solid" });
      await page.keyboard.press("ArrowRight");
      await until(focused, ({ label }) => label === "Consents");
      await page.getByRole("switch", { name: "Newsletter" }).waitFor();
      for (let presses = 0; presses < 12 && (await focused()).label !== "Newsletter"; presses += 1) await page.keyboard.press("Tab");
      assert.equal((await focused()).label, "Newsletter");
      await page.keyboard.press("Space");
      await until(() => page.subject && consentsOf(page.subject), (rows) => rows?.length === 1);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.getByText("Art. 6(1)(a) GDPR").first().waitFor();
      await page.getByRole("tab", { name: "Consents" }).focus();
      await page.keyboard.press("End");
      await until(focused, ({ label }) => label === "Data map");
      await page.keyboard.press("Home");
      await until(focused, ({ label }) => label === "Overview");
    });
  },

  async "notices have three levels, and a question is answered"() {
    await embedded(element("svc-privacy", 'lang="de"'), async (page) => {
      const text = page.locator("svc-privacy .prose");
      const lengths = [];
      for (const level of ["Kurz", "Überblick", "Ganzer Text"]) {
        await page.getByLabel(level, { exact: true }).check();
        lengths.push((await text.innerText()).length);
      }
      assert.ok(lengths[0] < lengths[1] && lengths[1] < lengths[2], String(lengths));
      await page.getByLabel("Frage stellen").fill("Wie widerrufe ich meine Einwilligung?");
      await page.keyboard.press("Enter");
      await page.locator("svc-privacy .quote", { hasText: "Der Widerruf gilt sofort" }).waitFor();
    });
  },

  async "an answer names its question and its sources, leads to them, and says whether a model wrote it"() {
    const about = `query ($id: uuid!) { dataController(id: $id) { purposes(where: {status: {_eq: "active"}}, limit: 1) { id title }
      faqs(where: {published: {_eq: true}}, limit: 1) { id question answer } privacyNotices(where: {published: {_eq: true}}, order_by: [{version: desc}], limit: 1) { id title full } } }`;
    const { dataController: { purposes: [purpose], faqs: [faq], privacyNotices: [notice] } } = await admin(about, { id: controller });
    const heads = notice.full.split(/\n{2,}/).map((part) => part.split("\n")[0]);
    const chapter = heads.findLast((head) => /^\d+\. /.test(head));
    let generated = false;
    const sources = [
      { id: faq.id, kind: "faq", title: faq.question, text: faq.answer, language: "de" },
      { id: notice.id, kind: "notice", title: `${notice.title}: ${chapter.replace(/^\d+\. /, "")}`, text: "", language: "de" },
      { id: purpose.id, kind: "purpose", title: purpose.title, text: "", language: "de" },
      { id: controller, kind: "controller", title: "Datenschutzbeauftragte Person", text: "", language: "de" },
    ];
    const reply = () => ({ data: { answerFAQ: { answer: "Nein, nie.", language: "de", generated, sources } } });
    await embedded(`<transparency-app data-controller-id="${controller}"></transparency-app>`, async (page) => {
      await page.context().route("**/v1/graphql", (route) => (route.request().postData()?.includes("answerFAQ")
        ? route.fulfill({ status: 200, headers: { "Access-Control-Allow-Origin": "*" }, json: reply() })
        : route.continue()));
      const ask = async () => {
        await page.getByRole("tab", { name: "Notices and FAQ" }).click();
        await page.getByLabel("Ask a question").fill("Do you sell my data?");
        await page.getByRole("button", { name: "Ask" }).click();
        return page.locator("svc-privacy .quote");
      };
      const quote = await ask();
      await quote.getByText(faq.question).first().waitFor();
      assert.equal(await quote.locator("p", { hasText: "Nein, nie." }).getAttribute("lang"), "de");
      assert.equal(await quote.getByText("language model").count(), 0);
      assert.equal(await quote.getByRole("button").count(), 4);
      await quote.getByRole("button", { name: faq.question }).click();
      await page.locator("svc-privacy details[open] p", { hasText: faq.answer.slice(0, 40) }).waitFor();
      await quote.getByRole("button", { name: notice.title }).click();
      await until(() => page.evaluate(() => {
        const { activeElement } = document.querySelector("transparency-app").shadowRoot.querySelector("svc-privacy").shadowRoot;
        return activeElement?.textContent;
      }), (focused) => focused === chapter);
      const focusedIn = (tag) => page.evaluate((name) => document.querySelector("transparency-app").shadowRoot.querySelector(name)?.shadowRoot.activeElement?.textContent, tag);
      // The second time the tab is there already.
      for (let time = 0; time < 2; time += 1) {
        await page.getByRole("tab", { name: "Notices and FAQ" }).click();
        await quote.getByRole("button", { name: purpose.title }).click();
        await until(() => focusedIn("svc-consents"), (text) => text?.startsWith(purpose.title));
        assert.equal(await page.getByRole("tab", { name: "Consents" }).getAttribute("aria-selected"), "true");
      }
      await page.getByRole("tab", { name: "Notices and FAQ" }).click();
      await quote.getByRole("button", { name: "Datenschutzbeauftragte Person" }).click();
      await until(() => focusedIn("svc-overview"), Boolean);
      generated = true;
      await (await ask()).getByText("Worded by a language model").waitFor();
      // Without a widget that shows them, purposes and the controller are named alone.
      await page.evaluate((id) => {
        const widget = document.createElement("svc-privacy");
        widget.dataset.controllerId = id;
        document.querySelector("main").replaceChildren(widget);
      }, controller);
      await page.getByLabel("Ask a question").fill("Do you sell my data?");
      await page.getByRole("button", { name: "Ask" }).click();
      await quote.getByText(purpose.title).waitFor();
      assert.equal(await quote.getByRole("button").count(), 2);
    });
  },

  async "the data protection officer can be found, and the map has what is recorded apart from what may be processed"() {
    await embedded(element("svc-overview") + element("svc-consents") + element("svc-data-map"), async (page) => {
      assert.match(await page.locator('svc-overview a[href^="mailto:"]').getAttribute("href"), /@/);
      const map = page.locator("svc-data-map");
      const recorded = map.locator("section", { hasText: "What is recorded about you" }).first();
      await recorded.getByText("Nothing is recorded about you").waitFor();
      const possible = map.locator("section", { hasText: "What may be processed" }).first();
      const { dataController: { purposes } } = await admin('query ($id: uuid!) { dataController(id: $id) { purposes(where: {status: {_eq: "active"}}) { title } } }', { id: controller });
      for (const { title } of purposes) await possible.getByRole("heading", { name: title, exact: true }).waitFor();
      assert.equal(await map.locator(".badge").count(), 0);
      await page.getByRole("switch", { name: "Newsletter" }).click();
      const row = recorded.locator("li", { hasText: "Newsletter" });
      await row.locator("summary").click();
      await row.getByText("Your consents").waitFor();
      assert.equal(await recorded.locator("summary").count(), 1);
    });
  },

  async "a person sees what is recorded with its origin, time and purposes"() {
    const rows = "query ($id: uuid!) { dataSubjectDataMapping(where: {dataSubjectId: {_eq: $id}}) { dataItemLabels } }";
    const { dataSubjectDataMapping: mapping } = await admin(rows, { id: facts.data_subject_id });
    await embedded(element("svc-data-map", `lang="de" data-identity="${identity(facts.data_subject_id)}"`), async (page) => {
      const recorded = page.locator("svc-data-map section", { hasText: "Was über Sie gespeichert ist" }).first();
      await recorded.locator("summary").first().waitFor();
      const shown = await recorded.locator("summary").allInnerTexts();
      assert.deepEqual([...shown].sort(), [...new Set(mapping.map(({ dataItemLabels }) => dataItemLabels.de))].sort());
      const item = recorded.locator("details", { hasText: "E-Mail-Adresse" }).first();
      await item.locator("summary").click();
      for (const fact of ["Herkunft", "Zuletzt gespeichert", "Verwendet für"]) await item.locator("dt", { hasText: fact }).waitFor();
    });
  },

  async "an answer to a purpose is shown with when and where it was given, and with the answers before it"() {
    await embedded(element("svc-consents"), async (page) => {
      const item = page.locator("svc-consents li", { hasText: "Newsletter" });
      await item.getByText("Off, as you have not decided yet").waitFor();
      await page.getByRole("switch", { name: "Newsletter" }).click();
      await item.locator(".good").waitFor();
      await page.reload();
      const today = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(new Date());
      await item.locator("summary").click();
      await item.getByText(`You agreed on ${today}, here in the privacy center.`).last().waitFor();
      await page.getByRole("switch", { name: "Newsletter" }).click();
      await item.locator(".good").waitFor();
      await item.locator("summary").waitFor();
      await item.getByText("Your earlier answers").waitFor();
      await item.locator("dd", { hasText: /^Agreed: / }).waitFor();
      await item.locator("dd", { hasText: `You withdrew your consent on ${today}, here in the privacy center.` }).waitFor();
    });
  },

  async "a newsletter without an address is not promised"() {
    await embedded(element("svc-consents"), async (page) => {
      await page.getByRole("switch", { name: "Newsletter" }).click();
      await page.locator("svc-consents li", { hasText: "Newsletter" }).locator(".good", { hasText: "Nothing can be sent yet" }).waitFor();
    });
    await embedded(element("svc-consents", `data-identity="${identity(facts.data_subject_id)}"`), async (page) => {
      await page.getByRole("switch", { name: "Newsletter" }).waitFor();
      assert.equal(await page.getByText("Nothing can be sent yet").count(), 0);
    });
  },

  async "a purpose that Global Privacy Control rules out stays off, visibly, and whether the controller follows the signal is said"() {
    const about = 'query ($id: uuid!) { dataController(id: $id) { purposes(where: {status: {_eq: "active"}, consentRequired: {_eq: true}}) { title respectsGlobalPrivacyControl } } }';
    const { dataController: { purposes } } = await admin(about, { id: controller });
    const ruledOut = purposes.filter((purpose) => purpose.respectsGlobalPrivacyControl);
    assert.ok(ruledOut.length > 0 && ruledOut.length < purposes.length);
    const browserWithSignal = { extraHTTPHeaders: { "Sec-GPC": "1" }, init: () => Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true }) };
    for (const honours of [true, false]) {
      await embedded("", async (page, other) => {
        watchSubject(page);
        await page.context().route("**/v1/graphql", (route) => (route.request().postData()?.includes("complianceConfiguration")
          ? route.fulfill({ status: 200, headers: { "Access-Control-Allow-Origin": "*" }, json: { data: { dataController: { complianceConfiguration: { honoursGlobalPrivacyControl: honours } } } } })
          : route.continue()));
        await page.goto(other.url);
        await page.evaluate((id) => {
          const widget = document.createElement("svc-consents");
          widget.dataset.controllerId = id;
          document.querySelector("main").append(widget);
        }, controller);
        await page.getByText(honours ? "follows it: the purposes marked below stay off" : "does not act on it by itself").waitFor();
        for (const { title, respectsGlobalPrivacyControl } of purposes) {
          assert.equal(await page.getByRole("switch", { name: title, exact: true }).isDisabled(), honours && respectsGlobalPrivacyControl, title);
        }
        if (!honours) return;
        assert.equal(await page.getByText("Off, because of Global Privacy Control").count(), ruledOut.length);
        await page.getByRole("button", { name: "Allow all" }).click();
        await until(() => consentsOf(page.subject ?? "00000000-0000-4000-8000-000000000000"), (rows) => rows.filter(({ value }) => value === "true").length === purposes.length - ruledOut.length);
        for (const { title } of ruledOut) assert.equal(await page.getByRole("switch", { name: title, exact: true }).isChecked(), false, title);
      }, browserWithSignal);
    }
  },

  async "a person decides again although another browser has sent Global Privacy Control"() {
    const set = "mutation ($id: uuid!, $on: Boolean!) { updateDataSubject(pk_columns: {id: $id}, _set: {globalPrivacyControl: $on}) { id } }";
    const read = "query ($id: uuid!) { dataSubject(id: $id) { globalPrivacyControl } }";
    await admin(set, { id: facts.data_subject_id, on: true });
    await embedded("", async (page) => {
      await page.context().route("**/v1/graphql", (route) => (route.request().postData()?.includes("complianceConfiguration")
        ? route.fulfill({ status: 200, headers: { "Access-Control-Allow-Origin": "*" }, json: { data: { dataController: { complianceConfiguration: { honoursGlobalPrivacyControl: true } } } } })
        : route.continue()));
      await page.evaluate(({ id, token }) => {
        const widget = document.createElement("svc-consents");
        Object.assign(widget.dataset, { controllerId: id, identity: token });
        document.querySelector("main").append(widget);
      }, { id: controller, token: identity(facts.data_subject_id) });
      await page.getByText("A browser of yours has sent Global Privacy Control").waitFor();
      assert.ok((await page.getByRole("switch", { disabled: true }).count()) > 0);
      await page.getByRole("button", { name: "Decide for myself" }).click();
      await until(() => page.getByRole("switch", { disabled: true }).count(), (count) => count === 0);
      assert.equal((await admin(read, { id: facts.data_subject_id })).dataSubject.globalPrivacyControl, false);
    });
    await admin(set, { id: facts.data_subject_id, on: false });
  },

  async "an address is written as its country does, and a controller's language is named where it is another one"() {
    const overview = (id, attributes) => `<svc-overview data-controller-id="${id}" ${attributes}></svc-overview>`;
    await embedded(overview(facts.other_data_controller_id, 'lang="de" class="british"') + overview(controller, 'class="german"'), async (page) => {
      const { dataController: { address, postalCode, city } } = await admin("query ($id: uuid!) { dataController(id: $id) { address postalCode city } }", { id: facts.other_data_controller_id });
      const british = page.locator(".british");
      await british.getByText("auf Englisch").waitFor();
      assert.deepEqual((await british.locator("address").first().locator("span").allInnerTexts()).slice(1, 5), [address, city, postalCode, "Vereinigtes Königreich"]);
      const german = page.locator(".german");
      await german.getByText("texts in German").waitFor();
      assert.match((await german.locator("address").first().locator("span").allInnerTexts())[2], /^\d{5} \p{L}+/u);
    });
  },

  async "purposes without consent have no switch"() {
    const about = 'query ($id: uuid!) { dataController(id: $id) { purposes(where: {status: {_eq: "active"}}) { title consentRequired } } }';
    const { dataController: { purposes } } = await admin(about, { id: controller });
    await embedded(element("svc-consents"), async (page) => {
      for (const { title, consentRequired } of purposes) {
        await page.locator("svc-consents li", { hasText: title }).first().waitFor();
        assert.equal(await page.getByRole("switch", { name: title, exact: true }).count(), consentRequired ? 1 : 0, title);
      }
    });
  },

  async "an identity URL that answers 401 or 403 is a visitor"() {
    for (const status of [401, 403]) {
      const body = TAGS.map((tag) => element(tag, 'data-identity-url="/identity"')).join("");
      await embedded(body, async (page) => {
        watchSubject(page);
        await page.locator("svc-privacy .faq details").first().waitFor();
        await page.locator('svc-overview a[href^="mailto:"]').waitFor();
        assert.equal(await page.locator(".note").count(), 0);
        await page.getByRole("switch", { name: "Newsletter" }).click();
        await page.locator("svc-consents .good").first().waitFor();
        assert.equal((await consentsOf(page.subject)).length, 1);
      }, { identity: () => [status, ""], noisy: true });
    }
  },

  async "whoever cannot be identified sees what is public, and why nothing else"() {
    const answers = { "an error": () => [500, ""], "an invalid identity": () => [200, "no.valid.identity"], "a page of the site": () => [200, "<!doctype html>"] };
    for (const [name, answer] of Object.entries(answers)) {
      let current = answer;
      const body = TAGS.map((tag) => element(tag, 'data-identity-url="/identity"')).join("");
      await embedded(body, async (page) => {
        await page.locator("svc-privacy .faq details").first().waitFor();
        await page.locator("svc-privacy .prose p").first().waitFor();
        await page.locator('svc-overview a[href^="mailto:"]').waitFor();
        await page.getByRole("heading", { name: "What may be processed" }).waitFor();
        assert.equal(await page.getByText("It could not be checked who you are").count(), TAGS.length, name);
        assert.equal(await page.getByRole("switch", { disabled: false }).count(), 0, name);
        assert.equal(await page.getByRole("heading", { name: /What is recorded about you|Your requests/ }).count(), 0, name);
        assert.equal(await page.evaluate(() => localStorage.length), 0, name);
        current = () => [200, identity(facts.data_subject_id)];
        await page.locator("svc-data-map").getByRole("button", { name: "Try again" }).click();
        await page.locator("svc-rights-management .badge").first().waitFor();
        assert.equal(await page.getByText("It could not be checked who you are").count(), 0, name);
      }, { identity: () => current(), noisy: true });
    }
  },

  async "a request is followed to its answer: identity, deadline, extension, result, documents"() {
    const words = `Alles bitte, ${Date.now()}`;
    const insert = 'mutation ($id: uuid!, $words: String!) { insertDataSubjectsRightsRequest(object: {dataSubjectId: $id, requestType: "access", description: $words}) { id } }';
    const { insertDataSubjectsRightsRequest: { id } } = await admin(insert, { id: facts.data_subject_id, words });
    await embedded(element("svc-rights-management", `lang="de" data-identity="${identity(facts.data_subject_id)}"`), async (page) => {
      const row = page.locator("svc-rights-management li", { hasText: words });
      await row.locator("dt", { hasText: "Antwort spätestens am" }).waitFor();
      await row.getByText("Ihre Identität ist noch nicht geprüft").waitFor();
      const update = (set) => admin(`mutation ($id: uuid!, $set: dataSubjectsRightsRequests_set_input!) { updateDataSubjectsRightsRequest(pk_columns: {id: $id}, _set: $set) { id } }`, { id, set });
      await update({ verified: true, identityEvidence: "Ausweis gesehen" });
      await row.getByText("Ihre Identität wurde geprüft").waitFor();
      await admin('mutation ($id: uuid!) { updateRightsRequestWorkflows(where: {dataSubjectRightsRequestId: {_eq: $id}}, _set: {extensionReason: "Viele Systeme"}) { affected_rows } }', { id });
      await row.getByText("Grund: Viele Systeme").waitFor();
      const attach = 'mutation ($id: uuid!, $type: String!, $content: String!) { insertRightsRequestDocument(object: {dataSubjectRightsRequestId: $id, title: "Kopie", mediaType: $type, content: $content}) { id } }';
      await admin(attach, { id, type: "text/plain", content: "<b>Name</b>: Lena" });
      await update({ status: "completed", result: "Die Kopie liegt bei." });
      await row.locator(".quote", { hasText: "Die Kopie liegt bei." }).waitFor();
      await row.getByRole("button", { name: "Anzeigen: Kopie" }).click();
      await row.locator("pre", { hasText: "<b>Name</b>: Lena" }).waitFor();
      const [file] = await Promise.all([page.waitForEvent("download"), row.getByRole("button", { name: "Herunterladen: Kopie" }).click()]);
      assert.equal(file.suggestedFilename(), "Kopie.txt");
      assert.equal(readFileSync(await file.path(), "utf8"), "<b>Name</b>: Lena");
    });
  },

  async "a rejected request says why"() {
    const words = `Alles weg, ${Date.now()}`;
    const insert = 'mutation ($id: uuid!, $words: String!) { insertDataSubjectsRightsRequest(object: {dataSubjectId: $id, requestType: "objection", description: $words}) { id } }';
    const { insertDataSubjectsRightsRequest: { id } } = await admin(insert, { id: facts.data_subject_id, words });
    const reject = 'mutation ($id: uuid!) { updateDataSubjectsRightsRequest(pk_columns: {id: $id}, _set: {status: "rejected", rejectionReason: "Das Gesetz verlangt es."}) { id } }';
    await admin(reject, { id });
    await embedded(element("svc-rights-management", `lang="de" data-identity="${identity(facts.data_subject_id)}"`), async (page) => {
      const row = page.locator("svc-rights-management li", { hasText: words });
      await row.locator(".badge", { hasText: "Abgelehnt" }).waitFor();
      await row.locator(".quote", { hasText: "Das Gesetz verlangt es." }).waitFor();
    });
  },

  async "a visitor leaves an address for the answer and confirms it"() {
    await embedded(element("svc-rights-management", 'lang="nl"'), async (page) => {
      await page.getByRole("button", { name: "Verzoek versturen" }).click();
      const row = page.locator("svc-rights-management li", { has: page.locator(".badge") }).first();
      await row.getByLabel("Uw e-mailadres voor het antwoord").fill("geen adres");
      await row.getByRole("button", { name: "Code versturen" }).click();
      await row.locator(".bad", { hasText: "Dit is geen e-mailadres." }).waitFor();
      const address = `visitor.${Date.now()}@mail.example`;
      await row.getByLabel("Uw e-mailadres voor het antwoord").fill(address);
      await row.getByRole("button", { name: "Code versturen" }).click();
      await row.getByLabel(`Code uit de e-mail aan ${address}`).waitFor();
      const { outgoingMails: [mail] } = await admin("query ($to: String!) { outgoingMails(where: {recipient: {_eq: $to}}) { body } }", { to: address });
      const [code] = /\b\d{6}\b/.exec(mail.body);
      const field = row.getByLabel(/^Code uit de e-mail/);
      await field.fill(code === "000000" ? "000001" : "000000");
      await row.getByRole("button", { name: "Bevestigen" }).click();
      await row.locator(".bad", { hasText: "De code klopt niet of is niet meer geldig." }).waitFor();
      await field.fill(code);
      await row.getByRole("button", { name: "Bevestigen" }).click();
      await row.getByText(`Het antwoord gaat naar ${address}.`).waitFor();
    });
  },

  async "a person takes the own data along as a page and as JSON, and a visitor is not offered it"() {
    await embedded(element("svc-rights-management", `data-identity="${identity(facts.data_subject_id)}"`), async (page) => {
      for (const [name, ending] of [["Readable page", ".html"], ["For programs (JSON)", ".json"]]) {
        const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
        assert.ok(file.suggestedFilename().endsWith(ending), file.suggestedFilename());
        const text = readFileSync(await file.path(), "utf8");
        assert.ok(text.includes("lena.fischer@mail.example"));
        if (ending === ".json") JSON.parse(text);
      }
    });
    await embedded(element("svc-rights-management"), async (page) => {
      await page.getByRole("radio").first().waitFor();
      assert.equal(await page.getByRole("button", { name: "Readable page" }).count(), 0);
    });
  },

  async "messages can be read and marked as read"() {
    const unread = 'query ($id: uuid!) { notificationMessages(where: {dataSubjectId: {_eq: $id}, isRead: {_eq: false}}) { id title } }';
    const insert = 'mutation ($id: uuid!, $title: String!) { insertNotificationMessage(object: {dataSubjectId: $id, kind: "info", title: $title, body: "Zum Lesen"}) { id } }';
    const title = `Neu ${Date.now()}`;
    await admin(insert, { id: facts.data_subject_id, title });
    await embedded(element("transparency-app", `lang="de" data-identity="${identity(facts.data_subject_id)}"`), async (page) => {
      const { notificationMessages: before } = await admin(unread, { id: facts.data_subject_id });
      await page.getByRole("tab", { name: /Meine Rechte.*neue Nachricht/ }).click();
      const message = page.locator("li", { hasText: title });
      await message.getByText("Zum Lesen").waitFor();
      await message.getByRole("button", { name: /Als gelesen markieren/ }).click();
      await until(() => admin(unread, { id: facts.data_subject_id }), ({ notificationMessages }) => notificationMessages.length === before.length - 1);
      await until(() => message.getByText("Neu", { exact: true }).count(), (count) => count === 0);
    });
  },

  async "two tabs stay in step"() {
    await embedded(element("svc-consents"), async (page, other) => {
      const second = await visit(other.url, { context: page.context() });
      const [one, two] = [page, second].map((tab) => tab.getByRole("switch", { name: "Newsletter" }));
      await Promise.all([one.waitFor(), two.waitFor()]);
      await one.click();
      await until(() => two.isChecked(), Boolean);
      await two.click();
      await until(() => one.isChecked(), (checked) => !checked);
    });
  },

  async "a session that has expired renews itself"() {
    const key = JSON.parse(facts.jwt_secret).key;
    const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ exp: 1700000000, gateway: { "x-gateway-default-role": "anonymous", "x-gateway-allowed-roles": ["anonymous"] } })}`;
    const expired = `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
    let sessions = 0;
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.route("**/v1/widgets/session", async (route) => {
      const response = await route.fetch();
      sessions += 1;
      await route.fulfill({ response, json: { ...(await response.json()), ...(sessions === 1 ? { accessToken: expired } : {}) } });
    });
    const page = await visit(`${url}/widgets/demo?lang=de`, { context, noisy: true });
    await page.locator("svc-consents input").first().waitFor();
    assert.ok(sessions >= 2);
    await context.close();
  },

  async "a choice that cannot be saved is taken back, and the page recovers from loss of the network"() {
    await embedded(element("svc-consents"), async (page) => {
      const control = page.getByRole("switch", { name: "Newsletter" });
      await control.waitFor();
      await page.context().setOffline(true);
      await control.click();
      await page.locator(".bad", { hasText: "Not saved: you are offline" }).waitFor();
      assert.equal(await control.isChecked(), false);
      await page.context().setOffline(false);
      await control.click();
      await page.locator("svc-consents .good").first().waitFor();
      assert.equal(await control.isChecked(), true);
    }, { noisy: true });
  },

  async "a page that loads without the network says so, and shows the data when it is back"() {
    await embedded(element("svc-overview"), async (page) => {
      await page.context().route("**/v1/**", (route) => route.abort());
      await page.reload();
      await page.getByRole("alert").waitFor();
      await page.context().unroute("**/v1/**");
      await page.locator("svc-overview h2").waitFor();
    }, { noisy: true });
  },

  async "a refused choice is taken back and said"() {
    await embedded(element("svc-consents"), async (page) => {
      const control = page.getByRole("switch", { name: "Newsletter" });
      await control.waitFor();
      await page.context().route("**/v1/graphql", (route) => (route.request().postData()?.includes("mutation")
        ? route.fulfill({ status: 200, headers: { "Access-Control-Allow-Origin": "*" }, json: { errors: [{ message: "no", extensions: { code: "permission-error" } }] } })
        : route.continue()));
      await control.click();
      await page.locator(".bad", { hasText: "this was refused" }).waitFor();
      assert.equal(await control.isChecked(), false);
    });
  },

  async "a second transparency center explains itself, and takes over when the first is gone"() {
    await embedded(element("transparency-app") + element("transparency-app", 'class="second"'), async (page) => {
      await page.getByText("There is already a transparency center on this page").waitFor();
      assert.equal(await page.getByRole("tablist").count(), 1);
      await page.evaluate(() => document.querySelector("transparency-app").remove());
      await page.getByRole("tablist").waitFor();
      assert.equal(await page.getByText("There is already").count(), 0);
    });
  },

  async "a missing controller and an unknown one are explained"() {
    await embedded('<svc-consents></svc-consents><svc-overview data-controller-id="00000000-0000-4000-8000-000000000000"></svc-overview>', async (page) => {
      await page.getByText("The organisation is missing").waitFor();
      await page.getByText("Nothing is published yet").waitFor();
    });
  },

  async "a signed-in customer of the demo's page is the data subject"() {
    const page = await visit(`${url}/widgets/demo?lang=de`);
    watchSubject(page);
    await page.getByRole("button", { name: "Als Lena Fischer anmelden" }).click();
    await until(() => page.subject, (subject) => subject === facts.data_subject_id);
    await page.locator("svc-rights-management li").first().waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  },

  async "no widget holds the admin secret or a personal access token"() {
    const page = await visit(`${url}/widgets/demo`);
    await page.locator("svc-privacy h2").last().waitFor();
    const sent = [];
    page.on("request", (request) => sent.push(JSON.stringify(request.headers())));
    await page.reload();
    await page.locator("svc-privacy h2").last().waitFor();
    const html = await page.content();
    for (const secret of [facts.admin_secret, facts.pat, facts.pat_anonymous]) {
      assert.ok(!sent.join().includes(secret) && !html.includes(secret));
    }
    await page.context().close();
  },
};

/** How the widgets look, and the words that they have. */
const looks = {};

/** A controller of each language. */
const CONTROLLERS = { de: controller, en: facts.other_data_controller_id, nl: "28285863-9517-4ed6-b74c-a4cbb3f09a06" };

for (const [language, id] of Object.entries(CONTROLLERS)) {
  looks[`widgets of a controller have words of its language alone: ${language}`] = async () => {
    const rows = `query ($id: uuid!) { dataProcessors { title } dataController(id: $id) { title dpoName }
      dataSubjects(where: {dataControllerId: {_eq: $id}, email: {_is_null: false}, rightsRequests: {}, notifications: {}, dataProcessingActivities: {}}, limit: 3) { id displayName } }`;
    const { dataProcessors, dataController, dataSubjects } = await admin(rows, { id });
    assert.ok(dataSubjects.length > 0);
    const names = [...dataProcessors.map(({ title }) => title), dataController.title, dataController.dpoName, ...dataSubjects.map(({ displayName }) => displayName)];
    const people = ["", ...dataSubjects.map((person) => `data-identity="${identity(person.id, id)}"`)];
    for (const person of people) {
      const widgets = TAGS.map((tag) => `<${tag} data-controller-id="${id}" ${person}></${tag}>`).join("");
      // The page is in a language that the widgets do not speak.
      await embedded(widgets, async (page) => {
        await page.locator("svc-privacy .faq details").first().waitFor();
        await page.locator("svc-data-map h4").first().waitFor();
        await page.locator("svc-rights-management h3").first().waitFor();
        const segments = page.locator("svc-privacy .segments label");
        const texts = [];
        for (let level = 0; level < 3; level += 1) {
          await segments.nth(level).click();
          texts.push(...(await page.evaluate(widgetTexts)));
        }
        const foreign = [...new Set(texts)].map((text) => [foreignWords(language, text, names), text]).filter(([words]) => words.length > 0);
        assert.deepEqual(foreign, [], person ? "a person" : "a visitor");
        assert.equal(await page.locator("svc-overview .body").getAttribute("lang"), language);
      }, { lang: "fr" });
    }
  };
}

looks["every text is there in three languages, and has words of its own alone"] = async () => {
  const shape = (value) => (value !== null && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)])) : typeof value);
  const strings = (value) => {
    if (typeof value === "function") return [value(1, 1, ""), value(24, 2, ""), value(true, "1", "2")].map(String);
    return typeof value === "string" ? [value] : Object.values(value).flatMap(strings);
  };
  const all = {};
  for (const language of Object.keys(CONTROLLERS)) {
    const source = readFileSync(new URL(`../../widgets/text.${language}.js`, import.meta.url), "utf8");
    ({ TEXTS: all[language] } = await import(`data:text/javascript,${encodeURIComponent(source)}`));
  }
  for (const [language, { rules, ...texts }] of Object.entries(all)) {
    const { rules: others, ...english } = all.en;
    assert.deepEqual(shape(texts), shape(english), language);
    if (language !== "en") assert.deepEqual(Object.keys(rules), Object.keys(all.de.rules), language);
    const foreign = [...strings(texts), ...Object.values(rules)].map((text) => [foreignWords(language, text), text]).filter(([words]) => words.length > 0);
    assert.deepEqual(foreign, [], language);
  }
};

/** The language whose pages axe judges at a width; its rules ask nothing about words. */
const JUDGED = { 360: "de", 768: "en", 1280: "nl" };
/** Dark pages are as large as light ones: one language at each width shows their colours. */
const SHOTS = ["light", "dark"].flatMap((colorScheme) => [360, 768, 1280].flatMap((width) => ["en", "de", "nl"].map((language) => ({ colorScheme, width, language }))))
  .filter(({ colorScheme, width, language }) => colorScheme === "light" || JUDGED[width] === language);
for (const { colorScheme, width, language } of SHOTS) {
  const name = `${width}-${colorScheme}-${language}`;
  const isJudged = JUDGED[width] === language;
  looks[`${isJudged ? "axe finds nothing, " : ""}nothing overflows and nothing shifts: ${name}`] = async () => {
    const options = { viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce", bypassCSP: true };
    const page = await visit(`${url}/widgets/demo?lang=${language}`, options);
    assert.equal(await page.evaluate(() => document.documentElement.lang), language);
    await page.evaluate(() => {
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.locator("svc-privacy .faq").last().waitFor();
    if (isJudged) await page.evaluate(axe);
    const judge = async (part) => {
      if (!isJudged) return;
      const { violations } = await page.evaluate((selector) => axe.run(selector, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      }), part);
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.target.join(" ") + " " + node.failureSummary)]), []);
    };
    const overflows = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    await judge("html");
    await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
    assert.ok((await page.evaluate(() => window.shift)) < 0.05, `layout shift ${await page.evaluate(() => window.shift)}`);
    // The tabs, as the customer sees them.
    await page.locator("#sign-in").click();
    const app = page.locator("transparency-app");
    for (const tab of ["overview", "consents", "rights", "privacy", "map"]) {
      await app.locator(`#tab-${tab}`).click();
      const panel = app.locator(`#panel-${tab}`);
      await panel.locator("h2").waitFor();
      if (tab === "rights") await panel.locator("#messages").waitFor();
      if (tab === "map") await panel.locator("[part~=recorded] summary").first().waitFor();
      await app.screenshot({ path: `${folder}/${name}-${tab}.png` });
      assert.ok(!(await overflows()), `the page scrolls sideways: ${tab}`);
    }
    // Everything open: evidence, origins, older messages.
    await page.evaluate(() => {
      const open = (root) => root.querySelectorAll("*").forEach((node) => {
        if (node.localName === "details") node.open = true;
        if (node.shadowRoot) open(node.shadowRoot);
      });
      open(document.querySelector("transparency-app").shadowRoot);
    });
    for (const tab of ["consents", "rights", "privacy", "map"]) {
      await app.locator(`#tab-${tab}`).click();
      if (width === 768) await judge("transparency-app");
      assert.ok(!(await overflows()), `the page scrolls sideways: ${tab}, open`);
    }
    assert.deepEqual(page.problems, []);
    await page.context().close();
  };
}

looks["right to left"] = async () => {
  const page = await visit(`${url}/widgets/demo?lang=en&dir=rtl`, { viewport: { width: 360, height: 800 } });
  const control = page.locator("svc-consents input").first();
  const title = page.locator("svc-consents label").first();
  await control.waitFor();
  assert.ok((await control.boundingBox()).x < (await title.boundingBox()).x);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.screenshot({ path: `${folder}/360-rtl.png`, fullPage: true });
  await page.context().close();
};

for (const count of [80, 300]) {
  checks[`${count} purposes reach the cookie, agreed to and withdrawn`] = async () => {
    const insert = 'mutation ($id: uuid!, $title: String!) { insertDataControllerProcessingPurpose(object: {dataControllerId: $id, title: $title, description: "One of many", legalBasis: "consent", status: "active"}) { id } }';
    const ids = [];
    for (let index = 0; index < count; index += 1) {
      ids.push((await admin(insert, { id: controller, title: `Purpose ${index} of ${count}` })).insertDataControllerProcessingPurpose.id);
    }
    try {
      await embedded(element("svc-consents"), async (page, other) => {
        await page.getByRole("switch", { name: `Purpose ${count - 1} of ${count}`, exact: true }).waitFor();
        const read = async () => {
          const cookie = (await page.context().cookies(other.url)).find(({ name }) => name === `svc-consents-${controller}`);
          const payload = cookie && verified(cookie.value);
          return payload ? ids.filter((id) => agrees(payload, id)).length : null;
        };
        await page.getByRole("button", { name: "Allow all" }).click();
        await until(read, (agreed) => agreed === count);
        await page.getByRole("button", { name: "Reject all" }).click();
        await until(read, (agreed) => agreed === 0);
        await until(() => page.locator("svc-consents .good").count(), (good) => good >= count);
      });
    } finally {
      const retire = 'mutation ($id: uuid!) { updateDataControllerProcessingPurpose(pk_columns: {id: $id}, _set: {status: "retired"}) { id } }';
      for (const id of ids) await admin(retire, { id });
    }
  };
}

const only = process.env.CHECK;
const all = { behaviour: checks, looks }[process.argv[3]] ?? { ...checks, ...looks };
for (const [name, check] of Object.entries(all)) {
  if (only && !name.includes(only)) continue;
  const began = Date.now();
  let failure = null;
  try {
    await Promise.race([check(), new Promise((_, late) => setTimeout(late, 120000, new Error("took longer than two minutes")).unref())]);
  } catch (error) {
    failure = String(error.stack ?? error).slice(0, 3000);
  }
  console.log(JSON.stringify({ name, failure, ms: Date.now() - began }));
}
await browser.close();
process.exit(0);
