// A provider that does everything wrong that it is told to: node faulty.mjs. It speaks OpenID Connect and, below /github, what GitHub
// does. Nobody has to sign in: /authorize leads back at once. Writes its URL to standard output as a line of JSON.
//
// `PUT /control` replaces what it does from then on, a JSON object; `{}` is a provider without faults.
//   metadata   members in place of those of the discovery document; null leaves one out, here and below
//   redirect   parameters in place of those that it leads back with
//   header     members in place of those of an id token's head
//   claims     members in place of those of an id token: sub, email, email_verified, iss, aud, azp, exp, iat, nonce …
//   signature  "RS256", the default, "ES256", "PS256", "EdDSA"; "other": by a key that is not published; "HS256": by the client's
//              secret; "HS256 of the key": by the published key; "none"; "empty"; "embedded": by a key in the token's own head
//   token      members in place of those of the token endpoint's response
//   userinfo   members of that response
//   user, emails   what GitHub says of the user
//   responses  for each path: `delay` in milliseconds, `status`, `body`, `size` of a body in bytes, `location`, `type`, `cut`: the
//              connection ends in the middle
// `POST /rotate` makes new keys, and publishes no others. `GET /requests` returns all other requests so far.
import { createHash, createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

const server = createServer();
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

const requests = [];
// What the client has asked for with each code.
const codes = new Map();
let faults = {};
// The user of the last id token.
let subject = "1";
let keys = makeKeys();

function makeKeys() {
  const make = (alg, ...options) => ({ alg, kid: randomUUID(), ...generateKeyPairSync(...options) });
  return [
    make("RS256", "rsa", { modulusLength: 2048 }),
    make("PS256", "rsa", { modulusLength: 2048 }),
    make("ES256", "ec", { namedCurve: "P-256" }),
    make("EdDSA", "ed25519"),
    make("other", "rsa", { modulusLength: 2048 }),
  ];
}

const published = () => keys.filter(({ alg }) => alg !== "other")
  .map(({ alg, kid, publicKey }) => ({ ...publicKey.export({ format: "jwk" }), alg, kid, use: "sig" }));
const base64url = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const merge = (value, changes = {}) => Object.fromEntries(Object.entries({ ...value, ...changes }).filter(([, member]) => member !== null));

function signed(claims, { signature = "RS256", header = {} }, secret) {
  const symmetric = signature.startsWith("HS256") || ["none", "empty"].includes(signature);
  const key = keys.find(({ alg }) => alg === (symmetric || signature === "embedded" ? "RS256" : signature));
  // A key that is not published pretends to be one that is.
  const { kid } = signature === "other" ? keys[0] : key;
  const alg = { other: "RS256", embedded: "RS256", "HS256 of the key": "HS256", empty: "RS256" }[signature] ?? signature;
  const embedded = signature === "embedded" ? { jwk: keys.at(-1).publicKey.export({ format: "jwk" }) } : {};
  const head = merge({ alg, kid, typ: "JWT", ...embedded }, header);
  const input = `${base64url(head)}.${base64url(claims)}`;
  const bytes = Buffer.from(input);
  switch (signature) {
    case "none":
    case "empty":
      return `${input}.`;
    case "HS256":
      return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
    case "HS256 of the key":
      return `${input}.${createHmac("sha256", key.publicKey.export({ format: "pem", type: "spki" })).update(input).digest("base64url")}`;
    case "ES256":
      return `${input}.${sign("sha256", bytes, { key: key.privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
    case "PS256":
      return `${input}.${sign("sha256", bytes, { key: key.privateKey, padding: 6, saltLength: 32 }).toString("base64url")}`;
    case "EdDSA":
      return `${input}.${sign(null, bytes, key.privateKey).toString("base64url")}`;
    case "embedded":
      return `${input}.${sign("sha256", bytes, keys.at(-1).privateKey).toString("base64url")}`;
    default:
      return `${input}.${sign("sha256", bytes, key.privateKey).toString("base64url")}`;
  }
}

/** The client's id and secret, as the request has them. */
function credentials({ headers }, form) {
  const [scheme, value] = (headers.authorization ?? "").split(" ");
  if (scheme !== "Basic") return [form.get("client_id"), form.get("client_secret")];
  const decode = (part) => decodeURIComponent(part.replaceAll("+", " "));
  return Buffer.from(value, "base64").toString().split(":").map(decode);
}

function authorize(query, own) {
  const code = randomUUID();
  codes.set(code, query);
  const parameters = new URLSearchParams(merge({ code, state: query.get("state"), ...own }, faults.redirect));
  if (query.get("response_mode") === "form_post") {
    const inputs = [...parameters].map(([name, value]) => `<input type="hidden" name="${name}" value="${value}"/>`);
    const page = `<!doctype html><form method="post" action="${query.get("redirect_uri")}">${inputs.join("")}<button>Continue</button></form>`;
    return { type: "text/html", body: page };
  }
  const url = new URL(query.get("redirect_uri"));
  for (const [name, value] of parameters) url.searchParams.append(name, value);
  return { status: 302, location: url.href };
}

/** Takes a code, once, with the verifier of its challenge. */
function takeCode(form) {
  const asked = codes.get(form.get("code"));
  codes.delete(form.get("code"));
  const challenge = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
  const isRight = asked && asked.get("code_challenge") === challenge && asked.get("redirect_uri") === form.get("redirect_uri");
  return isRight ? asked : null;
}

const json = (value, status = 200) => ({ status, type: "application/json", body: JSON.stringify(value) });

function token(request) {
  const form = new URLSearchParams(request.body);
  const [client, secret] = credentials(request, form);
  const grant = { access_token: `access-${randomUUID()}`, token_type: "Bearer", expires_in: 3600, refresh_token: `refresh-${randomUUID()}` };
  if (form.get("grant_type") === "refresh_token") {
    return form.get("refresh_token")?.startsWith("refresh-") ? json(merge(grant, faults.token)) : json({ error: "invalid_grant" }, 400);
  }
  const asked = takeCode(form);
  if (!asked || asked.get("client_id") !== client) return json({ error: "invalid_grant" }, 400);
  const now = Math.floor(Date.now() / 1000);
  const user = { sub: "1", email: "ada@example.org", email_verified: true };
  const claims = merge({ ...user, iss: issuer, aud: client, iat: now, exp: now + 300, nonce: asked.get("nonce") }, faults.claims);
  subject = claims.sub;
  return json(merge({ ...grant, id_token: signed(claims, faults, secret) }, faults.token));
}

function githubToken({ body, headers }) {
  const asked = takeCode(new URLSearchParams(body));
  // As GitHub: an error is a 200, and JSON only for who asks for it.
  const result = asked ? { access_token: `gho_${randomUUID()}`, token_type: "bearer", scope: asked.get("scope") ?? "" }
    : { error: "bad_verification_code", error_description: "The code passed is incorrect or expired." };
  if (headers.accept?.includes("json")) return json(merge(result, faults.token));
  return { type: "application/x-www-form-urlencoded", body: new URLSearchParams(result).toString() };
}

/** GitHub's API, which needs a token and the name of a program. */
function api({ headers }, value) {
  if (!headers["user-agent"]) return json({ message: "Request forbidden by administrative rules." }, 403);
  if (!/^(Bearer|token) gho_/.test(headers.authorization ?? "")) return json({ message: "Requires authentication" }, 401);
  return json(value);
}

function respond(request) {
  const { pathname, searchParams } = new URL(request.url, issuer);
  switch (pathname) {
    case "/.well-known/openid-configuration": {
      const endpoints = { authorization_endpoint: "authorize", token_endpoint: "token", jwks_uri: "jwks", userinfo_endpoint: "userinfo" };
      const urls = Object.entries(endpoints).map(([name, path]) => [name, `${issuer}/${path}`]);
      return json(merge({ issuer, ...Object.fromEntries(urls), response_types_supported: ["code"], subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256", "PS256", "ES256", "EdDSA"], code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["client_secret_basic"], authorization_response_iss_parameter_supported: true }, faults.metadata));
    }
    case "/jwks": return json({ keys: published() });
    case "/authorize": return authorize(searchParams, { iss: issuer });
    case "/github/login/oauth/authorize": return authorize(searchParams);
    case "/token": return token(request);
    case "/userinfo": return json(merge({ sub: subject }, faults.userinfo));
    case "/github/login/oauth/access_token": return githubToken(request);
    case "/github/api/user": return api(request, merge({ id: 7, login: "ada", name: "Ada", email: null }, faults.user));
    case "/github/api/user/emails": return api(request, faults.emails ?? [{ email: "ada@example.org", primary: true, verified: true, visibility: "private" }]);
    default: return { status: 404, type: "text/plain", body: "nothing is here" };
  }
}

async function handle(message, response) {
  const { method, headers } = message;
  const request = { method, url: message.url, headers, body: await text(message) };
  const { pathname } = new URL(request.url, issuer);
  if (pathname === "/control") {
    faults = JSON.parse(request.body);
    return response.end("OK");
  }
  if (pathname === "/rotate") {
    keys = makeKeys();
    return response.end("OK");
  }
  if (pathname === "/requests") return response.end(JSON.stringify(requests));
  requests.push(request);
  const { delay = 0, size, cut, ...changes } = faults.responses?.[pathname] ?? {};
  const { status = 200, type = "text/plain", body = "", location } = { ...respond(request), ...changes };
  await setTimeout(delay);
  response.writeHead(status, { "Content-Type": type, ...(location ? { Location: location } : {}) });
  if (cut) return response.write(body.slice(0, body.length / 2), () => response.destroy());
  return response.end(size ? body.padEnd(size, " ") : body);
}

server.on("request", (message, response) => {
  handle(message, response).catch((error) => {
    process.stderr.write(`${error.stack}\n`);
    response.destroy();
  });
});
process.stdout.write(`${JSON.stringify({ url: issuer })}\n`);

// Without the test that has started it, it ends.
createInterface({ input: process.stdin }).on("close", () => process.exit());
