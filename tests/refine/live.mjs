// The live provider of refine for Hasura: node live.mjs SUBSCRIPTION-TYPE URL, where the type is useList, useOne or useMany. See
// ../sockets/session.mjs; the query names the table.

import { liveProvider } from "@refinedev/hasura";
import gql from "graphql-tag";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { runSession } from "../sockets/session.mjs";

const [subscriptionType, url] = process.argv.slice(2);

// Without a document the provider takes every key for a uuid.
const one = gql`
  query One($id: Int!) {
    articles_by_pk(id: $id) {
      id
      title
    }
  }
`;

await runSession((headers) => {
  const client = createClient({
    url: url.replace(/^http/, "ws"),
    webSocketImpl: WebSocket,
    connectionParams: async () => ({ headers: await headers() }),
    retryAttempts: 200,
    retryWait: () => new Promise((resolve) => setTimeout(resolve, 100)),
    shouldRetry: () => true,
  });
  const provider = liveProvider(client, { idType: "Int", namingConvention: "hasura-default" });
  return {
    subscribe(resource, next) {
      const subscription = provider.subscribe({
        channel: `resources/${resource}`,
        types: ["*"],
        params: {
          resource,
          subscriptionType,
          id: 1,
          ids: [1, 2, 3, 4, 5, 6, 7],
          meta: subscriptionType === "useOne" ? { gqlQuery: one } : { fields: ["id", "title"] },
          sorters: [{ field: "id", order: "asc" }],
          pagination: { currentPage: 1, pageSize: 20, mode: "server" },
          filters: [{ field: "title", operator: "ne", value: "none" }],
        },
        // The provider calls back with the rows.
        callback: (rows) => next({ [resource]: [rows].flat() }),
      });
      return () => provider.unsubscribe(subscription);
    },
  };
});
