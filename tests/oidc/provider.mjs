// An OpenID provider: node provider.mjs OPTIONS, a JSON object with `clients`, the metadata of those that may ask it, and with
// settings of the library `oidc-provider`, such as `clientAuthMethods`. PKCE is required. Writes its URL to standard output as a line
// of JSON. Its page asks for a login, which is a JSON object with the claims of the user: `sub`, `email`, `email_verified` and others,
// true from then on; the login `denied` refuses the sign-in. A line such as `{"sub": "1", "email": "ada@example.org"}` on standard
// input changes the claims of a user, and is repeated as `{"user": …}`.
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Provider } from "oidc-provider";

const { clients, ...settings } = JSON.parse(process.argv[2]);
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const users = new Map();
const learn = (claims) => users.set(claims.sub, claims);

const keys = [
  generateKeyPairSync("rsa", { modulusLength: 2048 }),
  generateKeyPairSync("ec", { namedCurve: "P-256" }),
  generateKeyPairSync("ed25519"),
].map(({ privateKey }, index) => ({ ...privateKey.export({ format: "jwk" }), kid: `key ${index}`, use: "sig" }));

const server = createServer();
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients,
  jwks: { keys },
  cookies: { keys: ["a key of cookies"] },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "locale", "picture"] },
  scopes: ["openid", "email", "profile", "offline_access"],
  features: { devInteractions: { enabled: false } },
  enabledJWA: { idTokenSigningAlgValues: ["RS256", "PS256", "ES256", "EdDSA"] },
  pkce: { required: () => true },
  ttl: { AccessToken: 3600, AuthorizationCode: 60, Grant: 86_400, IdToken: 3600, Interaction: 600, RefreshToken: 86_400, Session: 86_400 },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  findAccount: (_, sub) => users.has(sub) && { accountId: sub, claims: () => users.get(sub) },
  issueRefreshToken: (_, client) => client.grantTypeAllowed("refresh_token"),
  // Nobody is asked whether the application may know what it asks for.
  async loadExistingGrant({ oidc }) {
    const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope([...oidc.requestParamScopes].join(" "));
    await grant.save();
    return grant;
  },
  ...settings,
});
provider.on("server_error", (_, error) => process.stderr.write(`${error.stack}\n`));

const PAGE = `<!doctype html><title>Provider</title>
<form method="post"><label>Login <input name="login"></label><button>Sign in</button></form>`;

async function interact(request, response) {
  if (request.method === "GET") {
    // Only who has begun here sees the page.
    await provider.interactionDetails(request, response);
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    return response.end(PAGE);
  }
  const login = new URLSearchParams(await text(request)).get("login");
  if (login === "denied") {
    return provider.interactionFinished(request, response, { error: "access_denied", error_description: "The user said <no>." });
  }
  const claims = JSON.parse(login);
  learn(claims);
  return provider.interactionFinished(request, response, { login: { accountId: claims.sub } });
}

const handle = provider.callback();
server.on("request", (request, response) => {
  if (!request.url.startsWith("/interaction/")) return handle(request, response);
  interact(request, response).catch((error) => response.writeHead(400).end(`${error.message}\n`));
});
write({ url: issuer });

const lines = createInterface({ input: process.stdin });
// Without the test that has started it, it ends.
lines.on("close", () => process.exit());
lines.on("line", (line) => {
  const claims = JSON.parse(line);
  learn(claims);
  write({ user: claims });
});
