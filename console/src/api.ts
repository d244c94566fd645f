// What the console asks the gateway: each question is a caller's.

import { type Caller, Refusal, jsonOf } from "./session";

/** Reads from the console's part of the gateway. */
export async function read<T>(caller: Caller, path: string, signal?: AbortSignal): Promise<T> {
  return jsonOf(await caller.fetch(`/console/api/${path}`, { signal }));
}

/** Has events delivered again; returns how many. */
export async function replay(caller: Caller, which: { id: string } | { trigger: string }): Promise<number> {
  return (await jsonOf(await caller.fetch("/console/api/replay", { method: "POST", json: which }))).replayed;
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

/** Sends a GraphQL request. */
export async function graphql(caller: Caller, request: GraphqlRequest): Promise<GraphqlAnswer> {
  const began = performance.now();
  const response = await caller.fetch("/v1/graphql", { method: "POST", json: request });
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

/** Explains a request; only for callers with the admin secret. */
export async function explain(caller: Caller, request: GraphqlRequest, analyze: boolean, signal: AbortSignal): Promise<Explanation> {
  const path = `/v1/graphql/explain${analyze ? "?analyze=true" : ""}`;
  const answer = await jsonOf(await caller.fetch(path, { method: "POST", json: request, signal }));
  if (answer.errors) throw new Refusal(answer.errors[0].message, 200);
  return answer;
}
