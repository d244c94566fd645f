// Signing in with another provider in Chromium: node providers.mjs GATEWAY PORT CLIENTS. Serves the application at the port of
// `localhost`, where the gateway is, too; the provider is another site. `google` and `workos` are the real provider of `tests/oidc`, and
// `workos` answers by a form. CLIENTS is the folder with a library of one-time codes. Writes what
// went well to standard output.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { launch } from "./browser.mjs";

const [gateway, port, clients] = process.argv.slice(2);
const { generateSync } = createRequire(join(clients, "package.json"))("otplib");
const passed = [];

async function step(name, run) {
  await run();
  passed.push(name);
}

const html = `<!doctype html><meta charset="utf-8"><title>Shop</title>
<a href="${gateway}/v1/signin/provider/google?state=by%20a%20link">Google</a>
<a href="${gateway}/v1/signin/provider/workos?state=by%20a%20form">WorkOS</a>`;
const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(html));
server.listen(Number(port), "localhost");
const application = `http://localhost:${port}`;
const browser = await launch();
const problems = [];

/** A page of somebody who has signed in nowhere. */
async function open() {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(application);
  return { context, page };
}

const claims = (sub, others = {}) => JSON.stringify({ sub, email: `${sub}@example.org`, email_verified: true, ...others });

/** Types into the page of the provider. */
async function login(page, text) {
  await page.getByLabel("Login").fill(text);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The parameters with which the application finds itself. */
async function back(page) {
  await page.waitForURL(`${application}/**`);
  return new URL(page.url()).searchParams;
}

/** What a path of the gateway responds to the application's page. */
const call = (page, path, body, { token, credentials = "omit" } = {}) => page.evaluate(async ([url, body, token, credentials]) => {
  const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(url, { method: body ? "POST" : "GET", headers, credentials, ...(body ? { body: JSON.stringify(body) } : {}) });
  return { status: response.status, body: await response.json() };
}, [`${gateway}/v1${path}`, body ?? null, token ?? null, credentials]);

/** The session that the application's address hands over. */
async function session(page) {
  const parameters = await back(page);
  assert.equal(parameters.get("type"), "signinProvider", page.url());
  const { status, body } = await call(page, "/token", { refreshToken: parameters.get("refreshToken") });
  assert.equal(status, 200);
  return body;
}

const ada = await open();

await step("sign in", async () => {
  await ada.page.getByRole("link", { name: "Google" }).click();
  await login(ada.page, claims("ada"));
  assert.equal((await back(ada.page)).get("state"), "by a link");
  assert.equal((await session(ada.page)).user.email, "ada@example.org");
});

await step("cookie of this host alone", async () => {
  const cookies = await ada.context.cookies(gateway);
  const own = cookies.find(({ name }) => name === "__Host-postern-google");
  assert.ok(own, JSON.stringify(cookies));
  assert.deepEqual([own.secure, own.httpOnly, own.sameSite, own.path, own.domain], [true, true, "Lax", "/", "localhost"]);
});

await step("sign in again", async () => {
  // The provider knows the browser, and asks nothing.
  await ada.page.goto(application);
  await ada.page.getByRole("link", { name: "Google" }).click();
  assert.equal((await session(ada.page)).user.email, "ada@example.org");
});

await step("sign in by a form of another site", async () => {
  const { page, context } = await open();
  await page.getByRole("link", { name: "WorkOS" }).click();
  await login(page, claims("bob"));
  assert.equal((await back(page)).get("state"), "by a form");
  assert.equal((await session(page)).user.email, "bob@example.org");
  const own = (await context.cookies(gateway)).find(({ name }) => name === "__Host-postern-workos");
  assert.deepEqual([own.secure, own.httpOnly, own.sameSite], [true, true, "None"]);
});

await step("say no", async () => {
  const { page } = await open();
  await page.getByRole("link", { name: "Google" }).click();
  await login(page, "denied");
  const parameters = await back(page);
  assert.deepEqual([parameters.get("error"), parameters.get("provider_error")], ["oauth-provider-error", "access_denied"]);
});

await step("callback of somebody else", async () => {
  const eve = await open();
  let posted;
  await eve.page.route("**/callback", (route) => {
    posted = new URLSearchParams(route.request().postData());
    return route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Kept</title>" });
  });
  await eve.page.getByRole("link", { name: "WorkOS" }).click();
  await login(eve.page, claims("eve"));
  await eve.page.waitForURL("**/callback");
  // Her page sends it from the browser of somebody who has begun nothing.
  const { page } = await open();
  await page.evaluate(([action, fields]) => {
    const form = Object.assign(document.createElement("form"), { method: "post", action });
    for (const [name, value] of fields) form.append(Object.assign(document.createElement("input"), { name, value }));
    document.body.append(form);
    form.submit();
  }, [eve.page.url(), [...posted]]);
  await page.waitForURL(`${application}/?*`);
  assert.equal((await back(page)).get("error"), "invalid-state");
});

await step("link", async () => {
  const { context, page } = await open();
  await page.getByRole("link", { name: "Google" }).click();
  await login(page, claims("carol"));
  const { accessToken: token } = await session(page);
  // Without credentials the browser keeps no cookie, and the callback knows nobody.
  for (const [credentials, error] of [["omit", "invalid-state"], ["include", null]]) {
    const { body } = await call(page, "/link/provider/workos", { redirectTo: application }, { token, credentials });
    // As somebody else at the same provider.
    await context.clearCookies({ domain: "127.0.0.1" });
    await page.goto(body.url);
    await login(page, claims("carol-at-work", { email_verified: false }));
    const parameters = await back(page);
    assert.deepEqual([parameters.get("error"), parameters.get("type")], [error, error ? null : "linkProvider"]);
  }
  const { body } = await call(page, "/user/providers", null, { token });
  assert.deepEqual(body.map(({ provider }) => provider).sort(), ["google", "workos"]);
});

await step("second factor", async () => {
  const { page } = await open();
  await page.getByRole("link", { name: "Google" }).click();
  await login(page, claims("dora"));
  const { accessToken: token } = await session(page);
  const { body } = await call(page, "/mfa/totp/generate", null, { token });
  const code = (offset) => generateSync({ secret: body.totpSecret, epoch: Math.floor(Date.now() / 1000) + offset * 30 });
  const turned = await call(page, "/user/mfa", { activeMfaType: "totp", code: code(-1) }, { token });
  assert.equal(turned.body, "OK", JSON.stringify(turned));
  await page.goto(application);
  await page.getByRole("link", { name: "Google" }).click();
  // The page of the gateway, at the address of the callback.
  await page.locator("input[name=otp]").fill("000000");
  await page.locator("button").click();
  await page.getByRole("alert").waitFor();
  await page.locator("input[name=otp]").fill(code(0));
  await page.locator("button").click();
  assert.equal((await back(page)).get("state"), "by a link");
  assert.equal((await session(page)).user.activeMfaType, "totp");
});

assert.deepEqual(problems, []);
await browser.close();
server.close();
console.log(JSON.stringify({ passed }));
