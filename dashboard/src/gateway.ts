// Requests to the gateway, and its refusals as one type. Which credentials a request has is `session.ts`'s business.

/** The gateway's address; empty where it serves the page itself. */
export const GATEWAY = document.querySelector<HTMLMetaElement>('meta[name="gateway"]')?.content.replace(/\/$/, "") ?? "";

/** Why there is no answer: the network, the session, a rule, too many requests, the gateway, or what the person has entered. */
export type RefusalKind = "offline" | "signed-out" | "forbidden" | "not-found" | "rate" | "server" | "elevation" | "refused";

/** An answer that is none. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    /** The gateway's code, such as `invalid-otp`. */
    readonly code: string,
    /** The gateway's sentence, in English. */
    message: string,
    /** After how many seconds it is worth asking again. */
    readonly retryAfter = 0,
    /** The HTTP status; 0 where the refusal has none. */
    readonly status = 0,
  ) {
    super(message);
  }
}

function kindOf(status: number, code: string): RefusalKind {
  if (code === "elevation-required") return "elevation";
  if (status === 429) return "rate";
  if (status >= 500) return "server";
  if (status === 401) return "signed-out";
  if (status === 403) return "forbidden";
  return status === 404 ? "not-found" : "refused";
}

interface GraphqlError {
  message: string;
  extensions?: { code?: string };
}

/** The refusal of a GraphQL response with errors. */
export function refusalOf(errors: readonly GraphqlError[], status = 200): Refusal {
  const [first] = errors;
  const code = first?.extensions?.code ?? "";
  const kinds: Record<string, RefusalKind> = {
    "access-denied": "forbidden", "permission-error": "forbidden", "invalid-jwt": "signed-out", "rate-limit-exceeded": "rate",
    unexpected: "server", internal: "server", "internal-server-error": "server", timeout: "server",
  };
  return new Refusal(status === 200 ? kinds[code] ?? "refused" : kindOf(status, code), code, first?.message ?? "");
}

/** Sends a request and returns its JSON. Cookies go along, because the refresh token is one. */
export async function send(path: string, init: { method?: string; body?: unknown; headers?: Record<string, string> } = {}): Promise<unknown> {
  const { method = init.body === undefined ? "GET" : "POST", body, headers } = init;
  let response: Response;
  try {
    response = await fetch(GATEWAY + path, {
      method,
      credentials: "include",
      headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refusal("offline", "", "");
  }
  const answer = await response.json().catch(() => null);
  if (answer?.errors) throw refusalOf(answer.errors, response.status);
  if (!response.ok) {
    const code = String(answer?.error ?? answer?.code ?? "");
    const retryAfter = Number(response.headers.get("Retry-After")) || 0;
    throw new Refusal(kindOf(response.status, code), code, String(answer?.message ?? response.statusText), retryAfter, response.status);
  }
  return answer;
}
