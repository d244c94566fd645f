// Who is signed in, and who the console acts as. A `Session` owns the credentials from signing in to signing out; a `Caller`
// owns every request and socket that is made as one role with one set of session values. The next caller ends the one before:
// its requests are aborted, its sockets closed, its late answers dropped. Secrets and tokens stay in memory.

import type { Client } from "graphql-ws";

/** A role, and the session values that its rules read, if the gateway tells. */
export interface Role {
  name: string;
  values: string[];
}

/** A refusal by the gateway. */
export class Refusal extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

/** As whom and when something was asked, which stands over its answer. */
export interface Sent {
  role: string;
  /** The session values that the role reads, each with what was sent, or nothing. */
  values: [name: string, value: string][];
  at: Date;
}

interface Credentials {
  secret?: string;
  token?: string;
  refreshToken?: string;
}

/** What the gateway says of credentials. */
interface Introduction {
  role: string;
  admin: boolean;
  roles?: Role[];
}

const ADMIN = "admin";
const prefix = document.querySelector<HTMLMetaElement>('meta[name="header-prefix"]')?.content || "X-Gateway-";

/** An access token is renewed so many milliseconds before it expires. */
const EARLY = 10_000;

/** `fetch` writes a byte for each character of a header, and the gateway reads UTF-8. */
const asHeader = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

const JSON_HEADERS = { "Content-Type": "application/json" };

function send(path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<Response> {
  const encoded = Object.entries(headers).map(([name, value]) => [name, asHeader(value)]);
  return fetch(path, { ...init, headers: Object.fromEntries(encoded) });
}

/** The JSON of a response, or its refusal. */
export async function jsonOf(response: Response) {
  const text = await response.text();
  let answer;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    throw new Refusal(`not JSON: ${text.slice(0, 200)}`, response.status);
  }
  const message = answer?.errors?.[0]?.message ?? answer?.message ?? answer?.error;
  if (!response.ok) throw new Refusal(message ?? `status ${response.status}`, response.status);
  return answer;
}

const post = async (path: string, body: unknown) => jsonOf(await send(path, JSON_HEADERS, { method: "POST", body: JSON.stringify(body) }));

/** The claims of a token, as far as they can be read here. The gateway verifies it. */
function claimsOf(token: string): Record<string, unknown> {
  try {
    const text = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0))));
    return typeof claims === "object" && claims ? claims : {};
  } catch {
    return {};
  }
}

/** The roles that a token allows; none if its claims are elsewhere. */
function rolesOf(token: string): { roles: string[]; initial: string } {
  const claims = claimsOf(token);
  const objects = [claims, ...Object.values(claims)].filter((value) => value && typeof value === "object");
  for (const object of objects as Record<string, unknown>[]) {
    const named = (end: string) => Object.entries(object).find(([name]) => name.toLowerCase().endsWith(end))?.[1];
    const roles = named("-allowed-roles");
    if (Array.isArray(roles)) return { roles: roles.map(String), initial: String(named("-default-role") ?? roles[0] ?? "") };
  }
  return { roles: [], initial: "" };
}

/** What somebody is signed in with, and whoever they act as at the moment. */
export class Session {
  /** The roles that can be taken. */
  readonly roles: Role[];
  /** Whether the admin secret was given, or the gateway asks for none. */
  readonly isAdmin: boolean;
  /** The session values that were typed, those of other roles than the present one too. */
  readonly typed: Record<string, string> = {};
  #credentials: Credentials;
  /** The chosen role. */
  #role: string;
  #lifetime = new AbortController();
  #renewal: Promise<void> | null = null;
  #hasEnded = false;

  private constructor(credentials: Credentials, found: Introduction, roles: Role[]) {
    this.#credentials = credentials;
    this.#role = found.role;
    this.roles = roles;
    this.isAdmin = found.admin;
  }

  /** The session of a gateway that asks for no credentials; none if it does. */
  static async open(): Promise<Session | null> {
    const found: Introduction | null = await send("/console/api/session", {}).then(jsonOf).catch(() => null);
    return found && new Session({}, found, found.roles ?? [{ name: found.role, values: [] }]);
  }

  /** Signs in with the admin secret. */
  static async withSecret(secret: string): Promise<Session> {
    const found: Introduction = await jsonOf(await send("/console/api/session", { [`${prefix}Admin-Secret`]: secret }));
    return new Session({ secret }, found, found.roles ?? []);
  }

  /** Signs in with an access token. */
  static async withToken(token: string, refreshToken?: string): Promise<Session> {
    const { roles, initial } = rolesOf(token);
    const headers = { Authorization: `Bearer ${token}`, ...(initial ? { [`${prefix}Role`]: initial } : {}) };
    const found: Introduction = await jsonOf(await send("/console/api/session", headers));
    const names = roles.length ? roles : [found.role];
    return new Session({ token, refreshToken }, found, names.map((name) => ({ name, values: [] })));
  }

  /** Signs in with a personal access token, which is exchanged for an access token at once and then forgotten. */
  static async withPersonalToken(personalAccessToken: string): Promise<Session> {
    const answer = await post("/v1/signin/pat", { personalAccessToken });
    const { accessToken, refreshToken } = answer.session ?? answer;
    try {
      return await Session.withToken(accessToken, refreshToken);
    } catch (error) {
      // A session that the console does not show is ended.
      await post("/v1/signout", { refreshToken }).catch(() => null);
      throw error;
    }
  }

  get hasCredentials(): boolean {
    return Boolean(this.#credentials.secret || this.#credentials.token);
  }

  /** Begins to act as a role, or anew as the same, with the values that were typed for it. Ends the caller before. */
  act(role = this.#role): Caller {
    this.#role = role;
    this.#lifetime.abort();
    this.#lifetime = new AbortController();
    if (this.#hasEnded) this.#lifetime.abort();
    return new Caller(this, role, this.typed, this.#lifetime.signal);
  }

  /** The session values that a role reads. */
  valuesOf(role: string): string[] {
    return this.roles.find(({ name }) => name === role)?.values ?? [];
  }

  /** The headers with the credentials, of which an access token that expires is renewed before. */
  async headers(): Promise<Record<string, string>> {
    const { exp } = claimsOf(this.#credentials.token ?? "");
    if (this.#credentials.refreshToken && typeof exp === "number" && exp * 1000 < Date.now() + EARLY) await this.#renew();
    const { secret, token } = this.#credentials;
    return {
      ...(secret ? { [`${prefix}Admin-Secret`]: secret } : {}),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    };
  }

  /** Renews the access token that these headers bear, unless that has happened meanwhile. Returns whether there is another. */
  async renewed(headers: Record<string, string>): Promise<boolean> {
    const isOld = () => headers.Authorization === `Bearer ${this.#credentials.token}`;
    if (this.#credentials.refreshToken && isOld()) await this.#renew();
    return headers.Authorization !== undefined && !isOld();
  }

  /** Exchanges the refresh token, which is valid once, for new tokens; once for all requests that wait for them. */
  #renew(): Promise<void> {
    this.#renewal ??= post("/v1/token", { refreshToken: this.#credentials.refreshToken }).then((answer) => {
      this.#credentials = { token: answer.accessToken, refreshToken: answer.refreshToken };
    }).finally(() => { this.#renewal = null; });
    return this.#renewal;
  }

  /** Signs out: ends the caller, and at the gateway the session of a personal access token. An error says that it goes on there. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#lifetime.abort();
    // The tokens that are under way are those to end. If they could not be had, the former ones are.
    await this.#renewal?.catch(() => null);
    const { refreshToken } = this.#credentials;
    this.#credentials = {};
    // The page may be left meanwhile.
    const init = { method: "POST", body: JSON.stringify({ refreshToken }), keepalive: true };
    if (refreshToken) await jsonOf(await send("/v1/signout", JSON_HEADERS, init));
  }
}

let callers = 0;

/** One role with its session values, for as long as nothing about it changes. */
export class Caller {
  /** Tells this caller from all others; the key of what is shown for it. */
  readonly id = (callers += 1);
  /** The session values that the role reads, as they are sent. */
  readonly values: [name: string, value: string][];
  #sockets: Promise<Client> | null = null;

  constructor(readonly session: Session, readonly role: string, typed: Record<string, string>, readonly signal: AbortSignal) {
    const isSent = session.isAdmin && role !== ADMIN;
    this.values = isSent ? session.valuesOf(role).map((name) => [name, typed[name] ?? ""]) : [];
  }

  get isAdmin(): boolean {
    return this.session.isAdmin;
  }

  /** The admin, if the credentials are the admin's, for what does not depend on the chosen role. */
  get own(): Caller {
    return this.isAdmin && this.role !== ADMIN ? new Caller(this.session, ADMIN, {}, this.signal) : this;
  }

  /** Another role with its values for a while: until `signal`, and no longer than this caller. */
  as(role: string, typed: Record<string, string>, signal: AbortSignal): Caller {
    return new Caller(this.session, role, typed, AbortSignal.any([this.signal, signal]));
  }

  /** The record of a request that is answered now. */
  sent(): Sent {
    return { role: this.role, values: this.values, at: new Date() };
  }

  async #headers(): Promise<Record<string, string>> {
    const headers = await this.session.headers();
    if (this.role) headers[`${prefix}Role`] = this.role;
    for (const [name, value] of this.values) if (value) headers[`${prefix}${name.replaceAll("_", "-")}`] = value;
    this.signal.throwIfAborted();
    return headers;
  }

  /** Sends a request; one with an access token that is refused is sent again with a new one. */
  async fetch(path: string, init: RequestInit & { json?: unknown } = {}): Promise<Response> {
    const { json, signal, ...rest } = init;
    const options: RequestInit = { ...rest, signal: signal ? AbortSignal.any([signal, this.signal]) : this.signal };
    if (json !== undefined) options.body = JSON.stringify(json);
    const ask = (headers: Record<string, string>) => send(path, json === undefined ? headers : { ...headers, ...JSON_HEADERS }, options);
    const headers = await this.#headers();
    const response = await ask(headers);
    return response.status === 401 && (await this.session.renewed(headers)) ? ask(await this.#headers()) : response;
  }

  /** Sends a subscription over the caller's WebSocket, which ends with the caller. */
  async subscribe(query: string, operationName?: string | null, variables?: Record<string, unknown> | null) {
    this.#sockets ??= this.#connect();
    const sockets = await this.#sockets;
    this.signal.throwIfAborted();
    return sockets.iterate({ query, operationName, variables });
  }

  async #connect(): Promise<Client> {
    const { createClient } = await import("graphql-ws");
    const url = new URL("/v1/graphql", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const connectionParams = async () => ({ headers: await this.#headers() });
    const client = createClient({ url: url.href, lazy: true, retryAttempts: 3, connectionParams });
    const dispose = () => void client.dispose();
    this.signal.addEventListener("abort", dispose, { once: true });
    if (this.signal.aborted) dispose();
    return client;
  }
}
