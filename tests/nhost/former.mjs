// Nhost's former client, a state machine, signs people up and in: node former.mjs URL MAILS. Writes what went well to standard
// output.

import assert from "node:assert/strict";
import { HasuraAuthClient, activateMfaPromise, createEnableMfaMachine, disableMfaPromise, generateQrCodePromise } from "@nhost/hasura-auth-js";
import { interpret } from "xstate";
import { Browser } from "./browser.mjs";
import { Mailbox } from "./mailbox.mjs";
import { AuthenticatorApp } from "./totp.mjs";

const [url, file] = process.argv.slice(2);
const mailbox = new Mailbox(file, url);
const passed = [];
const email = "ada@example.org";
const password = "correct horse battery";
const options = { redirectTo: "https://app.example.com/in/verify" };

function client() {
  const items = new Map();
  const clientStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
  return new HasuraAuthClient({ url: `${url}/v1`, autoRefreshToken: false, autoSignIn: false, clientStorageType: "custom", clientStorage });
}

async function step(name, run) {
  await run();
  passed.push(name);
}

const hasCode = ({ error }, status, code) => assert.deepEqual([error?.status, error?.error, typeof error?.message], [status, code, "string"]);
const succeeds = ({ error }) => assert.equal(error, null);

const auth = client();

await step("signUp", async () => {
  const result = await auth.signUp({ email, password, options: { ...options, displayName: "Ada", locale: "en" } });
  assert.deepEqual(result, { session: null, error: null });
  assert.equal(auth.isAuthenticated(), false);
});

await step("unverified", async () => {
  // The machine reads the code, and waits for the verification.
  const result = await auth.signIn({ email, password });
  hasCode(result, 20, "unverified-user");
  assert.equal(result.session, null);
});

await step("sendVerificationEmail", async () => {
  await mailbox.next(email);
  succeeds(await auth.sendVerificationEmail({ email, options }));
  const parameters = await mailbox.click(email);
  assert.equal(parameters.get("type"), "emailVerify");
  const { session, error } = await client().refreshSession(parameters.get("refreshToken"));
  assert.equal(error, null);
  assert.equal(session.user.emailVerified, true);
});

await step("signIn", async () => {
  const { session, error } = await auth.signIn({ email, password });
  assert.equal(error, null);
  assert.equal(session.user.displayName, "Ada");
  assert.equal(auth.isAuthenticated(), true);
  assert.equal(auth.getDecodedAccessToken().sub, session.user.id);
});

await step("changePassword", async () => {
  succeeds(await auth.changePassword({ newPassword: "another password" }));
  await mailbox.next(email);
  await auth.signOut();
  hasCode(await auth.signIn({ email, password }), 401, "invalid-email-password");
  succeeds(await auth.signIn({ email, password: "another password" }));
});

await step("changeEmail", async () => {
  succeeds(await auth.changeEmail({ newEmail: "new@example.org", options }));
  const parameters = await mailbox.click("new@example.org");
  assert.equal(parameters.get("type"), "emailConfirmChange");
  await auth.signOut();
  const { session } = await auth.signIn({ email: "new@example.org", password: "another password" });
  assert.equal(session.user.email, "new@example.org");
});

await step("signInPasswordless", async () => {
  const other = client();
  succeeds(await other.signIn({ email: "link@example.org", options }));
  const parameters = await mailbox.click("link@example.org");
  const { session } = await other.refreshSession(parameters.get("refreshToken"));
  assert.equal(session.user.email, "link@example.org");
});

const coded = client();

await step("signInEmailOTP", async () => {
  succeeds(await coded.signInEmailOTP("code@example.org", options));
});

await step("verifyEmailOTP", async () => {
  const code = await mailbox.code("code@example.org");
  const { session } = await coded.verifyEmailOTP("code@example.org", "no code");
  assert.equal(session, null);
  // The method itself looks for the error in another place of the machine, and returns none.
  assert.equal(coded.client.interpreter.getSnapshot().context.errors.registration.error, "invalid-otp");
  const signedIn = await coded.verifyEmailOTP("code@example.org", code);
  assert.equal(signedIn.error, null);
  assert.equal(signedIn.session.user.email, "code@example.org");
});

await step("resetPassword", async () => {
  const other = client();
  succeeds(await other.resetPassword({ email: "new@example.org", options }));
  const parameters = await mailbox.click("new@example.org");
  assert.equal(parameters.get("type"), "passwordReset");
  const ticket = parameters.get("ticket");
  succeeds(await other.changePassword({ newPassword: password, ticket }));
  hasCode(await other.changePassword({ newPassword: password, ticket }), 401, "invalid-ticket");
  succeeds(await other.signIn({ email: "new@example.org", password }));
});

const secured = client();
const machine = () => interpret(createEnableMfaMachine(secured.client)).start();
const enable = machine();
let app;

await step("generateQrCode", async () => {
  succeeds(await secured.signIn({ email: "new@example.org", password }));
  const { error, qrCodeDataUrl, totpSecret } = await generateQrCodePromise(enable);
  assert.equal(error, null);
  assert.ok(qrCodeDataUrl.startsWith("data:image/svg+xml;base64,"));
  app = new AuthenticatorApp(totpSecret);
});

await step("activateMfa", async () => {
  hasCode(await activateMfaPromise(enable, "nonsense"), 401, "invalid-totp");
  const result = await activateMfaPromise(enable, await app.code(-1));
  assert.deepEqual([result.error, result.isActivated], [null, true]);
  await mailbox.next("new@example.org");
});

await step("signIn with a second factor", async () => {
  const other = client();
  const { session, mfa, error } = await other.signIn({ email: "new@example.org", password });
  assert.deepEqual([session, error], [null, null]);
  // The machine takes tickets of this form alone.
  assert.match(mfa.ticket, /^mfaTotp:[0-9a-f-]{36}$/);
  assert.equal(other.isAuthenticated(), false);
  hasCode(await other.signIn({ otp: "nonsense", ticket: mfa.ticket }), 401, "invalid-totp");
  const signedIn = await other.signIn({ otp: await app.code(0), ticket: mfa.ticket });
  assert.equal(signedIn.error, null);
  assert.equal(signedIn.session.user.activeMfaType, "totp");
  assert.equal(other.isAuthenticated(), true);
});

await step("disableMfa", async () => {
  hasCode(await disableMfaPromise(machine(), ""), 403, "elevation-required");
  hasCode(await secured.changePassword({ newPassword: "another password" }), 403, "elevation-required");
  hasCode(await secured.changeEmail({ newEmail: "e@example.org" }), 403, "elevation-required");
  // The client has no method for this path.
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${secured.getAccessToken()}` };
  const request = { method: "POST", headers, body: JSON.stringify({ otp: await app.code(1) }) };
  const { session } = await (await fetch(`${url}/v1/elevate/totp`, request)).json();
  secured.client.interpreter.send("SESSION_UPDATE", { data: { session } });
  assert.equal(secured.getAccessToken(), session.accessToken);
  const result = await disableMfaPromise(machine(), "");
  assert.deepEqual([result.error, result.isDisabled], [null, true]);
  await mailbox.next("new@example.org");
  const signedIn = await client().signIn({ email: "new@example.org", password });
  assert.equal(signedIn.session.user.activeMfaType ?? null, null);
});

const eve = { sub: "eve at the provider", email: "eve@example.org", email_verified: true };

await step("signIn with a provider", async () => {
  const other = client();
  const { providerUrl, error } = await other.signIn({ provider: "google", options: { ...options, displayName: "Eve", metadata: { team: 7 } } });
  assert.equal(error, null);
  const back = await new Browser(url).signIn(providerUrl, eve);
  const { session } = await other.refreshSession(back.get("refreshToken"));
  assert.deepEqual([session.user.email, session.user.displayName], ["eve@example.org", "Eve"]);
});

await step("connectProvider", async () => {
  // It puts the access token into the address, where it does not belong.
  const { providerUrl } = await secured.connectProvider({ provider: "google", options });
  assert.ok(providerUrl.includes("connect="));
  const response = await new Browser(url).open(providerUrl);
  assert.deepEqual([response.status, (await response.json()).error], [400, "invalid-request"]);
});

const guest = client();

await step("signIn without a name", async () => {
  const { session, error } = await guest.signIn();
  assert.equal(error, null);
  assert.equal(session.user.isAnonymous, true);
  assert.equal(guest.isAuthenticated(), true);
});

await step("signUp of an anonymous user", async () => {
  const { id } = guest.getUser();
  // The machine sends it to the path that keeps the id.
  succeeds(await guest.signUp({ email: "guest@example.org", password, options }));
  const parameters = await mailbox.click("guest@example.org");
  assert.equal(parameters.get("type"), "emailConfirmChange");
  const { session } = await client().signIn({ email: "guest@example.org", password });
  assert.deepEqual([session.user.id, session.user.isAnonymous], [id, false]);
});

await step("deanonymize", async () => {
  const other = client();
  const { session } = await other.signIn();
  succeeds(await other.deanonymize({ signInMethod: "passwordless", connection: "email", email: "guest2@example.org", options }));
  const parameters = await mailbox.click("guest2@example.org");
  const named = await client().refreshSession(parameters.get("refreshToken"));
  assert.deepEqual([named.session.user.id, named.session.user.email], [session.user.id, "guest2@example.org"]);
});

await step("refused", async () => {
  const other = client();
  hasCode(await other.signUp({ email: "c@example.org", password: "short" }), 400, "password-too-short");
  const signUp = (options) => client().signUp({ email: "c@example.org", password, options });
  hasCode(await signUp({ redirectTo: "https://evil.example" }), 400, "redirectTo-not-allowed");
  hasCode(await signUp({ allowedRoles: ["admin"] }), 400, "role-not-allowed");
  hasCode(await signUp({ locale: "xx" }), 400, "locale-not-allowed");
  const signedIn = await client().signInPAT("nonsense");
  hasCode({ error: { ...signedIn.error, status: 401 } }, 401, "invalid-pat");
});

console.log(JSON.stringify({ passed }));
process.exit();
