// Nhost's client against a gateway: node client.mjs URL PERSONAL_ACCESS_TOKEN. Writes what went well to standard output.

import assert from "node:assert/strict";
import { createClient } from "@nhost/nhost-js";
import { MemoryStorage } from "@nhost/nhost-js/session";

const [url, personalAccessToken] = process.argv.slice(2);
const nhost = createClient({
  authUrl: `${url}/v1`,
  graphqlUrl: `${url}/v1/graphql`,
  storage: new MemoryStorage(),
});
const passed = [];

async function step(name, run) {
  await run();
  passed.push(name);
}

await step("signInPAT", async () => {
  const { status, body } = await nhost.auth.signInPAT({ personalAccessToken });
  assert.equal(status, 200);
  assert.equal(body.session.accessTokenExpiresIn, 3600);
  assert.equal(body.session.user.email, "ada@example.org");
  assert.deepEqual(body.session.user.roles, ["author", "reader"]);
  // The client has taken the session into its storage, and read the token.
  assert.equal(nhost.getUserSession().decodedToken.sub, "1");
});

const first = nhost.getUserSession();

await step("refreshToken", async () => {
  const { body } = await nhost.auth.refreshToken({ refreshToken: first.refreshToken });
  assert.notEqual(body.refreshToken, first.refreshToken);
  assert.equal(body.user.defaultRole, "author");
});

await step("refreshSession", async () => {
  const before = nhost.getUserSession().refreshToken;
  const session = await nhost.refreshSession(0);
  assert.notEqual(session.refreshToken, before);
  assert.equal(nhost.getUserSession().refreshToken, session.refreshToken);
});

await step("getUser", async () => {
  const { body } = await nhost.auth.getUser();
  assert.equal(body.displayName, "Ada");
});

await step("verifyToken", async () => {
  const { body } = await nhost.auth.verifyToken({ token: nhost.getUserSession().accessToken });
  assert.equal(body, "OK");
});

await step("graphql", async () => {
  const { body } = await nhost.graphql.request({ query: "{ notes(order_by: {id: asc}) { id } }" });
  assert.deepEqual(body.data, { notes: [{ id: 1 }, { id: 2 }] });
});

await step("createPAT", async () => {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const { body } = await nhost.auth.createPAT({ expiresAt, metadata: { name: "made by the client" } });
  assert.match(body.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const again = createClient({ authUrl: `${url}/v1`, graphqlUrl: `${url}/v1/graphql`, storage: new MemoryStorage() });
  const signedIn = await again.auth.signInPAT({ personalAccessToken: body.personalAccessToken });
  assert.equal(signedIn.body.session.user.id, "1");
});

await step("getJWKs", async () => {
  assert.deepEqual((await nhost.auth.getJWKs()).body, { keys: [] });
});

const last = nhost.getUserSession().refreshToken;

await step("signOut", async () => {
  const { body } = await nhost.auth.signOut({ refreshToken: last });
  assert.equal(body, "OK");
  assert.equal(nhost.getUserSession(), null);
});

await step("refused", async () => {
  const refresh = nhost.auth.refreshToken({ refreshToken: last });
  await assert.rejects(refresh, (error) => error.status === 401 && error.message === "Invalid or expired refresh token");
  const signIn = nhost.auth.signInPAT({ personalAccessToken: "nonsense" });
  await assert.rejects(signIn, (error) => error.status === 401 && error.message === "Invalid personal access token");
});

console.log(JSON.stringify({ passed }));
