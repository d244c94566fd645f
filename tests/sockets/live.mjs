// The public clients with a live query, and a mutation on the same connection: node live.mjs CLIENT URL. See session.mjs.

import { ApolloClient, ApolloLink, InMemoryCache, gql } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { WebSocketLink } from "@apollo/client/link/ws";
import { Client, subscriptionExchange } from "@urql/core";
import { createClient as createSseClient } from "graphql-sse";
import { createClient as createWsClient } from "graphql-ws";
import { SubscriptionClient } from "subscriptions-transport-ws";
import WebSocket from "ws";
import { runSession } from "./session.mjs";

const [name, url] = process.argv.slice(2);
const socketUrl = url.replace(/^http/, "ws");
const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

const ws = (headers) =>
  createWsClient({
    url: socketUrl,
    webSocketImpl: WebSocket,
    connectionParams: async () => ({ headers: await headers() }),
    retryAttempts: 200,
    retryWait: pause,
    shouldRetry: () => true,
  });
const legacy = (headers) => new SubscriptionClient(socketUrl, { reconnect: true, connectionParams: async () => ({ headers: await headers() }) }, WebSocket);
const sse = (headers, singleConnection) => createSseClient({ url, headers, singleConnection, retryAttempts: 200, retry: pause });

// Clients that take a sink and return a function that ends the operation.
const plain = (client) => ({
  subscribe: (query, next, error) => client.subscribe({ query }, { next: (result) => next(result.data), error, complete() {} }),
  mutate: (query) =>
    new Promise((resolve, reject) => client.subscribe({ query }, { next: (result) => resolve(result.data), error: reject, complete() {} })),
});

function apollo(link) {
  const client = new ApolloClient({ link: ApolloLink.from([link]), cache: new InMemoryCache() });
  return {
    subscribe(query, next, error) {
      const subscription = client.subscribe({ query: gql(query) }).subscribe({
        next: (result) => (result.error ? error(result.error) : next(result.data)),
        error,
      });
      return () => subscription.unsubscribe();
    },
    mutate: async (query) => (await client.mutate({ mutation: gql(query) })).data,
  };
}

function urql(socket) {
  const forwardSubscription = (request) => ({
    subscribe: (sink) => ({ unsubscribe: socket.subscribe({ ...request, query: request.query ?? "" }, sink) }),
  });
  const client = new Client({ url, exchanges: [subscriptionExchange({ enableAllOperations: true, forwardSubscription })] });
  return {
    subscribe(query, next, error) {
      const report = (result) => (result.error ? error(result.error) : next(result.data));
      return client.subscription(query, {}).subscribe(report).unsubscribe;
    },
    async mutate(query) {
      const result = await client.mutation(query, {}).toPromise();
      if (result.error) throw result.error;
      return result.data;
    },
  };
}

function oldClient(client) {
  const request = (query, next, error) => {
    const { unsubscribe } = client.request({ query }).subscribe({ next: (result) => next(result.data), error });
    return unsubscribe;
  };
  return { subscribe: request, mutate: (query) => new Promise((resolve, reject) => request(query, resolve, reject)) };
}

const clients = {
  "graphql-ws": (headers) => plain(ws(headers)),
  "graphql-sse": (headers) => plain(sse(headers, false)),
  "graphql-sse single": (headers) => plain(sse(headers, true)),
  "subscriptions-transport-ws": (headers) => oldClient(legacy(headers)),
  "apollo graphql-ws": (headers) => apollo(new GraphQLWsLink(ws(headers))),
  "apollo subscriptions-transport-ws": (headers) => apollo(new WebSocketLink(legacy(headers))),
  "urql graphql-ws": (headers) => urql(ws(headers)),
  "urql graphql-sse": (headers) => urql(sse(headers, false)),
};

await runSession(clients[name]);
