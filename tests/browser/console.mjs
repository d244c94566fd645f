// Drives the console in Chromium against a running demo. Reads {"url", "admin_secret"…} (line 1 of `postern demo`) from
// standard input, and writes one JSON line for each check: {"name", "failure"}. Screenshots go to the folder given.

import assert from "node:assert/strict";
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { launch } from "./browser.mjs";

const facts = JSON.parse(readFileSync(0, "utf8"));
const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const { url } = facts;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const browser = await launch();
const QUERY = "{ dataControllers(order_by: {title: asc}) { title } }";
const PAGES = ["query", "permissions", "rest", "events", "sign-ins", "live", "limits", "schema"];

/** What the database holds, as the admin sees it. */
async function admin(query, variables = {}) {
  const headers = { "Content-Type": "application/json", "X-Gateway-Admin-Secret": facts.admin_secret };
  const response = await fetch(`${url}/v1/graphql`, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  const answer = await response.json();
  assert.ok(answer.data, JSON.stringify(answer));
  return answer.data;
}

/** A page of its own. Its errors, violations of its policy, and requests to other hosts are failures. */
async function visit(options = {}) {
  const context = options.context ?? await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  page.problems = [];
  // The editor rejects work in progress with this error when its page is left.
  page.on("pageerror", (error) => String(error) === "Canceled: Canceled" || page.problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !options.noisy) page.problems.push(message.text());
  });
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && host !== new URL(url).host) page.problems.push(`a request to ${request.url()}`);
  });
  // Without credentials the gateway refuses, which Chromium reports.
  page.answered = () => page.problems.filter((text) => !/status of 401/.test(text));
  await page.goto(`${url}/console`);
  return page;
}

async function signIn(page, way, text) {
  await page.getByRole("radio", { name: way, exact: true }).check();
  await page.getByLabel(way, { exact: true }).last().fill(text);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function asAdmin(options) {
  const page = await visit(options);
  await signIn(page, "Admin secret", facts.admin_secret);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  return page;
}

async function open(page, name) {
  await page.evaluate((name) => { location.hash = `/${name}`; }, name);
  await page.locator(`main.${name} h1`).waitFor({ state: "attached" });
}

/** Waits until a condition holds; its last value is in the failure. */
async function until(read, holds) {
  const end = Date.now() + 60000;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    assert.ok(Date.now() < end, `still ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** The text that an editor shows, which wraps long lines. */
const lines = async (locator) => (await locator.locator(".view-lines").innerText()).replace(/\s+/g, " ");

/** Replaces what the query editor contains, and runs it. */
async function run(page, query) {
  await page.locator(".graphiql-query-editor textarea").first().focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(query);
  // GraphiQL reads the text a moment after it changed, keeps it then, and until then sends the name of the operation before.
  await page.waitForFunction((query) => localStorage.getItem("graphiql:query") === query, query);
  await page.getByRole("button", { name: /^Execute query/ }).click();
}

async function become(page, role, values = {}) {
  await page.locator(".identity select").selectOption(role);
  for (const [name, value] of Object.entries(values)) {
    await page.locator(".identity").getByLabel(name, { exact: true }).fill(value);
    await page.keyboard.press("Enter");
  }
}

/** Words of names in tables and lists that take more than one line; runs in the page. */
function brokenWords() {
  const broken = [];
  for (const element of document.querySelectorAll("td code, th, .tables button")) {
    const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(nodes.currentNode);
      if (/^\w+\W?$/.test(range.toString()) && range.getClientRects().length > 1) broken.push(range.toString());
    }
  }
  return broken;
}

/** Notes what a page begins, from its first script on: sockets with their frames, and intervals of the console's own code. */
function watchWork() {
  window.work = { sockets: [], intervals: new Set() };
  window.WebSocket = class extends WebSocket {
    constructor(...parameters) {
      super(...parameters);
      this.frames = 0;
      this.addEventListener("message", () => { this.frames += 1; });
      window.work.sockets.push(this);
    }
  };
  const { setInterval: begin, clearInterval: end } = window;
  window.setInterval = (...parameters) => {
    const id = begin(...parameters);
    // The editor has timers of its own, for its cursor and its workers.
    if (/\/index-/.test(new Error().stack)) window.work.intervals.add(id);
    return id;
  };
  window.clearInterval = (id) => {
    window.work.intervals.delete(id);
    end(id);
  };
}

/** What of an answer stands on a page: rows, boxes, values, texts of the result pane. */
const ROWS = "main :is(tbody tr, svg .box, .figures dd, details.endpoint, .tables li, pre, .result-window .view-line:not(:empty), .sent)";
const rowsOf = (page) => page.locator(ROWS).filter({ hasText: /\S/ }).allInnerTexts();

/** The requests of a page that have no answer yet. */
function requestsOf(page) {
  const running = new Set();
  const isAsked = (request) => /\/(v1|api|console\/api)\//.test(request.url());
  page.on("request", (request) => isAsked(request) && running.add(request));
  for (const event of ["requestfinished", "requestfailed"]) page.on(event, (request) => running.delete(request));
  return running;
}

const sqlOf = (page) => page.locator("#explained pre").first().innerText();

const checks = {
  async "a wrong secret is refused, a right one is kept in memory alone"() {
    const page = await visit({ noisy: true });
    await signIn(page, "Admin secret", "not the secret");
    await page.getByRole("alert").filter({ hasText: "invalid admin secret" }).waitFor();
    await signIn(page, "Admin secret", facts.admin_secret);
    await page.locator(".graphiql-query-editor .view-lines").waitFor();
    await run(page, QUERY);
    await page.locator("#explained pre").first().waitFor();
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
    assert.ok(!stored.includes(facts.admin_secret), stored);
    await page.reload();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.context().close();
  },

  async "the same query as two roles shows different rows and different SQL"() {
    const page = await asAdmin();
    const seen = {};
    const roles = { user: { user_id: facts.user_id }, me: { user_id: facts.user_id }, anonymous: {} };
    for (const [role, values] of Object.entries(roles)) {
      await become(page, role, values);
      await run(page, QUERY);
      await page.getByRole("tab", { name: "SQL" }).click();
      const sql = await until(() => sqlOf(page), (text) => text.includes("SELECT"));
      await page.getByRole("tab", { name: "Rules" }).click();
      const rule = await until(() => page.locator("#explained table").first().innerText(), (text) => /permissions\.toml:\d+/.test(text));
      const rows = await until(() => lines(page.locator(".result-window")), (text) => text.includes("title"));
      seen[role] = { sql, rule, rows };
      if (role === "user") {
        await page.getByRole("tab", { name: "Plan" }).click();
        assert.match(await until(() => page.locator("#explained pre").first().innerText(), (text) => text.includes("cost=")), /cost=/);
        await page.getByRole("button", { name: "Run with ANALYZE" }).click();
        await until(() => page.locator("#explained pre").first().innerText(), (text) => text.includes("actual time"));
        await page.getByRole("tab", { name: "Time" }).click();
        await page.getByText("Parse, validate, translate").waitFor();
        await page.screenshot({ path: `${folder}/explained.png` });
      }
    }
    assert.notEqual(seen.user.sql, seen.anonymous.sql);
    assert.notEqual(seen.user.rows, seen.anonymous.rows);
    assert.deepEqual(page.answered(), []);
    await page.context().close();
  },

  async "a mutation is explained and measured without being made again"() {
    const page = await asAdmin();
    const question = `Is this asked once, ${Date.now()}?`;
    await page.locator(".graphiql-query-editor .view-lines").waitFor();
    // The request is made once as it stands; explaining it and measuring it make no further row.
    await run(page, `mutation { insertDataControllerFaq(object: {dataControllerId: "${facts.data_controller_id}", question: "${question}", answer: "Yes"}) { id } }`);
    await until(() => lines(page.locator(".result-window")), (text) => text.includes("insertDataControllerFaq"));
    await page.getByRole("tab", { name: "Plan" }).click();
    await page.getByText("which writes, in a transaction that is rolled back").waitFor();
    await page.getByRole("button", { name: "Run with ANALYZE" }).click();
    await until(() => page.locator("#explained pre").first().innerText(), (text) => text.includes("actual time"));
    const { dataControllerFaqs } = await admin("query ($text: String!) { dataControllerFaqs(where: {question: {_eq: $text}}) { id } }", { text: question });
    assert.equal(dataControllerFaqs.length, 1);
    await admin("mutation ($id: uuid!) { deleteDataControllerFaq(id: $id) { id } }", { id: dataControllerFaqs[0].id });
    await page.context().close();
  },

  async "the matrix opens the rule, and shows the rows of a caller"() {
    const page = await asAdmin();
    await open(page, "permissions");
    await page.getByRole("searchbox", { name: "Table" }).fill("dataSubjects");
    await page.getByRole("button", { name: /^user, dataSubjects, select/ }).click();
    const panel = page.getByRole("dialog");
    await panel.locator(".place").first().waitFor();
    assert.match(await panel.locator(".place").first().innerText(), /^permissions\.toml:\d+$/);
    await panel.getByLabel("user_id").fill(facts.user_id);
    await panel.getByRole("button", { name: "Show rows as user" }).click();
    await panel.getByRole("region", { name: "Rows of dataSubjects as user" }).waitFor();
    const own = await panel.getByRole("region", { name: /^Rows of/ }).locator("tbody tr").count();
    assert.ok(own > 0);
    assert.ok(!(await panel.innerText()).includes(facts.other_data_subject_id));
    await panel.getByLabel("user_id").fill("00000000-0000-4000-8000-000000000000");
    await panel.getByRole("button", { name: "Show rows as user" }).click();
    await panel.getByText("No row is visible to this caller").waitFor();
    await page.screenshot({ path: `${folder}/rule.png` });
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    assert.deepEqual(page.answered(), []);
    await page.context().close();
  },

  async "a dead letter is shown and replayed"() {
    const page = await asAdmin();
    await open(page, "events");
    await page.getByLabel("State").selectOption("dead");
    await page.getByRole("button", { name: "Details" }).first().click();
    const panel = page.getByRole("dialog");
    await panel.getByText("canceling statement").waitFor();
    await page.screenshot({ path: `${folder}/event.png` });
    await panel.getByRole("button", { name: "Deliver again" }).click();
    await page.getByText("One event is delivered again").waitFor();
    await page.getByLabel("State").selectOption("delivered");
    await until(async () => {
      await page.getByRole("button", { name: "Refresh" }).click();
      return page.locator("main").innerText();
    }, (text) => /data_subject_rights_requests_insert\s+delivered/.test(text.replaceAll("\t", " ")));
    assert.deepEqual(page.answered(), []);
    await page.context().close();
  },

  async "what happened with a user's tokens is shown, and the user's sessions"() {
    const page = await asAdmin();
    await open(page, "sign-ins");
    const events = page.getByRole("region", { name: "Sign-ins" });
    await events.getByText("token-created").first().waitFor();
    const user = page.getByRole("textbox", { name: "User" });
    await user.fill(facts.user_id);
    await user.press("Enter");
    await page.getByRole("heading", { name: "Open sessions" }).waitFor();
    await until(() => events.locator("tbody").innerText(), (text) => text.includes(facts.user_id) && !text.includes(facts.data_subject_id));
    await page.getByLabel("Outcome").selectOption("failure");
    await page.getByText("Nothing has happened yet").waitFor();
    await page.getByRole("button", { name: "All users" }).click();
    assert.deepEqual(page.answered(), []);
    await page.context().close();
  },

  async "a subscription delivers, and is shown as a cohort"() {
    const page = await asAdmin();
    await page.locator(".graphiql-query-editor .view-lines").waitFor();
    await become(page, "user", { user_id: facts.user_id });
    const id = facts.data_controller_id;
    await run(page, `subscription Live { dataController(id: "${id}") { description } }`);
    await until(() => lines(page.locator(".result-window")), (text) => text.includes("description"));
    const { dataController: { description } } = await admin("query ($id: uuid!) { dataController(id: $id) { description } }", { id });
    const set = (text) => admin("mutation ($id: uuid!, $text: String) { updateDataController(pk_columns: {id: $id}, _set: {description: $text}) { id } }", { id, text });
    await set("changed while the console listens");
    await until(() => lines(page.locator(".result-window")), (text) => text.includes("changed while the console listens"));
    const other = await asAdmin();
    await open(other, "live");
    await other.locator("main summary", { hasText: "Live" }).waitFor();
    await other.getByText("data_controllers", { exact: false }).first().waitFor();
    await set(description);
    for (const one of [page, other]) {
      assert.deepEqual(one.answered(), []);
      await one.context().close();
    }
  },

  async "an endpoint is tried from its form"() {
    const page = await asAdmin();
    await become(page, "user", { user_id: facts.user_id });
    await open(page, "rest");
    await page.locator("summary", { hasText: "GetDataSubjectsCountByController" }).or(page.locator("summary", { hasText: /countbycontroller/i })).first().click();
    const card = page.locator("details.endpoint[open]").first();
    await card.getByLabel(/dataControllerId/).fill(facts.data_controller_id);
    await card.getByRole("button", { name: "Send" }).click();
    await card.getByRole("status").filter({ hasText: "200" }).waitFor();
    await card.locator("summary", { hasText: "OpenAPI" }).click();
    await page.screenshot({ path: `${folder}/endpoint.png` });
    assert.deepEqual(page.answered(), []);
    await page.context().close();
  },

  async "a caller with a token gets queries, endpoints and a schema, and no SQL, rules or plans"() {
    const page = await visit();
    await signIn(page, "Personal access token", facts.pat_data_subject);
    await page.locator(".graphiql-query-editor .view-lines").waitFor();
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await run(page, "{ dataSubjects { id } }");
    await until(() => lines(page.locator(".result-window")), (text) => text.includes(facts.data_subject_id));
    assert.deepEqual(await page.getByRole("tab").filter({ hasText: /^(SQL|Rules|Plan|Time)$/ }).allInnerTexts(), ["Time"]);
    assert.ok(!asked.some((one) => one.includes("explain")), asked.join());
    assert.deepEqual(await page.locator("nav a").allInnerTexts(), ["Query", "REST", "Schema"]);
    await open(page, "permissions");
    await page.getByText("needs the admin secret").waitFor();
    await open(page, "schema");
    await page.getByRole("list", { name: "Tables" }).getByRole("button").first().waitFor();
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.ok(!stored.includes(facts.pat_data_subject) && !stored.includes("eyJ"), stored);
    assert.deepEqual(page.answered(), []);
    await page.context().close();
  },

  async "session values of other roles are not sent, and what is sent is shown"() {
    const page = await asAdmin();
    await page.locator(".graphiql-query-editor .view-lines").waitFor();
    const asked = [];
    page.on("request", (request) => request.url().includes("/v1/") && asked.push(request.headers()));
    await become(page, "user", { user_id: facts.user_id });
    await run(page, QUERY);
    const line = page.locator(".editor .sent");
    await line.filter({ hasText: new RegExp(`^as user, user_id ${facts.user_id}, \\d\\d:\\d\\d:\\d\\d$`) }).waitFor();
    assert.ok(asked.some((headers) => headers["x-gateway-user-id"] === facts.user_id));
    await become(page, "anonymous");
    asked.length = 0;
    await run(page, QUERY);
    await line.filter({ hasText: /^as anonymous, data_subject_id not set, \d\d:/ }).waitFor();
    assert.ok(asked.length > 0 && asked.every((headers) => headers["x-gateway-role"] === "anonymous" && !("x-gateway-user-id" in headers)), JSON.stringify(asked));
    // The value is kept for the role that reads it.
    await become(page, "user");
    assert.equal(await page.locator(".identity").getByLabel("user_id").inputValue(), facts.user_id);
    await become(page, "user", { user_id: "größe" });
    await run(page, QUERY);
    await page.locator(".editor .sent", { hasText: "user_id größe" }).waitFor();
    assert.ok(!/cannot be read|ISO-8859/.test(await lines(page.locator(".result-window"))));
    await page.context().close();
  },

  async "signing out ends the session of a personal access token, and a refused access token is renewed"() {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const sessions = [];
    let firstToken;
    await context.route(/\/v1\/(signin\/pat|token)$/, async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const session = answer.session ?? answer;
      sessions.push(session.refreshToken);
      firstToken ??= session.accessToken;
      await route.fulfill({ response, json: answer });
    });
    const page = await visit({ context, noisy: true });
    await signIn(page, "Personal access token", facts.pat_data_subject);
    await page.locator(".graphiql-query-editor .view-lines").waitFor();
    // From now on the gateway refuses the first token.
    await context.route("**/v1/graphql", (route) => (route.request().headers().authorization === `Bearer ${firstToken}`
      ? route.fulfill({ status: 401, json: { errors: [{ message: "JWT token has expired" }] } })
      : route.continue()));
    await run(page, "{ dataSubjects { id } }");
    await until(() => lines(page.locator(".result-window")), (text) => text.includes(facts.data_subject_id));
    assert.equal(sessions.length, 2);
    const ended = page.waitForResponse((response) => response.url().endsWith("/v1/signout"));
    await page.getByRole("button", { name: "Sign out" }).click();
    assert.equal((await ended).status(), 200);
    for (const refreshToken of sessions) {
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(`${url}/v1/token`, { method: "POST", headers, body: JSON.stringify({ refreshToken }) });
      assert.equal(response.status, 401);
    }
    assert.equal(await page.locator(".failure").count(), 0);
    await context.close();
  },

  async "nothing of a caller outlives a change of role, value or page, or signing out, on any page"() {
    const page = await visit();
    await page.addInitScript(watchWork);
    await page.reload();
    const running = requestsOf(page);
    const id = facts.data_controller_id;
    const { dataController: { description } } = await admin("query ($id: uuid!) { dataController(id: $id) { description } }", { id });
    const set = (text) => admin("mutation ($id: uuid!, $text: String) { updateDataController(pk_columns: {id: $id}, _set: {description: $text}) { id } }", { id, text });
    const socketsOf = () => page.evaluate(() => window.work.sockets.map(({ readyState, frames }) => ({ isOpen: readyState < WebSocket.CLOSING, frames })));
    let isHolding = false;
    const held = [];
    await page.route(/\/(v1\/graphql|api\/rest|console\/api\/(?!session))/, async (route) => {
      if (isHolding) await new Promise((release) => held.push(release));
      await route.continue().catch(() => {});
    });
    const changes = {
      role: () => page.locator(".identity select").selectOption("user"),
      value: () => become(page, "user", { user_id: facts.user_id }),
      page: (name) => page.evaluate((name) => { location.hash = `/${name}`; }, name === "query" ? "rest" : "query"),
      "sign-out": () => page.getByRole("button", { name: "Sign out" }).click(),
    };
    await signIn(page, "Admin secret", facts.admin_secret);
    const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
    await links.first().waitFor();
    const names = (await links.evaluateAll((all) => all.map((link) => link.hash))).map((hash) => hash.slice(2));
    assert.deepEqual([...names].sort(), [...PAGES].sort());
    for (const name of names) {
      for (const [change, act] of Object.entries(changes)) {
        const about = `${name}, ${change}`;
        if (await page.getByRole("radio", { name: "Admin secret" }).count()) await signIn(page, "Admin secret", facts.admin_secret);
        if (change === "role") await become(page, "admin");
        if (change === "value") await become(page, "user", { user_id: facts.other_data_subject_id });
        await open(page, name);
        if (name === "query") {
          await page.locator(".graphiql-query-editor .view-lines").waitFor();
          await run(page, `subscription Live { dataController(id: "${id}") { description } }`);
          await until(() => lines(page.locator(".result-window")), (text) => text.includes("description") || text.includes("null"));
          assert.ok((await socketsOf()).some(({ isOpen }) => isOpen), about);
        } else {
          await until(() => rowsOf(page), (rows) => rows.length > 0);
        }
        const former = await page.evaluate(() => [...window.work.intervals]);
        // A request of the former caller waits for its answer, and so does what the next one asks.
        isHolding = true;
        const refresh = page.getByRole("button", { name: "Refresh" });
        if (name !== "query") {
          await until(() => running.size, (size) => size === 0);
          await refresh.click();
          await until(() => held.length, (length) => length > 0);
        }
        const asked = [...running];
        await act(name);
        await until(() => asked.filter((request) => running.has(request)).length, (left) => left === 0);
        const sockets = await until(socketsOf, (all) => all.every(({ isOpen }) => !isOpen));
        assert.deepEqual(await rowsOf(page), [], about);
        if (change === "sign-out") assert.equal(running.size, 0, about);
        const left = await page.evaluate(() => [...window.work.intervals]);
        assert.deepEqual(left.filter((interval) => former.includes(interval)), [], about);
        if (name === "query") await set(`${about}, ${Date.now()}`);
        isHolding = false;
        for (const release of held.splice(0)) release();
        if (name === "query") assert.deepEqual((await socketsOf()).slice(0, sockets.length), sockets, about);
      }
    }
    await set(description);
    await page.context().close();
  },

  async "links in comments leave the console alone, and images are not asked for"() {
    const page = await visit();
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    const comment = "[out](https://evil.example/phish) [hash](#/events) [path](/v1/version) [command](command:x) ![seen](/v1/seen)";
    await page.route("**/v1/graphql", async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const types = answer.data?.__schema?.types ?? [];
      for (const type of types) type.description = comment;
      for (const field of types.flatMap(({ fields }) => fields ?? [])) field.description = comment;
      await route.fulfill({ response, json: answer });
    });
    await signIn(page, "Admin secret", facts.admin_secret);
    const link = page.locator(".graphiql-plugin .graphiql-markdown-description a").first();
    await page.locator(".graphiql-query-editor .view-lines").waitFor();
    await page.getByRole("button", { name: /Show Documentation Explorer/ }).click();
    await page.locator(".graphiql-doc-explorer-type-name").first().click();
    await link.waitFor();
    const all = await page.locator(".graphiql-markdown-description a, .graphiql-markdown-preview a").evaluateAll((links) => links.map(({ href, target, rel, parentElement }) => ({ href, target, rel, text: parentElement.textContent })));
    assert.ok(all.length > 0);
    for (const { href, target, rel, text } of all) {
      assert.deepEqual([href, target, rel], ["https://evil.example/phish", "_blank", "noopener noreferrer"]);
      assert.match(text, /out \(evil\.example\)/);
    }
    assert.ok(!asked.some((address) => address.includes("/v1/seen")), asked.join());
    await page.context().close();
  },

  async "characters that are not seen are shown in grids, answers, events and comments"() {
    const odd = "a\u202Ecba\u001B[31m\u2066 \u{1F468}\u200D\u{1F469}", shown = "aU+202EcbaU+001B[31mU+2066 \u{1F468}\u200D\u{1F469}";
    const isShown = async (locator) => {
      const text = await until(() => locator.innerText(), (text) => text.includes("U+202E"));
      assert.ok(text.includes(shown), text);
      assert.doesNotMatch(text, /[\u001B\u202E\u2066]/u);
    };
    const page = await visit();
    await page.route("**/v1/graphql", async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      for (const type of answer.data?.__schema?.types ?? []) type.description = `${odd} and \`${odd}\``;
      for (const row of answer.data?.rows ?? []) for (const name in row) row[name] = odd;
      await route.fulfill({ response, json: answer });
    });
    await page.route("**/console/api/events?*", async (route) => {
      const response = await route.fetch();
      const queue = await response.json();
      for (const event of queue.events) Object.assign(event, { trigger: odd, error: odd });
      await route.fulfill({ response, json: queue });
    });
    await page.route("**/api/rest/*", (route) => route.request().url().includes("openapi.json") ? route.fallback() : route.fulfill({ body: odd, contentType: "text/plain" }));
    await signIn(page, "Admin secret", facts.admin_secret);
    await page.locator(".graphiql-query-editor .view-lines").waitFor();
    await page.getByRole("button", { name: /Show Documentation Explorer/ }).click();
    await page.locator(".graphiql-doc-explorer-type-name").first().click();
    await isShown(page.locator(".graphiql-markdown-description").first());
    await open(page, "permissions");
    await page.getByRole("searchbox", { name: "Table" }).fill("dataSubjects");
    await page.getByRole("button", { name: /^user, dataSubjects, select/ }).click();
    await page.getByRole("dialog").getByLabel("user_id").fill(facts.user_id);
    await page.getByRole("button", { name: "Show rows as user" }).click();
    await isShown(page.getByRole("region", { name: /^Rows of/ }).locator("tbody"));
    await page.keyboard.press("Escape");
    await open(page, "events");
    await isShown(page.getByRole("region", { name: "Events", exact: true }).locator("tbody"));
    await open(page, "rest");
    const endpoint = page.locator("details.endpoint").first();
    await endpoint.locator("summary").first().click();
    for (const field of await endpoint.locator("input.value").all()) await field.fill("1");
    await endpoint.getByRole("button", { name: "Send" }).click();
    await isShown(endpoint.getByRole("region", { name: "Answer" }));
    await page.context().close();
  },

  async "a schema of 500 tables stays usable"() {
    const page = await asAdmin();
    const tables = Array.from({ length: 500 }, (_, index) => ({
      name: `table${index}`, type: `Table${index}`, result: false,
      columns: Array.from({ length: 12 }, (_, column) => ({ name: `column${column}`, type: "String!", key: column === 0 })),
      relations: index ? [{ name: "parent", to: `table${Math.floor(index / 4)}`, many: false }, { name: "friend", to: `table${(index * 7) % 500}`, many: false }] : [],
    }));
    await page.route("**/console/api/schema", (route) => route.fulfill({ json: { role: "admin", tables } }));
    await open(page, "schema");
    await page.locator("svg .box").first().waitFor();
    assert.ok(await page.locator("svg .box").count() < 60);
    const began = Date.now();
    await page.getByLabel("Show").selectOption("all");
    await until(() => page.locator("svg .box").count(), (count) => count === 500);
    const boxes = await page.locator("svg .box rect").evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, x + width, y + height]));
    const overlaps = boxes.some(([x, y], index) => boxes.some(([left, top, right, bottom], other) => other < index && x >= left && x < right && y >= top && y < bottom));
    assert.ok(!overlaps, "boxes overlap");
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("searchbox").fill("table499");
    await page.getByRole("button", { name: "table499" }).click();
    await page.getByRole("region", { name: "table499" }).waitFor();
    assert.ok(Date.now() - began < 15000, `took ${Date.now() - began} ms`);
    await page.screenshot({ path: `${folder}/schema-500.png` });
    await page.context().close();
  },
};

for (const colorScheme of ["light", "dark"]) {
  for (const width of [360, 768, 1440]) {
    checks[`axe finds nothing serious and nothing overflows: ${width} ${colorScheme}`] = async () => {
      const options = { viewport: { width, height: 900 }, colorScheme, bypassCSP: true };
      const page = await visit(options);
      const judge = async (name) => {
        await page.evaluate(axe);
        // GraphiQL's tabs contain a button to close them, which is a pattern that axe refuses.
        const { violations } = await page.evaluate(() => axe.run({ exclude: [".graphiql-tab"] }, {
          runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        }));
        const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
        const found = serious.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.failureSummary}`)]);
        assert.deepEqual(found, [], name);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} scrolls sideways`);
        assert.deepEqual(await page.evaluate(brokenWords), [], `${name} breaks names inside their words`);
        assert.ok(await page.evaluate(() => [...document.querySelectorAll(".scroll:has(.listed)")].every((one) => one.scrollWidth <= one.clientWidth)), `a list on ${name} scrolls sideways`);
      };
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      await page.screenshot({ path: `${folder}/${width}-${colorScheme}-sign-in.png` });
      await judge("sign-in");
      await signIn(page, "Admin secret", facts.admin_secret);
      await page.locator(".graphiql-query-editor .view-lines").waitFor();
      await become(page, "user", { user_id: facts.user_id });
      await run(page, QUERY);
      await page.locator("#explained pre").first().waitFor();
      await until(() => lines(page.locator(".result-window")), (text) => text.includes("title"));
      for (const name of PAGES) {
        await open(page, name);
        if (name !== "query") await page.locator("main .page :is(button, td, dd, summary):visible").nth(1).waitFor();
        if (name === "schema") await page.locator("svg .box").first().waitFor();
        // What is shown is waited for above; a worker of the editor may keep the network from ever counting as idle.
        await page.waitForLoadState("networkidle", { timeout: 5000 }).catch(() => {});
        await page.screenshot({ path: `${folder}/${width}-${colorScheme}-${name}.png`, fullPage: true });
        await judge(name);
      }
      await page.context().close();
    };
  }
}

const only = process.env.CHECK;
for (const [name, check] of Object.entries(checks)) {
  if (only && !name.includes(only)) continue;
  const began = Date.now();
  let failure = null;
  try {
    await Promise.race([check(), new Promise((_, late) => setTimeout(late, 180000, new Error("took longer than 180 seconds")).unref())]);
  } catch (error) {
    failure = String(error.stack ?? error).slice(0, 3000);
  }
  console.log(JSON.stringify({ name, failure, ms: Date.now() - began }));
}
await browser.close();
process.exit(0);
