// Drives the widgets in Chromium against a running demo. Reads {"url", "other"…} (line 1 of `postern demo`) from
// standard input, and writes one JSON line for each check: {"name", "failure"}. Screenshots go to the folder given.

import assert from "node:assert/strict";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { launch, site } from "./browser.mjs";

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
  const other = await site(url, body);
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

function identity(subject, seconds = 300, key = facts.identity_key) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: subject, aud: controller, exp: Math.floor(Date.now() / 1000) + seconds })}`;
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
      await row.getByText("Received").waitFor();
      const find = "query ($text: String!) { dataSubjectsRightsRequests(where: {description: {_eq: $text}}) { id requestType status verified dataSubjectId } }";
      const { dataSubjectsRightsRequests: [found] } = await admin(find, { text: words });
      assert.deepEqual([found.requestType, found.verified, found.dataSubjectId], ["portability", false, facts.data_subject_id]);
      await admin('mutation ($id: uuid!) { updateDataSubjectsRightsRequest(pk_columns: {id: $id}, _set: {status: "in_progress"}) { id } }', { id: found.id });
      await row.getByText("In progress").waitFor();
    });
  },

  async "every type of request is offered, a correction needs words, and one can be withdrawn"() {
    await embedded(element("svc-rights-management"), async (page) => {
      await page.getByRole("radio").first().waitFor();
      assert.equal(await page.getByRole("radio").count(), 5);
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
    const wrong = identity(facts.data_subject_id, 300, "another key, which is as long as the other one");
    await embedded(element("svc-consents", `data-identity="${wrong}"`), async (page) => {
      await page.getByRole("button", { name: "Try again" }).waitFor();
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

  async "the data protection officer can be found, and the map follows the consents"() {
    await embedded(element("svc-overview") + element("svc-consents") + element("svc-data-map"), async (page) => {
      assert.match(await page.locator('svc-overview a[href^="mailto:"]').getAttribute("href"), /@/);
      const items = page.locator("svc-data-map summary");
      await items.first().waitFor();
      const before = await items.count();
      await page.getByRole("button", { name: "Allow all" }).click();
      await until(() => items.count(), (count) => count > before);
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

for (const colorScheme of ["light", "dark"]) {
  for (const width of [360, 768, 1440]) {
    checks[`axe finds nothing, nothing overflows and nothing shifts: ${width} ${colorScheme}`] = async () => {
      const options = { viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce", bypassCSP: true };
      const page = await visit(`${url}/widgets/demo?lang=en`, options);
      await page.evaluate(() => {
        window.shift = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
        }).observe({ type: "layout-shift", buffered: true });
      });
      await page.locator("svc-privacy .faq").last().waitFor();
      await page.evaluate(axe);
      const judge = async () => {
        const { violations } = await page.evaluate(() => axe.run(document, {
          runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        }));
        assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.target.join(" ") + " " + node.failureSummary)]), []);
      };
      await judge();
      await page.screenshot({ path: `${folder}/${width}-${colorScheme}.png`, fullPage: true });
      const app = page.locator("transparency-app");
      for (const tab of ["consents", "rights", "privacy", "map"]) {
        await app.locator(`#tab-${tab}`).click();
        await app.locator(`#panel-${tab} h2`).waitFor();
        await app.screenshot({ path: `${folder}/${width}-${colorScheme}-${tab}.png` });
        if (width === 768) await judge();
      }
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page scrolls sideways");
      assert.ok((await page.evaluate(() => window.shift)) < 0.05, `layout shift ${await page.evaluate(() => window.shift)}`);
      await page.context().close();
    };
  }
}

checks["right to left"] = async () => {
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
for (const [name, check] of Object.entries(checks)) {
  if (only && !name.includes(only)) continue;
  const began = Date.now();
  let failure = null;
  try {
    await Promise.race([check(), new Promise((_, late) => setTimeout(late, 60000, new Error("took longer than a minute")).unref())]);
  } catch (error) {
    failure = String(error.stack ?? error).slice(0, 3000);
  }
  console.log(JSON.stringify({ name, failure, ms: Date.now() - began }));
}
await browser.close();
process.exit(0);
