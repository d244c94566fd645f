// Who the console acts for, and its requests to the gateway. Secrets and tokens stay in memory: nothing here is stored.

/** Credentials, and the role and session values that they are used with. */
export interface Caller {
  secret?: string;
  token?: string;
  refreshToken?: string;
  role: string;
  /** The roles that the caller may take. */
  roles: Role[];
  /** Whether the caller has the admin secret, or the gateway asks for none. */
  isAdmin: boolean;
  /** Session values by name, sent beside the admin secret. */
  values: Record<string, string>;
}

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

const prefix = document.querySelector<HTMLMetaElement>('meta[name="header-prefix"]')?.content || "X-Gateway-";

/** The headers of a caller, who may act as another role. */
export function headersOf(caller: Pick<Caller, "secret" | "token" | "role" | "values" | "isAdmin">): Record<string, string> {
  const headers: Record<string, string> = {};
  if (caller.secret) headers[`${prefix}Admin-Secret`] = caller.secret;
  if (caller.token) headers.Authorization = `Bearer ${caller.token}`;
  if (caller.role) headers[`${prefix}Role`] = caller.role;
  if (caller.isAdmin && caller.role !== "admin") {
    for (const [name, value] of Object.entries(caller.values)) {
      if (value) headers[`${prefix}${name.replaceAll("_", "-")}`] = value;
    }
  }
  return headers;
}

/** The headers of the caller's own requests, whatever role is chosen. */
const ownHeaders = (caller: Caller) => headersOf(caller.isAdmin ? { ...caller, role: "admin" } : caller);

async function answerOf(response: Response) {
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

/** Reads from the console's part of the gateway, as the admin if the caller is one. */
export async function read<T>(caller: Caller, path: string, signal?: AbortSignal): Promise<T> {
  return answerOf(await fetch(`/console/api/${path}`, { headers: ownHeaders(caller), signal }));
}

/** The tables of the chosen role. */
export async function readDiagram<T>(caller: Caller, signal?: AbortSignal): Promise<T> {
  return answerOf(await fetch("/console/api/schema", { headers: headersOf(caller), signal }));
}

/** Has events delivered again; returns how many. */
export async function replay(caller: Caller, which: { id: string } | { trigger: string }): Promise<number> {
  const headers = { ...ownHeaders(caller), "Content-Type": "application/json" };
  const response = await fetch("/console/api/replay", { method: "POST", headers, body: JSON.stringify(which) });
  return (await answerOf(response)).replayed;
}

/** A GraphQL request. */
export interface GraphqlRequest {
  query: string;
  operationName?: string | null;
  variables?: unknown;
}

/** The answer of a GraphQL request, and how long its stages took in milliseconds. */
export interface GraphqlAnswer {
  answer: { data?: Record<string, unknown>; errors?: { message: string }[] };
  total: number;
  stages: { name: string; time: number }[];
}

/** Sends a GraphQL request as the chosen role. */
export async function graphql(caller: Caller, request: GraphqlRequest, signal?: AbortSignal): Promise<GraphqlAnswer> {
  const headers = { ...headersOf(caller), "Content-Type": "application/json" };
  const began = performance.now();
  const response = await fetch("/v1/graphql", { method: "POST", headers, body: JSON.stringify(request), signal });
  const answer = await response.json();
  const total = performance.now() - began;
  const timing = response.headers.get("Server-Timing") ?? "";
  const stages = [...timing.matchAll(/(\w+);dur=([\d.]+)/g)].map(([, name, time]) => ({ name: name!, time: Number(time) }));
  return { answer, total, stages };
}

/** What a statement reads, and under which rule. */
export interface Reading {
  alias: string;
  table: string;
  rule: string;
  file: string;
  line: number;
  values: { column: string; value: string; file: string; line: number }[];
  required?: boolean;
  form?: { form: string; why: string };
}

export interface Statement {
  sql: string;
  parameters: (string | null)[];
  reads: Reading[];
  plan: string;
}

export interface Explanation {
  role: string;
  kind: "query" | "mutation" | "subscription";
  analyzed: boolean;
  actions: boolean;
  statements: Statement[];
  milliseconds: { plan: number; bind: number; explain: number };
}

/** Explains a request as the chosen role; only for callers with the admin secret. */
export async function explain(caller: Caller, request: GraphqlRequest, analyze: boolean): Promise<Explanation> {
  const headers = { ...headersOf(caller), "Content-Type": "application/json" };
  const path = `/v1/graphql/explain${analyze ? "?analyze=true" : ""}`;
  const answer = await answerOf(await fetch(path, { method: "POST", headers, body: JSON.stringify(request) }));
  if (answer.errors) throw new Refusal(answer.errors[0].message, 200);
  return answer;
}

interface Session {
  role: string;
  admin: boolean;
  roles?: Role[];
}

const nobody: Caller = { role: "", roles: [], isAdmin: false, values: {} };

async function session(headers: Record<string, string>): Promise<Session> {
  return answerOf(await fetch("/console/api/session", { headers }));
}

/** A caller whom the gateway asks for no credentials; none if it does. */
export async function open(): Promise<Caller | null> {
  const found = await session({}).catch(() => null);
  if (!found) return null;
  return { ...nobody, role: found.role, isAdmin: found.admin, roles: found.roles ?? [{ name: found.role, values: [] }] };
}

/** Signs in with the admin secret. */
export async function withSecret(secret: string): Promise<Caller> {
  const found = await session({ [`${prefix}Admin-Secret`]: secret });
  return { ...nobody, secret, role: found.role, isAdmin: found.admin, roles: found.roles ?? [] };
}

/** The roles that a token allows, as far as it can be read here. The gateway verifies it. */
function rolesOf(token: string): { roles: string[]; initial: string } {
  try {
    const text = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0))));
    const places = [claims, ...Object.values(claims)].filter((value) => value && typeof value === "object");
    for (const place of places as Record<string, unknown>[]) {
      const named = (end: string) => Object.entries(place).find(([name]) => name.toLowerCase().endsWith(end))?.[1];
      const roles = named("-allowed-roles");
      if (Array.isArray(roles)) return { roles: roles.map(String), initial: String(named("-default-role") ?? roles[0] ?? "") };
    }
  } catch {
    // Not a JWT, or one whose claims are elsewhere: the gateway decides.
  }
  return { roles: [], initial: "" };
}

/** Signs in with an access token. */
export async function withToken(token: string, refreshToken?: string): Promise<Caller> {
  const { roles, initial } = rolesOf(token);
  const caller: Caller = { ...nobody, token, refreshToken, role: initial };
  const found = await session(headersOf(caller));
  const names = roles.length ? roles : [found.role];
  return { ...caller, role: found.role, roles: names.map((name) => ({ name, values: [] })) };
}

async function tokenFrom(path: string, body: unknown): Promise<Caller> {
  const headers = { "Content-Type": "application/json" };
  const answer = await answerOf(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
  const found = answer.session ?? answer;
  return withToken(found.accessToken, found.refreshToken);
}

/** Signs in with a personal access token, which is exchanged for an access token at once and then forgotten. */
export const withPersonalToken = (personalAccessToken: string) => tokenFrom("/v1/signin/pat", { personalAccessToken });

/** Renews an access token that has expired. */
export async function renew(caller: Caller): Promise<Caller> {
  const renewed = await tokenFrom("/v1/token", { refreshToken: caller.refreshToken });
  return renewed.roles.some(({ name }) => name === caller.role) ? { ...renewed, role: caller.role } : renewed;
}
