// Passkeys, security keys and second factors in Chromium, whose developer tools have virtual authenticators: node passkeys.mjs PART
// GATEWAY MAILS PORT OTHER_PORT CLIENTS. Serves pages at both ports of `localhost`; the gateway takes keys from the first one alone.
// MAILS is the file of the SMTP server, CLIENTS the folder with Nhost's clients. Writes what went well to standard output.
// https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join, normalize } from "node:path";
import jsQR from "jsqr";
import { Mailbox } from "../nhost/mailbox.mjs";
import { launch } from "./browser.mjs";

const [part, gateway, mails, port, otherPort, clients] = process.argv.slice(2);
const { generateSync } = createRequire(join(clients, "package.json"))("otplib");
const mailbox = new Mailbox(mails, gateway);
const email = "ada@example.org";
const password = "correct horse battery";
const passed = [];

async function step(name, run) {
  await run();
  passed.push(name);
}

// The pages: both clients, and the library that the new one calls the browser by. The former one reads a variable that bundlers set.
const SCRIPTS = {
  "/simplewebauthn.js": createRequire(import.meta.url).resolve("@simplewebauthn/browser").replace(/@simplewebauthn\/browser\/.*/, "@simplewebauthn/browser/dist/bundle/index.umd.min.js"),
  "/former.js": join(clients, "node_modules/@nhost/hasura-auth-js/umd/hasura-auth-js.umd.js"),
};
const html = `<!doctype html><meta charset="utf-8"><title>Shop</title>
<script>window.process = { env: { NODE_ENV: "production" } };</script>
<script src="/simplewebauthn.js"></script><script src="/former.js"></script>
<script type="module">
  import { createClient } from "/nhost/nhost-js.js";
  import { MemoryStorage } from "/nhost/nhost-js/session.js";
  window.nhost = createClient({ authUrl: "${gateway}/v1", graphqlUrl: "${gateway}/v1/graphql", storage: new MemoryStorage() });
  const { HasuraAuthClient } = window["@nhost/hasura-auth-js"];
  window.former = new HasuraAuthClient({ url: "${gateway}/v1", clientUrl: location.origin, autoRefreshToken: false, autoSignIn: false });
</script>`;

function serve(request, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  const file = SCRIPTS[pathname] ?? (pathname.startsWith("/nhost/")
    ? join(clients, "node_modules/@nhost/nhost-js/dist", normalize(pathname.slice("/nhost".length))) : null);
  response.setHeader("Content-Type", file ? "text/javascript" : "text/html");
  response.end(file ? readFileSync(file) : html);
}

const servers = [port, otherPort].map((port) => createServer(serve).listen(Number(port), "localhost"));
const application = `http://localhost:${port}`;
const browser = await launch();
const context = await browser.newContext();

/** A page of the application, with its own virtual authenticators. */
async function open(url) {
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => window.former);
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const send = (name, parameters) => devtools.send(`WebAuthn.${name}`, parameters);
  return {
    page,
    async plug(options = {}) {
      const defaults = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true };
      const { authenticatorId } = await send("addVirtualAuthenticator", { options: { ...defaults, automaticPresenceSimulation: true, ...options } });
      return {
        credentials: async () => (await send("getCredentials", { authenticatorId })).credentials,
        insert: (credential) => send("addCredential", { authenticatorId, credential }),
        verifies: (isUserVerified) => send("setUserVerified", { authenticatorId, isUserVerified }),
        unplug: () => send("removeVirtualAuthenticator", { authenticatorId }),
      };
    },
    /** What an operation of Nhost's client returns, or its error. */
    call: (name, body) => page.evaluate(async ([name, body]) => {
      try {
        const { status, body: content } = await (body === null ? window.nhost.auth[name]() : window.nhost.auth[name](body));
        return { status, body: content };
      } catch (error) {
        return { status: error.status ?? 0, body: error.body ?? String(error) };
      }
    }, [name, body ?? null]),
    /** What a path that the client has no operation for responds, asked with its session. */
    fetch: (path, body) => page.evaluate(async ([url, body]) => {
      const headers = { "Content-Type": "application/json" };
      const session = window.nhost.getUserSession();
      if (session) headers.Authorization = `Bearer ${session.accessToken}`;
      const response = await fetch(url, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
      return { status: response.status, body: await response.json() };
    }, [`${gateway}/v1${path}`, body ?? null]),
    create: (options) => page.evaluate((optionsJSON) => window.SimpleWebAuthnBrowser.startRegistration({ optionsJSON }), options),
    get: (options) => page.evaluate((optionsJSON) => window.SimpleWebAuthnBrowser.startAuthentication({ optionsJSON }), options),
    /** Takes a session into the client, as an application does with an elevated one. */
    keep: (session) => page.evaluate((session) => window.nhost.sessionStorage.set(session), session),
    signOut: () => page.evaluate(() => window.nhost.clearSession()),
  };
}

const app = await open(application);

/** The body of a success. */
async function ok(response) {
  const { status, body } = await response;
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function refuses(response, status, code) {
  const { status: found, body } = await response;
  assert.deepEqual([found, body.status, body.error], [status, status, code], JSON.stringify(body));
}

/** The error that the browser itself reports, without asking for a minute. */
const fails = (promise, name) => assert.rejects(promise, (error) => error.message.includes(name) || assert.fail(error.message));

const claims = ({ accessToken }) => JSON.parse(Buffer.from(accessToken.split(".")[1], "base64url"));
const elevation = (session) => claims(session).gateway["x-gateway-auth-elevated"];

/** Opens the link in the next mail to an address and presses the button, in a tab of its own. */
async function follow(recipient) {
  const { text } = await mailbox.next(recipient);
  const tab = await context.newPage();
  await tab.goto(text.split(/\s+/).find((word) => word.startsWith(`${gateway}/v1/verify?`)));
  await tab.locator("button").click();
  await tab.waitForURL(`${application}/**`);
  const parameters = new URL(tab.url()).searchParams;
  await tab.close();
  return parameters;
}

async function signUpByPassword() {
  await ok(app.call("signUpEmailPassword", { email, password, options: { displayName: "Ada" } }));
  const parameters = await follow(email);
  assert.equal(parameters.get("type"), "emailVerify");
  const { session } = await ok(app.call("signInEmailPassword", { email, password }));
  assert.equal(session.user.displayName, "Ada");
}

/** Adds the key that is plugged in. */
async function addKey(nickname) {
  const options = await ok(app.call("addSecurityKey"));
  const credential = await app.create(options);
  const key = await ok(app.call("verifyAddSecurityKey", { credential, nickname }));
  assert.equal(key.nickname, nickname);
  await mailbox.next(email);
  return { ...key, credential };
}

/** Elevates the session of the client by the key that is plugged in. */
async function elevateByKey() {
  const credential = await app.get(await ok(app.call("elevateWebauthn")));
  const { session } = await ok(app.call("verifyElevateWebauthn", { credential }));
  assert.equal(elevation(session), session.user.id);
  await app.keep(session);
}

/** The response to signing in by the key that is plugged in; `change` alters the options before. */
async function signIn(request = { email }, change = (options) => options) {
  const options = await ok(app.call("signInWebauthn", request));
  const credential = await app.get(change(options));
  return app.call("verifySignInWebauthn", { credential });
}

const parts = {
  async passkeys() {
    const laptop = await app.plug();
    await step("sign up", async () => {
      const options = { displayName: "Ada", locale: "de" };
      const creation = await ok(app.call("signUpWebauthn", { email, options }));
      assert.deepEqual(creation.rp, { id: "localhost", name: "Shop" });
      assert.equal(creation.user.name, email);
      const credential = await app.create(creation);
      const { session } = await ok(app.call("verifySignUpWebauthn", { credential, options, nickname: "laptop" }));
      assert.equal(session, null);
      const [{ isResidentCredential, userHandle }] = await laptop.credentials();
      assert.equal(isResidentCredential, true);
      assert.equal(Buffer.from(userHandle, "base64").toString("base64url"), creation.user.id);
    });
    await step("sign in before the proof", async () => {
      await refuses(signIn({}), 401, "unverified-user");
      // Until then nobody learns from the address which key it has.
      await fails(signIn(), "NotAllowedError");
    });
    await step("verify", async () => {
      assert.equal((await follow(email)).get("type"), "emailVerify");
    });
    await step("sign in by address", async () => {
      const { session, mfa } = await ok(signIn());
      assert.ok(!mfa);
      assert.equal(session.user.displayName, "Ada");
      assert.deepEqual(claims(session).amr, ["hwk", "user"]);
      assert.equal(elevation(session), undefined);
      await app.signOut();
    });
    await step("sign in without an address", async () => {
      for (const request of [null, {}]) {
        await app.signOut();
        const { session } = await ok(signIn(request));
        assert.equal(session.user.email, email);
      }
    });
    await step("add without elevation", async () => {
      await refuses(app.call("addSecurityKey"), 403, "elevation-required");
    });
    await step("elevate", async () => {
      await elevateByKey();
    });
    const credentials = await laptop.credentials();
    let stick;
    let added;
    await step("add", async () => {
      // The laptop has a key of this account already, and would say so.
      await laptop.unplug();
      stick = await app.plug({ transport: "usb" });
      added = await addKey("stick");
      assert.match(added.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    });
    await step("exclude", async () => {
      const options = await ok(app.call("addSecurityKey"));
      assert.equal(options.excludeCredentials.length, 2);
      await fails(app.create(options), "InvalidStateError");
    });
    let keys;
    await step("list", async () => {
      keys = await ok(app.fetch("/user/webauthn"));
      assert.deepEqual(keys.map(({ nickname }) => nickname).sort(), ["laptop", "stick"]);
      for (const key of keys) {
        assert.ok(key.createdAt);
        assert.equal(key.backedUp, false);
      }
      assert.ok(keys.find(({ nickname }) => nickname === "laptop").lastUsedAt);
    });
    await step("remove", async () => {
      const { id } = keys.find(({ nickname }) => nickname === "laptop");
      assert.equal(await ok(app.fetch("/user/webauthn/remove", { id })), "OK");
      await mailbox.next(email);
      await app.signOut();
      const { session } = await ok(signIn({}));
      assert.equal(session.user.email, email);
      await stick.unplug();
      const other = await app.plug();
      for (const credential of credentials) await other.insert(credential);
      await refuses(signIn({}), 401, "invalid-webauthn-credential");
      await other.unplug();
    });
    await step("unknown address", async () => {
      const options = await ok(app.call("signInWebauthn", { email: "unknown@example.org" }));
      assert.ok(options.allowCredentials.length > 0);
      const key = await app.plug();
      for (const credential of credentials) await key.insert(credential);
      await fails(app.get({ ...options, timeout: 1000 }), "NotAllowedError");
      await key.unplug();
    });
    await step("another origin", async () => {
      // A page of another port may use keys of `localhost`, and the gateway does not take them.
      const other = await open(`http://localhost:${otherPort}`);
      await other.plug();
      const options = await ok(other.call("signUpWebauthn", { email: "eve@example.org" }));
      const credential = await other.create(options);
      await refuses(other.call("verifySignUpWebauthn", { credential }), 401, "invalid-webauthn-credential");
    });
  },

  async u2f() {
    const enter = () => ok(app.call("signInEmailPassword", { email, password }));
    await step("sign in by password", signUpByPassword);
    const options = { protocol: "u2f", transport: "usb", hasResidentKey: false, hasUserVerification: false, isUserVerified: false };
    const stick = await app.plug(options);
    await step("add a U2F key", async () => {
      await addKey("stick");
    });
    await step("make it the second factor", async () => {
      const body = { code: "", activeMfaType: "webauthn" };
      await refuses(app.fetch("/user/mfa", body), 403, "elevation-required");
      await elevateByKey();
      assert.equal(await ok(app.fetch("/user/mfa", body)), "OK");
      await mailbox.next(email);
    });
    const { recoveryCodes } = await ok(app.fetch("/user/mfa/recovery-codes", {}));
    assert.equal(recoveryCodes.length, 10);
    await app.signOut();
    let ticket;
    await step("ask for it", async () => {
      const { session, mfa } = await enter();
      assert.equal(session, null);
      assert.deepEqual([...mfa.methods].sort(), ["recovery-code", "webauthn"]);
      ticket = mfa.ticket;
    });
    await step("refuse another key", async () => {
      const request = await ok(app.fetch("/signin/mfa/webauthn", { ticket }));
      const keys = await stick.credentials();
      await stick.unplug();
      const other = await app.plug(options);
      await fails(app.get({ ...request, timeout: 1000 }), "NotAllowedError");
      await other.unplug();
      const again = await app.plug(options);
      for (const key of keys) await again.insert({ ...key, rpId: "localhost" });
    });
    await step("sign in with it", async () => {
      const credential = await app.get(await ok(app.fetch("/signin/mfa/webauthn", { ticket })));
      const { session } = await ok(app.fetch("/signin/mfa/webauthn/verify", { ticket, credential }));
      assert.deepEqual(claims(session).amr, ["pwd", "hwk"]);
      assert.equal(session.user.activeMfaType, "webauthn");
      await refuses(app.fetch("/signin/mfa/webauthn/verify", { ticket, credential }), 401, "invalid-ticket");
    });
    await step("recovery code", async () => {
      const { mfa } = await enter();
      const { session } = await ok(app.call("verifySignInMfaTotp", { ticket: mfa.ticket, otp: recoveryCodes[0] }));
      assert.deepEqual(claims(session).amr, ["pwd", "rec"]);
    });
  },

  async verification() {
    await signUpByPassword();
    const { imageUrl, totpSecret } = await ok(app.call("changeUserMfa"));
    await step("scan", async () => {
      const { data, width, height } = await app.page.evaluate(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        const paper = canvas.getContext("2d");
        // A page in the dark has no white behind a picture.
        paper.fillStyle = "#222";
        paper.fillRect(0, 0, canvas.width, canvas.height);
        paper.drawImage(image, 0, 0);
        const { data, width, height } = paper.getImageData(0, 0, canvas.width, canvas.height);
        return { data: [...data], width, height };
      }, imageUrl);
      const url = new URL(jsQR(Uint8ClampedArray.from(data), width, height).data);
      assert.equal(url.protocol, "otpauth:");
      assert.equal(url.host, "totp");
      assert.equal(decodeURIComponent(url.pathname), `/Shop:${email}`);
      assert.equal(url.searchParams.get("secret"), totpSecret);
      assert.equal(url.searchParams.get("issuer"), "Shop");
      // Apps read these wherever they are given, and not all apps know others.
      const defaults = { algorithm: "SHA1", digits: "6", period: "30" };
      for (const [name, value] of Object.entries(defaults)) assert.equal(url.searchParams.get(name) ?? value, value);
    });
    const now = Math.floor(Date.now() / 1000);
    await step("activate", async () => {
      await refuses(app.call("verifyChangeUserMfa", { activeMfaType: "totp", code: "nonsense" }), 401, "invalid-totp");
      const code = generateSync({ secret: totpSecret, epoch: now });
      assert.equal(await ok(app.call("verifyChangeUserMfa", { activeMfaType: "totp", code })), "OK");
      await mailbox.next(email);
    });
    const laptop = await app.plug();
    await step("add a passkey", async () => {
      await refuses(app.call("addSecurityKey"), 403, "elevation-required");
      const otp = generateSync({ secret: totpSecret, epoch: now + 30 });
      const { session } = await ok(app.fetch("/elevate/totp", { otp }));
      await app.keep(session);
      await addKey("laptop");
    });
    const { recoveryCodes } = await ok(app.fetch("/user/mfa/recovery-codes", {}));
    await app.signOut();
    await step("sign in with verification", async () => {
      const { session, mfa } = await ok(signIn({}));
      assert.ok(!mfa);
      assert.deepEqual(claims(session).amr, ["hwk", "user"]);
      assert.equal(session.user.activeMfaType, "totp");
      await app.signOut();
    });
    let ticket;
    await step("sign in without verification", async () => {
      await laptop.verifies(false);
      // A page may ask for less than it was told to.
      const { session, mfa } = await ok(signIn({}, (options) => ({ ...options, userVerification: "discouraged" })));
      assert.equal(session, null);
      assert.ok(mfa.methods.includes("totp") && mfa.methods.includes("recovery-code"), JSON.stringify(mfa));
      ticket = mfa.ticket;
      assert.equal(await app.page.evaluate(() => window.nhost.getUserSession()), null);
    });
    await step("second factor", async () => {
      await refuses(app.call("verifySignInMfaTotp", { ticket, otp: "nonsense" }), 401, "invalid-totp");
      const { session } = await ok(app.call("verifySignInMfaTotp", { ticket, otp: recoveryCodes[0] }));
      assert.deepEqual(claims(session).amr, ["hwk", "rec"]);
    });
  },

  async counters() {
    await signUpByPassword();
    let device = await app.plug();
    await addKey("device");
    await step("grows", async () => {
      for (let count = 0; count < 3; count++) await ok(signIn({}));
    });
    const [credential] = await device.credentials();
    assert.ok(credential.signCount >= 3, JSON.stringify(credential));
    const swap = async (changes, options) => {
      await device.unplug();
      device = await app.plug(options);
      await device.insert({ ...credential, ...changes });
    };
    await step("falls on one device", async () => {
      await swap({ signCount: 1 });
      await refuses(signIn({}), 401, "invalid-webauthn-credential");
    });
    await step("grows again", async () => {
      await swap({ signCount: 1000 });
      await ok(signIn({}));
      await elevateByKey();
    });
    await step("falls on a copy", async () => {
      await device.unplug();
      const copies = { defaultBackupEligibility: true, defaultBackupState: true };
      device = await app.plug(copies);
      await addKey("synced");
      await ok(signIn({}));
      const [synced] = await device.credentials();
      assert.ok(synced.backupEligibility && synced.signCount > 1);
      await device.unplug();
      device = await app.plug(copies);
      await device.insert({ ...synced, signCount: 0 });
      await ok(signIn({}));
      const keys = await ok(app.fetch("/user/webauthn"));
      assert.deepEqual(keys.map(({ nickname, backedUp }) => [nickname, backedUp]).sort(), [["device", false], ["synced", true]]);
    });
  },

  async former() {
    /** What a method of the former client returns. */
    const former = (method, ...values) => app.page.evaluate(([method, values]) => window.former[method](...values), [method, values]);
    const succeeds = async (promise) => {
      const result = await promise;
      assert.equal(result.error ?? null, null, JSON.stringify(result.error));
      return result;
    };
    const session = () => app.page.evaluate(() => window.former.getSession());
    const laptop = await app.plug();
    await step("signUp", async () => {
      const result = await former("signUp", { email, securityKey: true, options: { displayName: "Ada", nickname: "laptop" } });
      assert.deepEqual(result, { session: null, error: null });
      // This client takes the text of the handle for its bytes.
      const [{ userHandle }] = await laptop.credentials();
      assert.match(Buffer.from(userHandle, "base64").toString(), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    });
    await step("verify", async () => {
      assert.equal((await follow(email)).get("type"), "emailVerify");
    });
    await step("signIn", async () => {
      const result = await succeeds(former("signIn", { email, securityKey: true }));
      assert.equal(result.session.user.email, email);
      await succeeds(former("signOut"));
    });
    await step("signInSecurityKey", async () => {
      const result = await succeeds(former("signInSecurityKey"));
      assert.equal(result.session.user.email, email);
    });
    const credentials = await laptop.credentials();
    await step("elevateEmailSecurityKey", async () => {
      const { error, isSuccess, elevated } = await former("elevateEmailSecurityKey", email);
      assert.deepEqual([error, isSuccess, elevated], [null, true, true]);
      assert.equal(elevation(await session()), (await session()).user.id);
    });
    await step("addSecurityKey", async () => {
      await laptop.unplug();
      const phone = await app.plug();
      const { key } = await succeeds(former("addSecurityKey", "phone"));
      assert.equal(key.nickname, "phone");
      await mailbox.next(email);
      await succeeds(former("signOut"));
      const result = await succeeds(former("signInSecurityKey"));
      assert.equal(result.session.user.email, email);
      await phone.unplug();
    });
    await step("key of the former client in the new one", async () => {
      const again = await app.plug();
      for (const credential of credentials) await again.insert({ ...credential, signCount: 100 });
      const options = await ok(app.call("signInWebauthn", {}));
      const credential = await app.get(options);
      assert.equal(credential.response.userHandle.length, 48);
      const signedIn = await ok(app.call("verifySignInWebauthn", { credential }));
      assert.equal(signedIn.session.user.email, email);
    });
  },
};

await parts[part]();
await browser.close();
for (const server of servers) server.close();
console.log(JSON.stringify({ passed }));
process.exit();
