// Live queries: one socket for all of them, opened with the access token. The gateway closes it when that token ends, and a query
// goes on over the next one.

import { createClient, type Client } from "graphql-ws";
import type { GraphqlDocument, Role } from "./document";
import { GATEWAY, Refusal, refusalOf } from "./gateway";
import { accessToken, onSession, sessionState } from "./session";

const clients = new Map<Role, Client>();

function clientOf(role: Role): Client {
  let client = clients.get(role);
  if (!client) {
    const url = new URL(`${GATEWAY}/v1/graphql`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    client = createClient({
      url: url.href,
      lazyCloseTimeout: 2000,
      keepAlive: 20_000,
      retryAttempts: 0,
      connectionParams: async () => ({ headers: { Authorization: `Bearer ${await accessToken()}`, "X-Gateway-Role": role } }),
    });
    clients.set(role, client);
  }
  return client;
}

let user: string | null = null;

// The socket of one person never serves the next.
onSession(() => {
  const state = sessionState();
  const next = state.is === "signed-in" ? state.user.id : null;
  if (next === user) return;
  user = next;
  for (const client of clients.values()) void client.dispose();
  clients.clear();
});

export interface LiveObserver<Result> {
  next: (result: Result) => void;
  /** The connection is lost, or there again. */
  connected: (isConnected: boolean) => void;
  /** The gateway refuses the query; it is not asked again. */
  refused: (refusal: Refusal) => void;
}

/** Follows a live query until the returned function is called. A lost connection is taken up again, at most every ten seconds. */
export function follow<Result, Variables>(document: GraphqlDocument<Result, Variables>, variables: Variables, observer: LiveObserver<Result>): () => void {
  let stop = () => {};
  let timer: number | undefined;
  let attempts = 0;
  let hasEnded = false;

  const again = () => {
    if (hasEnded) return;
    observer.connected(false);
    attempts += 1;
    timer = window.setTimeout(start, Math.min(10_000, 500 * 2 ** attempts));
  };
  const start = () => {
    stop = clientOf(document.role).subscribe<Result>(
      { query: document.text, variables: variables as Record<string, unknown> },
      {
        next: ({ data, errors }) => {
          if (hasEnded) return;
          if (errors) return observer.refused(refusalOf(errors as never));
          attempts = 0;
          observer.connected(true);
          if (data) observer.next(data);
        },
        error: (error) => {
          if (hasEnded) return;
          if (Array.isArray(error)) observer.refused(refusalOf(error));
          else again();
        },
        complete: () => {},
      },
    );
  };
  const online = () => {
    window.clearTimeout(timer);
    if (attempts > 0) start();
  };
  window.addEventListener("online", online);
  start();
  return () => {
    hasEnded = true;
    window.clearTimeout(timer);
    window.removeEventListener("online", online);
    stop();
  };
}
