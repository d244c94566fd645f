// Nhost's former client, a state machine, signs people up and in: node former.mjs URL MAILS. Writes what went well to standard
// output.

import assert from "node:assert/strict";
import { HasuraAuthClient } from "@nhost/hasura-auth-js";
import { Mailbox } from "./mailbox.mjs";

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
