// Nhost's client signs people up and in: node accounts.mjs URL MAILS. Writes what went well to standard output.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createClient } from "@nhost/nhost-js";
import { FetchError } from "@nhost/nhost-js/fetch";
import { MemoryStorage } from "@nhost/nhost-js/session";
import { Browser } from "./browser.mjs";
import { Mailbox, SERVER_URL } from "./mailbox.mjs";
import { AuthenticatorApp } from "./totp.mjs";

const [url, file] = process.argv.slice(2);
const mailbox = new Mailbox(file, url);
const called = new Set();

/** A client, of which it is noted which operations are called. */
function client() {
  const nhost = createClient({ authUrl: `${url}/v1`, graphqlUrl: `${url}/v1/graphql`, storage: new MemoryStorage() });
  for (const [name, operation] of Object.entries(nhost.auth)) {
    if (typeof operation !== "function") continue;
    nhost.auth[name] = (...parameters) => {
      called.add(name);
      return operation(...parameters);
    };
  }
  return nhost;
}

const nhost = client();
const passed = [];
const email = "ada@example.org";
const password = "correct horse battery";
const options = { redirectTo: "https://app.example.com/in/verify" };

async function step(name, run) {
  await run();
  passed.push(name);
}

// The error as an application reads it.
const refuses = (promise, status, code) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof FetchError);
    assert.deepEqual([error.status, error.body.status, error.body.error], [status, status, code]);
    assert.equal(error.message, error.body.message);
    return true;
  });

await step("signUpEmailPassword", async () => {
  const request = { email, password, options: { ...options, displayName: "Ada", locale: "de", metadata: { team: 7 }, defaultRole: "me", allowedRoles: ["me"] } };
  const { status, body } = await nhost.auth.signUpEmailPassword(request);
  assert.equal(status, 200);
  assert.equal(body.session, null);
  assert.equal(nhost.getUserSession(), null);
  await refuses(nhost.auth.signInEmailPassword({ email, password }), 401, "unverified-user");
});

await step("signInEmailPassword", async () => {
  const parameters = await mailbox.click(email);
  assert.equal(parameters.get("type"), "emailVerify");
  const { body } = await nhost.auth.signInEmailPassword({ email, password });
  assert.equal(body.session.user.displayName, "Ada");
  assert.equal(body.session.user.emailVerified, true);
  assert.ok(!body.mfa);
  // The client has taken the session into its storage, and read the token.
  assert.equal(nhost.getUserSession().decodedToken.sub, body.session.user.id);
  const before = nhost.getUserSession().refreshToken;
  assert.notEqual((await nhost.refreshSession(0)).refreshToken, before);
});

await step("sendVerificationEmail", async () => {
  const other = client();
  await other.auth.signUpEmailPassword({ email: "bob@example.org", password });
  await mailbox.next("bob@example.org");
  const { body } = await other.auth.sendVerificationEmail({ email: "bob@example.org", options });
  assert.equal(body, "OK");
  const { refreshToken } = Object.fromEntries(await mailbox.click("bob@example.org"));
  // As the page of the application does that the link leads to.
  const session = (await other.auth.refreshToken({ refreshToken })).body;
  assert.equal(session.user.email, "bob@example.org");
  assert.equal(other.getUserSession().user.email, "bob@example.org");
});

await step("verifyTicketURL", async () => {
  await nhost.auth.signInPasswordlessEmail({ email });
  const ticket = new URL((await mailbox.next(email)).text.match(/https:\/\/api\S+/)[0]).searchParams.get("ticket");
  const link = nhost.auth.verifyTicketURL({ ticket, type: "signinPasswordless", redirectTo: options.redirectTo });
  const parameters = await mailbox.press(link.replace(url, SERVER_URL));
  assert.equal(parameters.get("type"), "signinPasswordless");
  assert.ok(parameters.get("refreshToken"));
});

await step("signInPasswordlessEmail", async () => {
  const other = client();
  const { body } = await other.auth.signInPasswordlessEmail({ email: "link@example.org", options: { ...options, displayName: "Link" } });
  assert.equal(body, "OK");
  const parameters = await mailbox.click("link@example.org");
  const session = (await other.auth.refreshToken({ refreshToken: parameters.get("refreshToken") })).body;
  assert.equal(session.user.displayName, "Link");
});

const coded = client();

await step("signInOTPEmail", async () => {
  const { body } = await coded.auth.signInOTPEmail({ email: "code@example.org", options });
  assert.equal(body, "OK");
  assert.equal(coded.getUserSession(), null);
});

await step("verifySignInOTPEmail", async () => {
  const otp = await mailbox.code("code@example.org");
  await refuses(coded.auth.verifySignInOTPEmail({ email: "code@example.org", otp: "no code" }), 401, "invalid-otp");
  const { body } = await coded.auth.verifySignInOTPEmail({ email: "code@example.org", otp });
  assert.equal(body.session.user.email, "code@example.org");
  assert.equal(coded.getUserSession().user.email, "code@example.org");
});

await step("sendPasswordResetEmail", async () => {
  const other = client();
  assert.equal((await other.auth.sendPasswordResetEmail({ email, options })).body, "OK");
  const parameters = await mailbox.click(email);
  assert.equal(parameters.get("type"), "passwordReset");
  const ticket = parameters.get("ticket");
  assert.equal((await other.auth.changeUserPassword({ ticket, newPassword: "another password" })).body, "OK");
  await mailbox.next(email);
  await refuses(other.auth.changeUserPassword({ ticket, newPassword: password }), 401, "invalid-ticket");
  await other.auth.signInEmailPassword({ email, password: "another password" });
  // Sessions from before have ended: the client signs out by itself.
  await assert.rejects(nhost.auth.refreshToken({ refreshToken: nhost.getUserSession().refreshToken }));
  nhost.clearSession();
});

await step("changeUserPassword", async () => {
  await nhost.auth.signInEmailPassword({ email, password: "another password" });
  assert.equal((await nhost.auth.changeUserPassword({ newPassword: password })).body, "OK");
  await mailbox.next(email);
  nhost.clearSession();
  await nhost.auth.signInEmailPassword({ email, password });
});

await step("changeUserEmail", async () => {
  const { body } = await nhost.auth.changeUserEmail({ newEmail: "new@example.org", options });
  assert.equal(body, "OK");
  const parameters = await mailbox.click("new@example.org");
  assert.equal(parameters.get("type"), "emailConfirmChange");
  await mailbox.next(email);
  nhost.clearSession();
  const signedIn = await nhost.auth.signInEmailPassword({ email: "new@example.org", password });
  assert.equal(signedIn.body.session.user.email, "new@example.org");
  assert.equal((await nhost.auth.signOut({ refreshToken: nhost.getUserSession().refreshToken })).body, "OK");
  assert.equal(nhost.getUserSession(), null);
});

let app;

await step("changeUserMfa", async () => {
  await nhost.auth.signInEmailPassword({ email: "new@example.org", password });
  const { body } = await nhost.auth.changeUserMfa();
  assert.ok(body.imageUrl.startsWith("data:image/svg+xml;base64,"));
  app = new AuthenticatorApp(body.totpSecret);
  assert.equal((await nhost.auth.getUser()).body.activeMfaType ?? null, null);
});

await step("verifyChangeUserMfa", async () => {
  const change = (code) => nhost.auth.verifyChangeUserMfa({ activeMfaType: "totp", code });
  await refuses(change("nonsense"), 401, "invalid-totp");
  assert.equal((await change(await app.code(-1))).body, "OK");
  await mailbox.next("new@example.org");
  assert.equal((await nhost.auth.getUser()).body.activeMfaType, "totp");
  await refuses(nhost.auth.changeUserMfa(), 400, "totp-already-active");
});

await step("verifySignInMfaTotp", async () => {
  const other = client();
  const { body } = await other.auth.signInEmailPassword({ email: "new@example.org", password });
  assert.equal(body.session, null);
  assert.equal(other.getUserSession(), null);
  const { ticket } = body.mfa;
  await refuses(other.auth.verifySignInMfaTotp({ ticket, otp: "nonsense" }), 401, "invalid-totp");
  const otp = await app.code(0);
  const signedIn = await other.auth.verifySignInMfaTotp({ ticket, otp });
  assert.equal(signedIn.body.session.user.activeMfaType, "totp");
  assert.equal(other.getUserSession().user.email, "new@example.org");
  await refuses(other.auth.verifySignInMfaTotp({ ticket, otp }), 401, "invalid-ticket");
});

await step("elevation", async () => {
  await refuses(nhost.auth.changeUserEmail({ newEmail: "e@example.org" }), 403, "elevation-required");
  await refuses(nhost.auth.changeUserPassword({ newPassword: "another password" }), 403, "elevation-required");
  await refuses(nhost.auth.addSecurityKey(), 403, "elevation-required");
  await assert.rejects(nhost.auth.createPAT({ expiresAt: "2030-01-01T00:00:00Z" }), ({ status, body }) => status === 403 && body.error === "elevation-required");
  // The client has no operation for this path.
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${nhost.getUserSession().accessToken}` };
  const request = { method: "POST", headers, body: JSON.stringify({ otp: await app.code(1) }) };
  const { session } = await (await fetch(`${url}/v1/elevate/totp`, request)).json();
  nhost.sessionStorage.set(session);
  assert.equal(nhost.getUserSession().decodedToken.gateway["x-gateway-auth-elevated"], session.user.id);
  const creation = await nhost.auth.addSecurityKey();
  assert.equal(creation.body.rp.id, "localhost");
  assert.equal((await nhost.auth.verifyChangeUserMfa({ activeMfaType: "", code: "" })).body, "OK");
  await mailbox.next("new@example.org");
  const { body } = await client().auth.signInEmailPassword({ email: "new@example.org", password });
  assert.equal(body.session.user.activeMfaType ?? null, null);
});

const signed = client();
const eve = { sub: "eve at the provider", email: "eve@example.org", email_verified: true };

await step("signInProviderURL", async () => {
  const metadata = { team: 7 };
  const state = "a state & more";
  const parameters = { ...options, state, displayName: "Eve", locale: "de", metadata, allowedRoles: ["me"], defaultRole: "me",
    providerSpecificParams: { organization: "an organization" } };
  const back = await new Browser(url).signIn(signed.auth.signInProviderURL("google", parameters), eve);
  assert.deepEqual([back.get("type"), back.get("state"), back.get("error")], ["signinProvider", state, null]);
  const { body } = await signed.auth.refreshToken({ refreshToken: back.get("refreshToken") });
  assert.deepEqual([body.user.displayName, body.user.locale, body.user.emailVerified], ["Eve", "de", true]);
  assert.equal(signed.getUserSession().user.email, "eve@example.org");
  const known = await new Browser(url).signIn(signed.auth.signUpProviderURL("google"), eve);
  assert.equal((await signed.auth.refreshToken({ refreshToken: known.get("refreshToken") })).body.user.id, body.user.id);
});

await step("getProviderTokens", async () => {
  const session = signed.getUserSession();
  const { body } = await signed.auth.getProviderTokens("google");
  assert.deepEqual([typeof body.accessToken, typeof body.refreshToken], ["string", "string"]);
  assert.ok(body.expiresIn > 3000 && new Date(body.expiresAt) > new Date());
  // The client takes them for no session of its own.
  assert.equal(signed.getUserSession().accessToken, session.accessToken);
  await refuses(signed.auth.getProviderTokens("google"), 400, "invalid-request");
  const refreshed = await signed.auth.refreshProviderToken("google", { refreshToken: body.refreshToken });
  assert.notEqual(refreshed.body.accessToken, body.accessToken);
  assert.equal(signed.getUserSession().accessToken, session.accessToken);
});

await step("tokenExchange", async () => {
  const other = client();
  const codeVerifier = randomBytes(32).toString("base64url");
  const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
  const back = await new Browser(url).signIn(other.auth.signInProviderURL("google", { ...options, codeChallenge }), eve);
  assert.equal(back.get("refreshToken"), null);
  const { body } = await other.auth.tokenExchange({ code: back.get("code"), codeVerifier });
  assert.equal(body.session.user.email, "eve@example.org");
  assert.equal(other.getUserSession().user.email, "eve@example.org");
  await refuses(other.auth.tokenExchange({ code: back.get("code"), codeVerifier }), 401, "invalid-ticket");
});

await step("link a provider", async () => {
  // The client has no operation for these paths.
  const other = client();
  const { body } = await other.auth.signInEmailPassword({ email: "new@example.org", password });
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${body.session.accessToken}` };
  const browser = new Browser(url);
  const path = `${url}/v1/link/provider/google`;
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(options) });
  browser.keep(response, path);
  const back = await browser.signIn((await response.json()).url, { sub: "new at the provider" });
  assert.deepEqual([back.get("type"), back.get("error"), back.get("refreshToken")], ["linkProvider", null, null]);
  const linked = await (await fetch(`${url}/v1/user/providers`, { headers })).json();
  assert.deepEqual(linked.map(({ provider }) => provider), ["google"]);
  const signedIn = await new Browser(url).signIn(other.auth.signInProviderURL("google"), { sub: "new at the provider" });
  assert.ok(signedIn.get("refreshToken"));
});

const guest = client();

await step("signInAnonymous", async () => {
  const { body } = await guest.auth.signInAnonymous({ displayName: "Guest", locale: "en", metadata: { basket: 1 } });
  assert.deepEqual([body.session.user.isAnonymous, body.session.user.displayName], [true, "Guest"]);
  assert.equal(guest.getUserSession().user.isAnonymous, true);
  assert.notEqual((await client().auth.signInAnonymous()).body.session.user.id, body.session.user.id);
});

await step("deanonymizeUser", async () => {
  const { id } = guest.getUserSession().user;
  const request = { signInMethod: "email-password", email: "guest@example.org", password, options };
  assert.equal((await guest.auth.deanonymizeUser(request)).body, "OK");
  const parameters = await mailbox.click("guest@example.org");
  assert.equal(parameters.get("type"), "emailConfirmChange");
  const other = client();
  const { body } = await other.auth.signInEmailPassword({ email: "guest@example.org", password });
  assert.deepEqual([body.session.user.id, body.session.user.isAnonymous], [id, false]);
  await refuses(other.auth.deanonymizeUser(request), 400, "user-not-anonymous");
});

await step("signUpPasswordlessEmail", async () => {
  const other = client();
  const { body } = await other.auth.signUpPasswordlessEmail({ email: "up@example.org", options: { ...options, displayName: "Up" } });
  assert.equal(body, "OK");
  const parameters = await mailbox.click("up@example.org");
  const session = (await other.auth.refreshToken({ refreshToken: parameters.get("refreshToken") })).body;
  assert.equal(session.user.displayName, "Up");
});

await step("signUpOTPEmail", async () => {
  const other = client();
  assert.equal((await other.auth.signUpOTPEmail({ email: "upcode@example.org", options })).body, "OK");
  const otp = await mailbox.code("upcode@example.org");
  const { body } = await other.auth.verifySignInOTPEmail({ email: "upcode@example.org", otp });
  assert.equal(body.session.user.email, "upcode@example.org");
});

await step("healthCheck", async () => {
  assert.equal((await client().auth.healthCheckGet()).body, "OK");
  assert.equal((await client().auth.healthCheckHead()).status, 200);
  assert.equal(typeof (await client().auth.getVersion()).body.version, "string");
});

await step("refused", async () => {
  const other = client();
  await assert.rejects(other.auth.getProviderTokens("google"), (error) => error.status === 401);
  const denied = await new Browser(url).open(other.auth.signInProviderURL("github"));
  assert.deepEqual([denied.status, (await denied.json()).error], [409, "disabled-endpoint"]);
  await refuses(other.auth.signInEmailPassword({ email: "new@example.org", password: "wrong" }), 401, "invalid-email-password");
  await refuses(other.auth.signUpEmailPassword({ email: "c@example.org", password: "short" }), 400, "password-too-short");
  const signUp = (options) => other.auth.signUpEmailPassword({ email: "c@example.org", password, options });
  await refuses(signUp({ redirectTo: "https://evil.example" }), 400, "redirectTo-not-allowed");
  await refuses(signUp({ allowedRoles: ["admin"] }), 400, "role-not-allowed");
  await refuses(signUp({ locale: "xx" }), 400, "locale-not-allowed");
  await refuses(other.auth.signInPasswordlessEmail({ email: "no address" }), 400, "invalid-request");
  await assert.rejects(other.auth.changeUserEmail({ newEmail: "d@example.org" }), (error) => error.status === 401);
});

await step("all operations", async () => {
  const others = Object.entries(client().auth).filter(([name, operation]) => typeof operation === "function" && !called.has(name));
  assert.deepEqual(others.map(([name]) => name).sort(), [
    // Other scripts call these.
    ...["createPAT", "getJWKs", "signInPAT", "verifyToken", "pushChainFunction"],
    ...["addSecurityKey", "verifyAddSecurityKey", "signUpWebauthn", "verifySignUpWebauthn", "signInWebauthn", "verifySignInWebauthn"],
    ...["elevateWebauthn", "verifyElevateWebauthn"],
    // There are no mails to telephones, no tokens that an application has got from Apple or Google, and nobody signs in elsewhere by Postern.
    ...["signUpPasswordlessSms", "signInPasswordlessSms", "verifySignInPasswordlessSms"],
    ...["signUpIdToken", "signInIdToken", "linkIdToken"],
    ...["getOpenIDConfiguration", "getOAuthAuthorizationServer", "oauth2AuthorizeURL", "oauth2AuthorizePostURL", "oauth2Token"],
    ...["oauth2UserinfoGet", "oauth2UserinfoPost", "oauth2Jwks", "oauth2Revoke", "oauth2Introspect", "oauth2LoginGet", "oauth2LoginPost"],
  ].filter((name) => !called.has(name)).sort());
});

console.log(JSON.stringify({ passed }));
