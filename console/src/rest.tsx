// The REST endpoints that the chosen role reaches, each with a form to try it, and their OpenAPI description.

import { type FormEvent, useState } from "react";
import { Code, Failure, Name, Page, SentAs, useLoaded } from "./parts";
import { type Caller, type Sent, jsonOf } from "./session";
import type { PageProps } from "./types";
import { Visible } from "./visible";

interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  $ref?: string;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
  $ref?: string;
}

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

interface Description {
  info: { title: string; version: string };
  servers?: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components?: unknown;
}

interface Field {
  name: string;
  place: "path" | "query" | "body";
  isRequired: boolean;
  schema: Schema;
}

const METHODS = ["get", "post", "put", "patch", "delete"];

async function describe(caller: Caller, signal: AbortSignal): Promise<Description> {
  return jsonOf(await caller.fetch("/api/rest/openapi.json", { signal }));
}

/** What a reference in the description stands for. */
function resolve<T extends { $ref?: string }>(description: Description, value: T): T {
  if (!value.$ref?.startsWith("#/")) return value;
  const steps = value.$ref.slice(2).split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.reduce((place: unknown, step) => (place as Record<string, unknown> | undefined)?.[step], description) as T ?? value;
}

function fieldsOf(description: Description, operation: Operation): Field[] {
  const fields: Field[] = [];
  for (const written of operation.parameters ?? []) {
    const { name, in: place, required, schema } = resolve(description, written);
    if (place === "path" || place === "query") {
      fields.push({ name, place, isRequired: Boolean(required), schema: resolve(description, schema ?? {}) });
    }
  }
  const body = operation.requestBody?.content["application/json"]?.schema;
  const { properties = {}, required = [] } = body ? resolve(description, body) : {};
  for (const [name, schema] of Object.entries(properties)) {
    if (!fields.some((field) => field.name === name)) {
      fields.push({ name, place: "body", isRequired: required.includes(name), schema: resolve(description, schema) });
    }
  }
  return fields;
}

export function Rest({ caller }: PageProps) {
  const loaded = useLoaded(caller, "", (signal) => describe(caller, signal));
  const [search, setSearch] = useState("");
  const description = loaded.value;
  const base = description?.servers?.[0]?.url?.replace(/^https?:\/\/[^/]+/, "").replace(/\/$/, "") ?? "";
  const all = Object.entries(description?.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])));
  const wanted = search.trim().toLowerCase();
  const shown = all.filter(({ path, operation }) => !wanted || `${path} ${operation.summary ?? ""}`.toLowerCase().includes(wanted));
  return (
    <Page title="REST endpoints" loaded={loaded}>
      <p className="quiet">Those that the role <code><Visible text={caller.role} /></code> reaches. Requests are sent as this role.</p>
      <div className="filters">
        <label>Endpoint <input type="search" value={search} placeholder="part of a path" onChange={(event) => setSearch(event.target.value)} /></label>
        <span className="quiet" role="status">{description && `${shown.length} of ${all.length}`}</span>
      </div>
      {description && !all.length && <p className="quiet">This role reaches no endpoint.</p>}
      {description && shown.map(({ path, method, operation }) => (
        <details key={`${method} ${path}`} className="card endpoint">
          <summary><b className={`method ${method}`}>{method.toUpperCase()}</b> <code><Name text={path} /></code> <span><bdi><Visible text={operation.summary ?? ""} /></bdi></span></summary>
          <Try base={base} path={path} method={method} fields={fieldsOf(description, operation)} caller={caller} />
          <details><summary>OpenAPI</summary><Code label="OpenAPI" text={JSON.stringify(operation, null, 2)} /></details>
        </details>
      ))}
      {description && all.length > 0 && (
        <details className="card"><summary>The whole OpenAPI description</summary><Code label="OpenAPI description" text={JSON.stringify(description, null, 2)} /></details>
      )}
    </Page>
  );
}

interface Answer {
  status: number;
  time: number;
  text: string;
  sent: Sent;
}

function Try({ base, path, method, fields, caller }: { base: string; path: string; method: string; fields: Field[]; caller: Caller }) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setFailure(null);
    try {
      setAnswer(await call(`${base}${path}`, method, fields, values, caller));
    } catch (error) {
      if (!caller.signal.aborted) setFailure(error);
    }
  };
  const typeOf = ({ type, format }: Schema) => [type, format].flat().filter(Boolean).join(" ");
  return (
    <form onSubmit={send}>
      {fields.map(({ name, isRequired, schema }) => (
        <label key={name} className="field">
          <span><Name text={name} />{isRequired && <b aria-hidden="true"> *</b>} <small>{typeOf(schema)}</small></span>
          <input className="value" value={values[name] ?? ""} required={isRequired} spellCheck={false} autoComplete="off"
            onChange={(event) => setValues({ ...values, [name]: event.target.value })} />
        </label>
      ))}
      <button type="submit" className="main">Send</button>
      {failure !== null && <Failure error={failure} />}
      {answer && (
        <>
          <SentAs sent={answer.sent} />
          <p role="status"><span className={`state ${answer.status < 400 ? "delivered" : "dead"}`}>{answer.status}</span> in {answer.time.toFixed(1)} ms</p>
          <Code label="Answer" text={answer.text} />
        </>
      )}
    </form>
  );
}

/** Sends the fields that are filled in, each where the description has it. */
async function call(path: string, method: string, fields: Field[], values: Record<string, string>, caller: Caller): Promise<Answer> {
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  let filled = path;
  for (const { name, place, schema } of fields) {
    const value = values[name] ?? "";
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    if (!value) continue;
    if (place === "query") query.append(name, value);
    if (place === "body") body[name] = [schema.type].flat().includes("string") ? value : asJson(value);
  }
  const hasBody = method !== "get" && Object.keys(body).length > 0;
  const began = performance.now();
  const address = `${filled}${query.size ? `?${query}` : ""}`;
  const response = await caller.fetch(address, { method: method.toUpperCase(), json: hasBody ? body : undefined });
  const text = await response.text();
  return { status: response.status, time: performance.now() - began, text: pretty(text), sent: caller.sent() };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function pretty(text: string): string {
  const value = asJson(text);
  return value === text ? text : JSON.stringify(value, null, 2);
}
