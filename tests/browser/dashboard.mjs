// Drives the dashboard in Chromium: node dashboard.mjs URL DIST PORT FOLDER. URL is the gateway's, DIST the folder with the built
// page, which is served at http://localhost:PORT: another origin than the gateway's, which its settings have to list. Reads
// {"team": [{"level", "email"}…], "password", "data_controller_id", "admin_secret"} from standard input, as line 1 of `postern demo`
// has it: one member of each level. Writes one JSON line for each check: {"name", "failure"}, and ends with 1 if one has failed. Screenshots go
// to FOLDER. CHECK selects checks by a part of their name.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { brotliDecompressSync } from "node:zlib";
import { launch } from "./browser.mjs";

const [url, dist, port, folder] = process.argv.slice(2);
const facts = JSON.parse(readFileSync(0, "utf8"));
const { password } = facts;
const controller = facts.data_controller_id ?? facts.controller;
/** The address of the member of each level. */
const people = facts.people ?? Object.fromEntries(facts.team.map(({ level, email }) => [level, email]));
mkdirSync(folder, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");

// ------------------------------------------------------------------------------------------------------------
// The page, as a server of another origin would serve it
// ------------------------------------------------------------------------------------------------------------

const origin = `http://localhost:${port}`;
const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src ${url} ${url.replace(/^http/, "ws")}; `
  + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, origin);
  const [, name] = /^\/dashboard\/assets\/([\w.-]+)$/.exec(pathname) ?? [];
  response.setHeader("Content-Security-Policy", policy);
  if (name) {
    response.setHeader("Content-Type", name.endsWith(".css") ? "text/css" : "text/javascript");
    response.end(brotliDecompressSync(readFileSync(`${dist}/${name}.br`)));
  } else {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(readFileSync(`${dist}/index.html`, "utf8").replace('name="gateway" content=""', `name="gateway" content="${url}"`));
  }
});
await new Promise((listening) => server.listen(Number(port), "localhost", listening));

// ------------------------------------------------------------------------------------------------------------
// What every page may ask
// ------------------------------------------------------------------------------------------------------------

/** The gateway's public paths that the dashboard uses. */
const PUBLIC = [/^\/v1\/graphql$/, /^\/api\/rest\//, /^\/v1\/(signin|signup|signout|token|user|elevate|mfa|verify|pat)(\/|$)/];
const seen = new Set();
const violations = [];

function watch(page) {
  const judge = (address, headers) => {
    const { protocol, pathname, origin: asked } = new URL(address);
    if (protocol === "data:" || protocol === "blob:") return;
    const isOwn = asked === origin;
    const isGateway = address.replace(/^ws/, "http").startsWith(`${url}/`);
    if (isGateway) seen.add(pathname);
    if (!isOwn && !(isGateway && PUBLIC.some((pattern) => pattern.test(pathname)))) violations.push(`a request to ${address}`);
    for (const [name, value] of Object.entries(headers)) {
      if (/admin/i.test(name) || value.includes(facts.admin_secret)) violations.push(`the header ${name} at ${address}`);
    }
  };
  page.on("request", (request) => judge(request.url(), request.headers()));
  page.on("websocket", (socket) => {
    judge(socket.url(), {});
    socket.on("framesent", ({ payload }) => /admin[-_]secret/i.test(String(payload)) && violations.push("the admin secret in a socket"));
  });
}

const browser = await launch();

/** A page of its own browser profile. Its errors and violations of its policy are failures. */
async function visit(options = {}) {
  const { language = "en", context: given, noisy, path = "/dashboard", ...rest } = options;
  const context = given ?? await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB", reducedMotion: "reduce", bypassCSP: true, ...rest });
  if (!given && language) await context.addInitScript((chosen) => localStorage.getItem("dashboard.language") ?? localStorage.setItem("dashboard.language", chosen), language);
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => {
    const isOwn = message.location().url.startsWith(origin) || /v1\//.test(message.location().url);
    if (message.type() === "error" && !noisy && isOwn && !/status of 40[013]/.test(message.text())) page.problems.push(message.text());
  });
  watch(page);
  await page.goto(origin + path);
  return page;
}

async function enterCredentials(page, email, secret = password) {
  await page.locator("input[type=email]").fill(email);
  await page.locator("input[type=password]").fill(secret);
  await page.locator("form button.primary").click();
}

/** Signs a person in, and waits for the overview. */
async function as(who, options = {}) {
  const page = await visit(options);
  await enterCredentials(page, people[who] ?? who);
  await page.locator(".tiles .figure").first().waitFor();
  return page;
}

async function end(page) {
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

const at = (page, ...parts) => page.goto(`${origin}/dashboard#/${[controller, ...parts].join("/")}`);
const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();
const button = (scope, name) => scope.getByRole("button", { name, exact: true });

/** Waits until a condition holds; its last value is in the failure. */
async function until(read, holds = Boolean) {
  const late = Date.now() + 15000;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    assert.ok(Date.now() < late, `still ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

// ------------------------------------------------------------------------------------------------------------
// What the test itself does at the gateway, beside the page
// ------------------------------------------------------------------------------------------------------------

async function post(path, body, headers = {}) {
  const response = await fetch(url + path, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json().catch(() => null) };
}

/** A query with the admin secret, as a role with session values if one is named. */
async function admin(query, variables = {}, session = {}) {
  const { body } = await post("/v1/graphql", { query, variables }, { "X-Gateway-Admin-Secret": facts.admin_secret, ...session });
  assert.ok(body?.data, JSON.stringify(body));
  return body.data;
}

/** How a member is called. */
async function nameOf(who) {
  const { users } = await admin("query ($email: String!) { users(where: {email: {_eq: $email}}) { displayName } }", { email: people[who] });
  return users[0].displayName;
}

/** An active member who answers requests and is none of those who sign in here. */
async function colleague() {
  const query = "query ($c: uuid!, $not: [String!]!) { dataControllerUsers(where: {dataControllerId: {_eq: $c}, status: {_eq: \"active\"}, role: {_neq: \"Viewer\"}, user: {email: {_nin: $not}}}, limit: 1) { user { displayName } } }";
  return (await admin(query, { c: controller, not: Object.values(people) })).dataControllerUsers[0].user.displayName;
}

/** Headers of a signed-in member. */
async function headersOf(who) {
  const { body } = await post("/v1/signin/email-password", { email: people[who] ?? who, password });
  return { Authorization: `Bearer ${body.session.accessToken}`, "X-Gateway-Role": "user" };
}

/** A person of the controller that has not been touched yet. */
let used = 0;
async function somebody() {
  const { dataSubjects } = await admin("query ($c: uuid!, $skip: Int!) { dataSubjects(where: {dataControllerId: {_eq: $c}, displayName: {_is_null: false}, email: {_is_null: false}}, orderBy: {id: asc}, limit: 1, offset: $skip) { id displayName email } }", { c: controller, skip: used });
  used += 7;
  return dataSubjects[0];
}

const asPerson = (id) => ({ "X-Gateway-Role": "dataSubject", "X-Gateway-Data-Subject-Id": id });

async function insertRequest(person, type = "access", description = "What do you know about me?") {
  const query = "mutation ($o: dataSubjectsRightsRequests_insert_input!) { insertDataSubjectsRightsRequest(object: $o) { id } }";
  const { insertDataSubjectsRightsRequest: { id } } = await admin(query, { o: { dataSubjectId: person.id, requestType: type, description } }, asPerson(person.id));
  // The event trigger starts the processing.
  await until(async () => (await admin("query ($id: uuid!) { dataSubjectsRightsRequest(id: $id) { workflow { id } } }", { id })).dataSubjectsRightsRequest.workflow);
  return id;
}

/** The newest mail to an address that is newer than a time. */
async function mailTo(recipient, since) {
  const query = "query ($to: String!, $since: timestamptz!) { outgoingMails(where: {recipient: {_eq: $to}, createdAt: {_gt: $since}}, order_by: {createdAt: desc}, limit: 1) { subject body } }";
  return until(async () => (await admin(query, { to: recipient, since })).outgoingMails[0]);
}

const linkIn = ({ body }) => body.split(/\s+/).find((word) => word.startsWith("http"));

/** A code of an authenticator app. <https://www.rfc-editor.org/rfc/rfc6238> */
function totp(secret, time = Date.now()) {
  const bits = [...secret.replace(/=+$/, "")].map((char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30000)));
  const digest = createHmac("sha1", key).update(counter).digest();
  return String((digest.readUInt32BE(digest.at(-1) & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

// ------------------------------------------------------------------------------------------------------------
// The screens
// ------------------------------------------------------------------------------------------------------------

/** All screens, with the address after the controller and what shows that the content is there. */
async function screens(page, { isAdministrator = true } = {}) {
  const person = await somebody();
  const { rightsRequestWorkflows: [{ request }] } = await admin("query ($c: uuid!) { rightsRequestWorkflows(where: {state: {_neq: \"closed\"}, dataSubject: {dataControllerId: {_eq: $c}}}, orderBy: {dueAt: asc}, limit: 1) { request { id } } }", { c: controller });
  return [
    ["overview", ["overview"], ".chart svg"],
    ["requests", ["requests"], "tbody tr"],
    ["requests-closed", ["requests?view=closed"], "tbody tr"],
    ["request", ["requests", request.id], ".steps li"],
    ["people", ["people"], "tbody tr"],
    ["person", ["people", person.id], ".facts"],
    ["person-data", ["people", `${person.id}?tab=data`], "tbody tr, .empty"],
    ["person-consents", ["people", `${person.id}?tab=consents`], ".consents, .empty"],
    ["person-requests", ["people", `${person.id}?tab=requests`], "tbody tr, .empty"],
    ["person-activities", ["people", `${person.id}?tab=activities`], "tbody tr, .empty"],
    ["person-messages", ["people", `${person.id}?tab=messages`], ".messages, .empty"],
    ["consents", ["consents"], "tbody tr[role=row]"],
    ["notices", ["texts"], ".card h2"],
    ["faq", ["texts?tab=faq"], ".messages li"],
    ["purposes", ["texts?tab=purposes"], ".card h2"],
    ["team", ["team"], "tbody tr"],
    ["integrations", ["integrations"], "tbody tr"],
    ...(isAdministrator ? [["audit", ["audit"], "tbody tr"]] : []),
  ];
}

async function judge(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run("html", { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => [name, id, nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.failureSummary}`)]), []);
}

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

const checks = {};

for (const [language, colorScheme, width] of [["en", "light", 1440], ["de", "dark", 768], ["nl", "light", 360], ["de", "light", 320]]) {
  checks[`each screen has its content, and axe finds nothing: ${language}, ${colorScheme}, ${width} px`] = async () => {
    const options = { language, colorScheme, viewport: { width, height: 900 } };
    const page = await visit(options);
    await page.locator("form").waitFor();
    await judge(page, "sign-in");
    assert.ok(await overflow(page) <= 0, "the sign-in is too wide");
    await enterCredentials(page, people.Administrator);
    await page.locator(".tiles .figure").first().waitFor();
    const failures = [];
    for (const [name, address, ready] of [...await screens(page), ["account", null, ".codes, .list li"]]) {
      await page.goto(address ? `${origin}/dashboard#/${[controller, ...address].join("/")}` : `${origin}/dashboard#/account`);
      await page.locator(`main ${ready.replaceAll(", ", ", main ")}`).first().waitFor().catch(() => failures.push(`${name} has no content`));
      await until(() => page.locator(".skeleton").count(), (count) => count === 0);
      assert.equal(await page.locator("main .note.bad").count(), 0, `${name}: ${await page.locator("main").innerText()}`);
      assert.equal(await page.evaluate(() => document.documentElement.lang), language);
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}-${language}.png`, fullPage: true });
      if (await overflow(page) > 0) failures.push(`${name} is too wide`);
      await judge(page, name).catch((error) => failures.push(error.message));
    }
    assert.deepEqual(failures, []);
    await end(page);
  };
}

for (const who of ["Editor", "Viewer"]) {
  checks[`${who} opens each screen, and none for Administrators`] = async () => {
    const page = await as(who);
    for (const [name, address, ready] of await screens(page, { isAdministrator: false })) {
      await at(page, ...address);
      await page.locator(`main ${ready.replaceAll(", ", ", main ")}`).first().waitFor();
      assert.equal(await page.locator("main .note.bad").count(), 0, name);
    }
    await at(page, "audit");
    await page.getByText("Only Administrators see").waitFor();
    assert.equal(await page.getByRole("link", { name: "Audit" }).count(), 0);
    await end(page);
  };
}

checks["a Viewer sees no control that writes, and every forbidden call fails"] = async () => {
  const page = await as("Viewer");
  const reading = /^(CSV|Save what is shown as a CSV file|Print|Previous|Next|Menu|Sign out|As a page|As JSON|As CSV|Save: .*|Compare with the version before|Read: .*)$/;
  for (const [name, address, ready] of await screens(page, { isAdministrator: false })) {
    await at(page, ...address);
    await page.locator(`main ${ready.replaceAll(", ", ", main ")}`).first().waitFor();
    const names = await page.locator("main button").evaluateAll((buttons) => buttons.map((one) => one.getAttribute("aria-label") ?? one.textContent));
    assert.deepEqual(names.filter((text) => !reading.test(text)), [], name);
    const inputs = await page.locator("main :is(input, select, textarea)").evaluateAll((all) => all.filter((one) => !one.closest(".filters")).map((one) => one.outerHTML));
    assert.deepEqual(inputs, [], name);
  }
  const headers = await headersOf("Viewer");
  const person = await somebody();
  const open = await insertRequest(person);
  const team = await admin("query ($c: uuid!) { dataControllerUsers(where: {dataControllerId: {_eq: $c}}) { id } }", { c: controller });
  const calls = [
    [`mutation { updateDataSubjectsRightsRequest(pk_columns: {id: "${open}"}, _set: {status: "in_progress"}) { id } }`, "updateDataSubjectsRightsRequest"],
    [`mutation { updateRightsRequestWorkflows(where: {dataSubjectRightsRequestId: {_eq: "${open}"}}, _set: {assignedTo: null}) { affected_rows } }`, "updateRightsRequestWorkflows"],
    [`mutation { updateDataSubject(pk_columns: {id: "${person.id}"}, _set: {displayName: "x"}) { id } }`, "updateDataSubject"],
    [`mutation { deleteDataControllerUser(id: "${team.dataControllerUsers[0].id}") { id } }`, "deleteDataControllerUser"],
    [`mutation { inviteTeamMember(dataControllerId: "${controller}", email: "x@team.example", role: "Viewer") { status } }`],
    [`mutation { createIntegrationKey(dataControllerId: "${controller}", service: "crm", name: "x") { id } }`],
    [`mutation { insertNotificationMessage(object: {dataSubjectId: "${person.id}", kind: "rights_request", title: "x", body: "x"}) { id } }`],
    [`mutation { upsertDataSubjectConsents(dataControllerId: "${controller}", dataSubjectId: "${person.id}", purposes: {}) { status } }`],
    [`mutation { insertPrivacyNotice(object: {dataControllerId: "${controller}", title: "x", version: 99, language: "en", quickLook: "x", overview: "x", full: "x"}) { id } }`],
  ];
  for (const [query, field] of calls) {
    const { body } = await post("/v1/graphql", { query }, headers);
    const value = field && body.data?.[field];
    assert.ok(body.errors || value === null || value?.affected_rows === 0, `${query}: ${JSON.stringify(body)}`);
  }
  await end(page);
};

checks["a request from its entry to its result, live, as both sides read it"] = async () => {
  const [editor, administrator] = [await nameOf("Editor"), await nameOf("Administrator")];
  const person = await somebody();
  const page = await as("Editor");
  await at(page, "requests?sort=received");
  await page.locator("tbody tr").first().waitFor();
  const id = await insertRequest(person);
  // The list follows by itself, and says so.
  await page.getByText("1 new request in this list.").waitFor();
  await page.locator(`a[href$="${id}"]`).click();
  await page.getByText("What do you know about me?").waitFor();
  await button(page, "Begin work").click();
  await page.locator(".badge", { hasText: "In progress" }).waitFor();
  assert.ok(await button(page, "Complete").isDisabled());
  await page.getByText("Before it can be completed: check the identity").waitFor();
  await page.getByLabel("How was it checked?").fill("Asked back by telephone");
  await button(page, "Mark as checked").click();
  await page.getByText(new RegExp(`Checked on .* by ${editor}`)).waitFor();
  await page.getByRole("button", { name: /^Mark as done: / }).click();
  await page.locator(".steps li.done").nth(1).waitFor();
  await page.locator("input[type=file]").setInputFiles({ name: "answer.csv", mimeType: "text/csv", buffer: Buffer.from("data,value\nname,Ada\n") });
  await page.getByText("answer.csv").waitFor();
  await page.getByLabel("Assigned to").selectOption({ label: administrator });
  await button(page, "Extend the deadline").click();
  await page.getByRole("dialog").getByLabel("Reason").fill("The archive has to be searched");
  await page.getByRole("dialog").getByRole("button", { name: "Extend the deadline" }).click();
  await page.locator("dd", { hasText: "The archive has to be searched" }).waitFor();
  await button(page, "Write to the person").click();
  await page.getByRole("dialog").getByLabel("Subject").fill("A question");
  await page.getByRole("dialog").getByLabel("Message").fill("Which contract do you mean?");
  await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
  await page.locator(".messages").getByText("A question").waitFor();
  await page.getByLabel("Result, as the person reads it").fill("We know your name, and that you are a customer.");
  await button(page, "Complete").click();
  await page.getByRole("dialog").getByRole("button", { name: "Complete" }).click();
  await page.getByText(new RegExp(`Closed on .* by ${editor}`)).waitFor();
  // Nothing is left to be changed.
  assert.equal(await page.getByRole("button", { name: /Mark as|Attach|Extend|Reject|Complete/ }).count(), 0);
  await page.locator(".history li").first().waitFor();
  const { dataSubjectsRightsRequest: read, notificationMessages } = await admin(`query ($id: uuid!) {
    dataSubjectsRightsRequest(id: $id) { status result verified documents { title content } workflow { extensionReason } }
    notificationMessages(where: {title: {_eq: "A question"}}, orderBy: {createdAt: desc}, limit: 1) { body }
  }`, { id }, asPerson(person.id));
  assert.deepEqual(read, {
    status: "completed", result: "We know your name, and that you are a customer.", verified: true,
    documents: [{ title: "answer.csv", content: "data,value\nname,Ada\n" }], workflow: { extensionReason: "The archive has to be searched" },
  });
  assert.deepEqual(notificationMessages, [{ body: "Which contract do you mean?" }]);
  await end(page);
};

checks["a request for erasure is closed after the erasure, and one is rejected with a reason"] = async () => {
  const [person, other] = [await somebody(), await somebody()];
  const page = await as("Editor");
  await at(page, "people", person.id);
  await button(page, "Forget this person").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("The identity is checked already").check();
  await dialog.getByLabel("How was it checked?").fill("Letter with a signature");
  await dialog.getByRole("button", { name: "Enter" }).click();
  await page.getByText("Letter with a signature").waitFor();
  assert.ok(await button(page, "Complete").isDisabled());
  await button(page, "Run the erasure").click();
  await dialog.getByRole("button", { name: "Run the erasure" }).click();
  await page.getByText(/^Erased on/).first().waitFor();
  await until(() => page.getByLabel("Result, as the person reads it").inputValue(), (text) => text.length > 40);
  await button(page, "Complete").click();
  await dialog.getByRole("button", { name: "Complete" }).click();
  await page.getByText(/Closed on/).waitFor();
  const { dataSubject } = await admin("query ($id: uuid!) { dataSubject(id: $id) { displayName email } }", { id: person.id });
  assert.deepEqual(dataSubject, { displayName: null, email: null });

  const id = await insertRequest(other, "objection", "I object.");
  await at(page, "requests", id);
  await button(page, "Reject").click();
  await dialog.getByLabel(/Reason of the rejection/).fill("There are compelling grounds.");
  await dialog.getByRole("button", { name: "Reject" }).click();
  await page.getByText(/Closed on/).first().waitFor();
  const { dataSubjectsRightsRequest: read } = await admin("query ($id: uuid!) { dataSubjectsRightsRequest(id: $id) { status rejectionReason } }", { id }, asPerson(other.id));
  assert.deepEqual(read, { status: "rejected", rejectionReason: "There are compelling grounds." });
  await end(page);
};

checks["several requests are assigned and begun at once, and filters are in the address"] = async () => {
  const person = await somebody();
  const other = await colleague();
  const ids = [await insertRequest(person, "access", "One"), await insertRequest(person, "access", "Two")];
  const page = await as("Editor");
  await at(page, "requests");
  await page.getByRole("searchbox").fill(person.displayName);
  await page.getByLabel("Kind").selectOption("access");
  await until(() => page.locator("tbody tr").count(), (count) => count >= 2);
  await until(() => page.evaluate(() => location.hash), (hash) => hash.includes("type=access") && hash.includes("q="));
  // A colleague who opens the address sees the same.
  await page.reload();
  await until(() => page.locator("tbody tr").count(), (count) => count >= 2);
  assert.equal(await page.getByRole("searchbox").inputValue(), person.displayName);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save what is shown as a CSV file" }).click();
  const csv = readFileSync(await (await saved).path(), "utf8");
  assert.ok(csv.startsWith("\uFEFFKind,Person,") && csv.includes(person.displayName), csv);
  for (const id of ids) await page.locator("tr", { has: page.locator(`a[href$="${id}"]`) }).getByRole("checkbox").check();
  await page.getByRole("group", { name: "2 selected" }).getByRole("combobox", { name: "Assign to" }).selectOption({ label: other });
  await page.getByText("2 requests changed.").waitFor();
  for (const id of ids) await page.locator("tr", { has: page.locator(`a[href$="${id}"]`) }).getByText(other).waitFor();
  for (const id of ids) await page.locator("tr", { has: page.locator(`a[href$="${id}"]`) }).getByRole("checkbox").check();
  await button(page.locator(".bulk"), "Begin work").click();
  for (const id of ids) await page.locator("tr", { has: page.locator(`a[href$="${id}"]`) }).getByText("In progress").waitFor();
  const rows = await admin("query ($ids: [uuid!]!) { dataSubjectsRightsRequests(where: {id: {_in: $ids}}) { status workflow { assignee { displayName } } } }", { ids });
  assert.deepEqual(rows.dataSubjectsRightsRequests, ids.map(() => ({ status: "in_progress", workflow: { assignee: { displayName: other } } })));
  await end(page);
};

checks["a change is shown at once, taken back if it is refused, and colleagues see it live"] = async () => {
  const id = await insertRequest(await somebody());
  const page = await as("Editor", { noisy: true });
  const other = await as("Administrator");
  await at(page, "requests", id);
  await at(other, "requests", id);
  const before = await page.getByLabel("Assigned to").inputValue();
  // The gateway refuses after a second, in which the change stands there.
  await page.route(`${url}/v1/graphql`, async (route) => {
    if (!route.request().postData()?.includes("UpdateWorkflow")) return route.continue();
    await new Promise((done) => setTimeout(done, 1000));
    return route.fulfill({ status: 500, contentType: "application/json", headers: { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true" }, body: "{}" });
  });
  const options = await page.getByLabel("Assigned to").locator("option").evaluateAll((all) => all.map(({ value }) => value));
  const next = options.find((value) => value && value !== before);
  await page.getByLabel("Assigned to").selectOption(next);
  await until(() => page.getByLabel("Assigned to").inputValue(), (value) => value === next);
  await page.getByText("The service has a fault.").first().waitFor();
  await until(() => page.getByLabel("Assigned to").inputValue(), (value) => value === before);
  await page.unroute(`${url}/v1/graphql`);
  await page.getByLabel("Assigned to").selectOption(next);
  await until(() => other.getByLabel("Assigned to").inputValue(), (value) => value === next);
  await page.context().close();
  await end(other);
};

checks["the keyboard alone reaches a request, and checks an identity"] = async () => {
  const person = await somebody();
  const id = await insertRequest(person, "rectification", "My name is wrong.");
  const page = await visit();
  const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  /** Presses Tab until the focus is on an element. */
  const tabTo = async (holds, most = 60) => {
    for (let step = 0; step < most; step += 1) {
      await press("Tab");
      if (await page.evaluate(holds)) return;
    }
    assert.fail(`Tab does not reach ${holds}`);
  };
  await tabTo(() => document.activeElement.matches("input[type=email]"));
  await page.keyboard.type(people.Editor);
  await press("Tab");
  await page.keyboard.type(password);
  await press("Enter");
  await page.locator(".tiles .figure").first().waitFor();
  await press("Tab");
  assert.ok(await page.evaluate(() => document.activeElement.matches(".skip")), "the skip link comes first");
  await press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "content");
  await press("Shift+Tab");
  await page.keyboard.press("Home");
  await at(page, `requests?q=${encodeURIComponent(person.displayName)}`);
  await page.locator(`a[href$="${id}"]`).waitFor();
  await page.evaluate(() => document.getElementById("content").focus());
  await tabTo(`document.activeElement.matches('a[href$="${id}"]')`, 80);
  await press("Enter");
  await heading(page, "Request: Rectification");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "H1", "the next screen begins at its heading");
  await tabTo(() => document.activeElement.matches("input[name=evidence]"));
  await page.keyboard.type("Contract compared");
  await press("Enter");
  await page.getByText(/Checked on/).waitFor();
  await tabTo(() => document.activeElement.textContent === "Reject");
  await press("Enter");
  await page.getByRole("dialog").waitFor();
  await press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Reject", "the focus comes back");
  await end(page);
};

checks["a personal access token is shown once, works, and is revoked"] = async () => {
  const name = `build ${Date.now()}`;
  const page = await as("Editor");
  await page.goto(`${origin}/dashboard#/account`);
  await button(page, "New token").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Add" }).click();
  const token = await dialog.getByLabel("Token").inputValue();
  assert.match(token, /^pat_/);
  assert.equal((await post("/v1/signin/pat", { personalAccessToken: token })).status, 200);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByText(name).waitFor();
  assert.ok(!(await page.content()).includes(token));
  await page.reload();
  await page.getByText(name).waitFor();
  assert.ok(!(await page.content()).includes(token));
  await page.getByRole("button", { name: `Revoke: ${name}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("The token is revoked.").waitFor();
  assert.equal((await post("/v1/signin/pat", { personalAccessToken: token })).status, 401);
  await end(page);
};

checks["tabs sign in and out together, a reload keeps the session, and nothing secret is stored"] = async () => {
  const page = await as("Viewer");
  const tab = await visit({ context: page.context() });
  await tab.locator(".tiles .figure").first().waitFor();
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage, cookie: document.cookie }));
  assert.ok(!/eyJ|refresh/i.test(stored), stored);
  const [cookie] = await page.context().cookies(`${url}/v1/token`);
  assert.deepEqual([cookie.name, cookie.httpOnly, cookie.secure, cookie.sameSite], ["__Secure-postern-refresh", true, true, "Strict"]);
  // A reload shows no form in between.
  await page.addInitScript(() => {
    window.forms = 0;
    new MutationObserver(() => (window.forms += document.querySelectorAll("input[type=password]").length)).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await page.locator(".tiles .figure").first().waitFor();
  assert.equal(await page.evaluate(() => window.forms), 0);
  // Both renew at once, and both go on.
  await Promise.all([page.reload(), tab.reload()]);
  await Promise.all([page, tab].map((one) => one.locator(".tiles .figure").first().waitFor()));
  await button(page, "Sign out").click();
  await heading(page, "Sign in");
  await heading(tab, "Sign in");
  await tab.reload();
  await heading(tab, "Sign in");
  await enterCredentials(tab, people.Viewer);
  await page.locator(".tiles .figure").first().waitFor();
  await tab.close();
  await end(page);
};

checks["a new name is everywhere at once, and signing out without a connection says that it did not"] = async () => {
  const page = await as("Viewer", { noisy: true });
  const name = await nameOf("Viewer");
  await page.goto(`${origin}/dashboard#/account`);
  for (const next of [`${name} 2`, name]) {
    await page.getByLabel("Name", { exact: true }).fill(next);
    await button(page, "Save").click();
    await page.locator(".who").getByText(next, { exact: true }).waitFor();
  }
  await page.context().setOffline(true);
  await button(page, "Sign out").click();
  await page.getByText("No connection.").waitFor();
  await page.context().setOffline(false);
  await button(page, "Sign out").click();
  await heading(page, "Sign in");
  assert.deepEqual((await page.context().cookies(`${url}/v1/token`)).filter(({ value }) => value), []);
  await page.context().close();
};

checks["signing out everywhere ends the sessions of other browsers"] = async () => {
  const [page, other] = [await as("Viewer"), await as("Viewer")];
  await page.goto(`${origin}/dashboard#/account`);
  await page.getByText("this one").waitFor();
  await button(page, "Sign out everywhere").click();
  await heading(page, "Sign in");
  await other.reload();
  await heading(other, "Sign in");
  await end(page);
  await other.context().close();
};

checks["a link and a code by mail sign in, and a forgotten password is replaced"] = async () => {
  const page = await visit();
  const email = people.Viewer;
  const form = page.getByLabel("E-mail address");
  await button(page, "Mail me a link").click();
  await page.getByText("This is not an e-mail address.").waitFor();
  let since = new Date().toISOString();
  await form.fill(email);
  await button(page, "Mail me a link").click();
  await page.getByText(`If ${email} has an account`).waitFor();
  await page.goto(linkIn(await mailTo(email, since)));
  await page.getByRole("button").click();
  await page.locator(".tiles .figure").first().waitFor();
  assert.ok(!page.url().includes("refreshToken"), page.url());
  await button(page, "Sign out").click();

  since = new Date().toISOString();
  await form.fill(email);
  await button(page, "Mail me a code").click();
  const { body } = await mailTo(email, since);
  await page.getByLabel("Code").fill("000000");
  await button(page, "Sign in").click();
  await page.getByText("The code is wrong or has expired.").waitFor();
  await page.getByLabel("Code").fill(/\b\d{6}\b/.exec(body)[0]);
  await button(page, "Sign in").click();
  await page.locator(".tiles .figure").first().waitFor();
  await button(page, "Sign out").click();

  since = new Date().toISOString();
  await form.fill(email);
  await button(page, "Forgotten your password?").click();
  await page.goto(linkIn(await mailTo(email, since)));
  await page.getByRole("button").click();
  await page.getByLabel("New password").fill(`${password}-new`);
  await button(page, "Save").click();
  await page.getByText("Your password is changed.").waitFor();
  await enterCredentials(page, email, password);
  await page.getByText("Address or password is wrong.").waitFor();
  await enterCredentials(page, email, `${password}-new`);
  await page.locator(".tiles .figure").first().waitFor();
  // The tests after this one know the former password.
  await page.goto(`${origin}/dashboard#/account`);
  await page.getByLabel("New password").fill(password);
  await button(page, "Change the password").click();
  await page.getByText("The password is changed.").waitFor();
  // All sessions have ended with it, and this one goes on.
  await page.reload();
  await heading(page, "Account");
  await end(page);
};

checks["a link that was not asked for here, or comes over a session, signs in after a click only"] = async () => {
  const linkOf = async (who) => `/dashboard?refreshToken=${(await post("/v1/signin/email-password", { email: people[who], password })).body.session.refreshToken}`;
  const who = (page, name) => page.locator(".who").getByText(name, { exact: true }).waitFor();
  const [editor, viewer] = [await nameOf("Editor"), await nameOf("Viewer")];
  const fresh = await visit({ path: await linkOf("Viewer") });
  await heading(fresh, "Sign in with this link?");
  assert.ok(!fresh.url().includes("refreshToken"), fresh.url());
  await judge(fresh, "link");
  assert.deepEqual(await fresh.context().cookies(`${url}/v1/token`), []);
  await button(fresh, "Sign in with the link").click();
  await who(fresh, viewer);
  await end(fresh);

  const page = await as("Editor");
  const tab = await visit({ context: page.context() });
  await who(tab, editor);
  // The session counts, even if a link was asked for.
  await page.evaluate(() => localStorage.setItem("dashboard.link-asked", String(Date.now())));
  const link = await linkOf("Viewer");
  await page.goto(origin + link);
  await page.getByText(`You are signed in as ${people.Editor}.`).waitFor();
  await judge(page, "link over a session");
  await button(page, "Stay signed in").click();
  await who(page, editor);
  await page.reload();
  await Promise.all([page, tab].map((one) => who(one, editor)));
  await page.goto(`${origin}/dashboard?error=invalid-ticket`);
  await page.getByText("This link has expired or was used.").waitFor();
  await button(page, "Stay signed in").click();
  await who(page, editor);
  await page.goto(`${origin}/dashboard?ticket=passwordReset:unknown`);
  await button(page, "Choose a new password").click();
  await page.getByLabel("New password").fill(`${password}-new`);
  await button(page, "Save").click();
  await page.locator(".note.bad").waitFor();
  await button(page, "Stay signed in").click();
  await who(page, editor);
  await page.goto(origin + link);
  await button(page, "Sign in with the link").click();
  await Promise.all([page, tab].map((one) => who(one, viewer)));
  await tab.close();
  await end(page);
};

checks["an address of no screen is said to be none, and a fault ends with its address"] = async () => {
  const page = await as("Editor");
  for (const address of ["%E0%A4%A", ...["constructor", "__proto__", "toString", "%E0%A4%A"].map((screen) => `${controller}/${screen}`)]) {
    await at(page, "overview");
    await page.locator(".tiles .figure").first().waitFor();
    await page.goto(`${origin}/dashboard#/${address}`);
    await heading(page, "There is no such page");
  }
  await at(page, "texts?tab=constructor");
  await page.locator("main .card h2").first().waitFor();
  await end(page);

  const faulty = await as("Editor", { noisy: true });
  const breakAnswers = () => faulty.route(`${url}/v1/graphql`, (route) => (route.request().method() === "OPTIONS" ? route.continue() : route.fulfill({
    status: 200, contentType: "application/json", body: JSON.stringify({ data: { dataSubjects: [null] } }),
    headers: { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true" },
  })));
  for (const leave of [() => at(faulty, "team"), () => button(faulty, "To the start page").click()]) {
    await breakAnswers();
    await at(faulty, "people");
    await heading(faulty, "The page has a fault.");
    await faulty.unroute(`${url}/v1/graphql`);
    await leave();
    await faulty.locator(".tiles .figure, main tbody tr").first().waitFor();
  }
  assert.ok(faulty.url().endsWith("/overview"), faulty.url());
  await faulty.context().close();
};

checks["a sign-out that is refused did not happen, and one without a session did"] = async () => {
  const page = await as("Viewer", { noisy: true });
  for (const [status, error] of [[403, "forbidden"], [400, "other"], [429, "too-many-requests"]]) {
    await page.route(`${url}/v1/signout`, (route) => (route.request().method() === "OPTIONS" ? route.continue() : route.fulfill({
      status, contentType: "application/json", body: JSON.stringify({ status, error, message: "" }),
      headers: { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true" },
    })));
    await button(page, "Sign out").click();
    await page.getByText("You are still signed in.").waitFor();
    await page.unroute(`${url}/v1/signout`);
    await page.reload();
    await page.locator(".tiles .figure").first().waitFor();
  }
  await page.context().clearCookies();
  await button(page, "Sign out").click();
  await heading(page, "Sign in");
  await page.context().close();
};

checks["an authenticator app becomes the second factor, and a recovery code opens without it"] = async () => {
  const email = people.Editor;
  const page = await as("Editor");
  await page.goto(`${origin}/dashboard#/account`);
  await button(page, "Set up an authenticator app").click();
  let dialog = page.getByRole("dialog");
  await dialog.getByAltText("QR code with the secret").waitFor();
  const secret = await dialog.getByLabel("Secret").inputValue();
  await dialog.getByLabel("The code that the app shows").fill("123");
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await dialog.getByText("The code is wrong or has expired.").waitFor();
  await dialog.getByLabel("The code that the app shows").fill(totp(secret));
  await dialog.getByRole("button", { name: "Turn on" }).click();
  // The gateway asks for a factor again before it shows recovery codes; a code works once, and so does the next one.
  dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  const asked = await Promise.race([dialog.waitFor().then(() => true), page.locator(".codes li").first().waitFor().then(() => false)]);
  if (asked) {
    await dialog.getByLabel(/Code of your app/).fill(totp(secret, Date.now() + 30000));
    await dialog.getByRole("button", { name: "Confirm" }).click();
  }
  const codes = await until(() => page.locator(".codes li").allInnerTexts(), (all) => all.length === 10);
  await page.getByRole("dialog", { name: "Recovery codes" }).getByRole("button", { name: "Close" }).last().click();
  await page.getByText("On", { exact: true }).waitFor();
  await button(page, "Sign out").click();
  await enterCredentials(page, email);
  await heading(page, "Second factor");
  await page.getByLabel("Code").fill("12345678");
  await button(page, "Sign in").click();
  await page.getByText("The code is wrong or has expired.").waitFor();
  await page.getByLabel("Code").fill(codes[0]);
  await button(page, "Sign in").click();
  await page.locator(".tiles .figure").first().waitFor();
  await page.goto(`${origin}/dashboard#/account`);
  await button(page, "Turn off").click();
  await page.getByRole("dialog", { name: "Turn off" }).getByRole("button", { name: "Turn off" }).click();
  dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByLabel(/Code of your app/).fill(codes[1]);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await button(page, "Set up an authenticator app").waitFor();
  await end(page);
};

checks["a passkey is added, and signs in without a password"] = async () => {
  const page = await as("Editor");
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } });
  await page.goto(`${origin}/dashboard#/account`);
  await button(page, "Add a passkey").click();
  await page.getByRole("dialog").getByLabel("Name of the key").fill("laptop");
  await page.getByRole("dialog").getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("The passkey is added.").waitFor();
  await button(page, "Sign out").click();
  await button(page, "With a passkey").click();
  await page.locator(".tiles .figure").first().waitFor();
  await page.goto(`${origin}/dashboard#/account`);
  await page.getByRole("button", { name: "Remove: laptop" }).click();
  await page.getByRole("dialog", { name: "Remove" }).getByRole("button", { name: "Remove" }).click();
  // Whoever has a key shows it before one is removed.
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await Promise.race([dialog.waitFor(), page.getByText("The key is removed.").waitFor()]);
  if (await dialog.count()) await dialog.getByRole("button", { name: "Use a key" }).click();
  await page.getByText("The key is removed.").waitFor();
  await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
  await end(page);
};

checks["an Administrator invites by mail; the invited person accepts, is changed, suspended and removed"] = async () => {
  const email = `new-${Date.now()}@team.example`;
  const page = await as("Administrator");
  await at(page, "team");
  await button(page, "Invite").click();
  let dialog = page.getByRole("dialog");
  const since = new Date().toISOString();
  await dialog.getByLabel("E-mail address").fill(email);
  await dialog.getByLabel("Name").fill("Nora Neu");
  await dialog.getByLabel("Language of the mail").selectOption("de");
  await dialog.getByRole("button", { name: "Invite" }).click();
  await page.getByText("The invitation is on its way.").waitFor();
  const mail = await mailTo(email, since);
  await page.locator("tr", { hasText: "Nora Neu" }).getByText("Invited").waitFor();

  // The page of the mail's link is this one: the person signs in with the address.
  assert.ok(linkIn(mail).includes("#/invitation"), mail.body);
  const guest = await visit({ path: "/dashboard#/invitation" });
  const asked = new Date().toISOString();
  await guest.getByLabel("E-mail address").fill(email);
  await button(guest, "Mail me a code").click();
  await guest.getByLabel("Code").fill(/\b\d{6}\b/.exec((await mailTo(email, asked)).body)[0]);
  await button(guest, "Sign in").click();
  await guest.getByRole("heading", { name: /You are invited to/ }).waitFor();
  await button(guest, "Accept").click();
  await guest.locator(".tiles .figure").first().waitFor();
  await guest.getByText("You are a Viewer here").waitFor();

  await page.reload();
  const { users: [{ memberships: [{ id }] }] } = await admin("query ($email: String!) { users(where: {email: {_eq: $email}}) { memberships { id } } }", { email });
  await page.locator("tr", { hasText: email }).getByText("Active").waitFor();
  // A suspended member may have no name here.
  const row = page.locator(`tr[data-id="${id}"]`);
  await row.getByRole("combobox").selectOption("Editor");
  await page.getByText("The team is changed.").waitFor();
  await row.getByRole("button", { name: /^Suspend/ }).click();
  dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Suspend" }).click();
  await row.locator(".badge", { hasText: "Suspended" }).waitFor();
  await guest.reload();
  await guest.getByText("You are in no team yet").first().waitFor();
  await row.getByRole("button", { name: /^Remove/ }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await until(() => row.count(), (count) => count === 0);
  await end(page);
  await end(guest);
};

checks["the key of a service is shown once, signs reports that the team sees, and is revoked"] = async () => {
  const key = `test ${Date.now()}`;
  const page = await as("Administrator");
  await at(page, "integrations");
  const query = `{ integrationServices(where: {dataControllerId: {_eq: "${controller}"}, service: {_eq: "crm"}}) { labels } }`;
  const { body: { data } } = await post("/v1/graphql", { query }, await headersOf("Administrator"));
  const name = data.integrationServices[0].labels.en;
  await page.getByRole("button", { name: `Keys of ${name}` }).click();
  const dialog = page.getByRole("dialog", { name: `Keys of ${name}` });
  await dialog.getByLabel("New key").fill(key);
  await dialog.getByRole("button", { name: "Create" }).click();
  const secret = await dialog.getByLabel("Key", { exact: true }).inputValue();
  assert.ok(secret.length >= 16);
  const address = await dialog.getByLabel("Address for reports").inputValue();
  const report = (number) => fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ event: "contact.updated", number, contact: { email: "nobody@mail.example" } }) });
  assert.equal((await report(1)).status, 200);
  await dialog.getByRole("rowheader", { name: key }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: `Keys of ${name}` }).click();
  await dialog.getByRole("rowheader", { name: key }).waitFor();
  assert.ok(!(await page.content()).includes(secret));
  await dialog.getByRole("button", { name: `Revoke: ${key}` }).click();
  await page.getByRole("dialog", { name: "Revoke", exact: true }).getByRole("button", { name: "Revoke" }).click();
  await dialog.locator("tr", { hasText: key }).getByText(/^Revoked/).waitFor();
  assert.equal((await report(2)).status, 401);
  await page.reload();
  await page.locator("tr", { hasText: name }).getByText(/Processed|Failed|Waiting/).first().waitFor();
  await end(page);
};

checks["a consent is entered with its way, and its evidence stands there"] = async () => {
  const person = await somebody();
  const page = await as("Editor");
  await at(page, "people", `${person.id}?tab=consents`);
  await button(page, "Enter an answer").click();
  const dialog = page.getByRole("dialog");
  const choice = dialog.getByLabel("Newsletter");
  const wanted = (await choice.inputValue()) === "true" ? "false" : "true";
  await choice.selectOption(wanted);
  await dialog.getByLabel("How the person said it").selectOption("telephone");
  await dialog.getByRole("button", { name: "Save" }).click();
  const consent = page.locator(".consents > li", { has: page.locator(".row .strong", { hasText: /^Newsletter$/ }) });
  await consent.getByText(`${await nameOf("Editor")} · telephone`).waitFor();
  await consent.getByText("Evidence").click();
  await consent.getByText(/Version \d+ of the purpose/).waitFor();
  await consent.locator("code").getByText(/^[0-9a-f]{64}$/).waitFor();
  await end(page);
};

checks["a notice is drafted, compared and published, and stays then"] = async () => {
  const page = await as("Editor");
  await at(page, "texts");
  await button(page, "New version").click();
  let dialog = page.getByRole("dialog");
  await dialog.getByLabel("At a glance").fill("A sentence that is new.");
  await dialog.getByRole("button", { name: "Save" }).click();
  const card = page.locator("section.card").first();
  await card.getByText("A sentence that is new.").waitFor();
  await card.getByRole("button", { name: "Compare with the version before" }).click();
  await card.locator("ins", { hasText: "A sentence that is new." }).waitFor();
  await card.getByRole("button", { name: "Publish" }).click();
  dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await card.getByText(/Published on/).waitFor();
  assert.equal(await card.getByRole("button", { name: "Edit" }).count(), 0);
  await end(page);
};

checks["no connection, a fault, a bound and an ended session are said plainly"] = async () => {
  const page = await as("Editor", { noisy: true });
  await page.context().setOffline(true);
  await at(page, "people");
  await page.getByText("No connection.").waitFor();
  await page.context().setOffline(false);
  await button(page, "Try again").click();
  await page.locator("tbody tr").first().waitFor();
  const path = `${url}/v1/graphql`;
  // Every request gets this answer until the next one.
  const answer = async (status, body, headers = {}) => {
    await page.unroute(path);
    await page.route(path, (route) => (route.request().method() === "OPTIONS" ? route.continue() : route.fulfill({
      status, contentType: "application/json", body: JSON.stringify(body),
      headers: { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", "Access-Control-Expose-Headers": "Retry-After", ...headers },
    })));
  };
  await answer(500, { errors: [{ message: "internal error", extensions: { code: "internal" } }] });
  await at(page, "team");
  await page.getByText("The service has a fault.").first().waitFor();
  await answer(429, { status: 429, error: "too-many-requests", message: "" }, { "Retry-After": "20" });
  await at(page, "consents");
  await page.getByText(/Too many attempts/).first().waitFor();
  await answer(200, { errors: [{ message: "no", extensions: { code: "permission-error" } }] });
  await at(page, "texts?tab=faq");
  await page.getByText("You may not do this").first().waitFor();
  await page.unroute(path);
  // Another controller's request is not found, and says so.
  await at(page, "requests", "00000000-0000-4000-8000-000000000000");
  await page.getByText("This does not exist").waitFor();
  await at(page, "nowhere");
  await page.getByText("There is no such page").first().waitFor();
  await page.context().clearCookies();
  await page.reload();
  await heading(page, "Sign in");
  await page.context().close();

  const closed = await visit({ noisy: true });
  await closed.evaluate(() => localStorage.setItem("dashboard.signed-in", "1"));
  await closed.route(`${url}/v1/token`, (route) => route.abort());
  await closed.reload();
  await closed.getByText("The service cannot be reached").waitFor();
  await closed.unroute(`${url}/v1/token`);
  await button(closed, "Try again").click();
  await heading(closed, "Sign in");
  await closed.context().close();
};

checks["the live list says when the connection is lost, and goes on"] = async () => {
  const page = await as("Editor", { noisy: true });
  let sockets = [];
  await page.routeWebSocket(/graphql/, (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });
  await page.reload();
  await at(page, "requests?sort=received");
  await page.getByText("Live", { exact: true }).waitFor();
  await page.locator("tbody tr").first().waitFor();
  for (const socket of sockets) await socket.close({ code: 1001 });
  await page.getByText("Connection lost").waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  const id = await insertRequest(await somebody());
  await page.locator(`a[href$="${id}"]`).waitFor();
  await page.context().close();
};

checks["the last active Administrator stays, and the page says why"] = async () => {
  const query = "query ($c: uuid!) { dataControllerUsers(where: {dataControllerId: {_eq: $c}, role: {_eq: \"Administrator\"}, status: {_eq: \"active\"}}) { id user { email displayName } } }";
  const { dataControllerUsers } = await admin(query, { c: controller });
  const others = dataControllerUsers.filter(({ user }) => user.email !== people.Administrator);
  const page = await as("Administrator");
  await at(page, "team");
  for (const { user } of others) {
    await page.getByRole("combobox", { name: `Level of ${user.displayName}` }).selectOption("Editor");
    await until(() => page.getByRole("combobox", { name: `Level of ${user.displayName}` }).inputValue(), (value) => value === "Editor");
  }
  const own = dataControllerUsers.find(({ user }) => user.email === people.Administrator).user.displayName;
  await page.getByRole("combobox", { name: `Level of ${own}` }).selectOption("Viewer");
  await page.getByText("The last active Administrator stays.").waitFor();
  assert.equal(await page.getByRole("combobox", { name: `Level of ${own}` }).inputValue(), "Administrator");
  for (const { user } of others) {
    await page.getByRole("combobox", { name: `Level of ${user.displayName}` }).selectOption("Administrator");
    await until(() => page.getByRole("combobox", { name: `Level of ${user.displayName}` }).inputValue(), (value) => value === "Administrator");
  }
  await end(page);
};

checks["the file of a request prints without controls"] = async () => {
  const id = await insertRequest(await somebody(), "access", "Please print this.");
  const page = await as("Viewer");
  await at(page, "requests", id);
  await page.getByText("Please print this.").waitFor();
  await page.locator(".messages summary").first().waitFor();
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.locator(".messages .prose").first().waitFor();
  assert.deepEqual(await page.locator("button:visible, nav:visible, input:visible").allInnerTexts(), []);
  await page.getByText(/File of a request/).waitFor();
  await page.screenshot({ path: `${folder}/print.png`, fullPage: true });
  await end(page);
};

checks["all requests went to the public API, none with the admin secret, and nothing else"] = async () => {
  assert.deepEqual([...new Set(violations)], []);
  assert.ok(seen.has("/v1/graphql") && seen.has("/v1/token"), [...seen].join(" "));
};

const only = process.env.CHECK;
let failed = false;
for (const [name, check] of Object.entries(checks)) {
  if (only && !name.includes(only)) continue;
  const began = Date.now();
  let failure = null;
  const open = new Set(browser.contexts());
  try {
    await Promise.race([check(), new Promise((_, late) => setTimeout(late, 240000, new Error("took longer than four minutes")).unref())]);
  } catch (error) {
    failure = String(error.stack ?? error).slice(0, 3000);
    for (const context of browser.contexts()) {
      const [page] = context.pages();
      if (!open.has(context) && page) await page.screenshot({ path: `${folder}/failed.png` }).catch(() => {});
    }
  }
  for (const context of browser.contexts()) if (!open.has(context)) await context.close();
  failed ||= failure !== null;
  console.log(JSON.stringify({ name, failure, ms: Date.now() - began }));
}
await browser.close();
server.close();
process.exit(failed ? 1 : 0);
