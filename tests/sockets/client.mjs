// The public clients against a gateway: node client.mjs CLIENT URL, and on standard input JSON with the headers to send and the
// operations to run, one after the other. Writes to standard output, for each operation, the results or the errors that the client
// reports. Subscriptions end after their first result.

import { text } from "node:stream/consumers";
import { createClient as createSseClient } from "graphql-sse";
import { createClient as createWsClient } from "graphql-ws";
import { SubscriptionClient } from "subscriptions-transport-ws";
import WebSocket from "ws";

const [name, url] = process.argv.slice(2);
const { headers, operations } = JSON.parse(await text(process.stdin));
const socketUrl = url.replace(/^http/, "ws");

// The results of an operation until it ends, or until the first if it is a subscription.
function collect(subscribe, { query }) {
  return new Promise((resolve) => {
    const results = [];
    let end = () => {};
    const sink = {
      next(result) {
        results.push(result);
        if (query.startsWith("subscription")) {
          setImmediate(() => end());
          resolve({ results });
        }
      },
      error: (error) => resolve({ results, errors: Array.isArray(error) ? error : [{ message: error.message, code: error.code, extensions: error.extensions }] }),
      complete: () => resolve({ results, completed: true }),
    };
    end = subscribe(sink);
  });
}

const clients = {
  "graphql-ws"() {
    const client = createWsClient({ url: socketUrl, webSocketImpl: WebSocket, connectionParams: { headers }, retryAttempts: 0 });
    return { run: (operation) => collect((sink) => client.subscribe(operation, sink), operation), close: () => client.dispose() };
  },
  "subscriptions-transport-ws"() {
    const client = new SubscriptionClient(socketUrl, { connectionParams: { headers } }, WebSocket);
    const run = (operation) =>
      collect((sink) => {
        const { unsubscribe } = client.request(operation).subscribe(sink);
        return unsubscribe;
      }, operation);
    return { run, close: () => client.close() };
  },
  "graphql-sse"() {
    const client = createSseClient({ url, headers, retryAttempts: 0 });
    return { run: (operation) => collect((sink) => client.subscribe(operation, sink), operation), close: () => client.dispose() };
  },
  "graphql-sse single"() {
    const client = createSseClient({ url, headers, singleConnection: true, retryAttempts: 0 });
    return { run: (operation) => collect((sink) => client.subscribe(operation, sink), operation), close: () => client.dispose() };
  },
};

const client = clients[name]();
const results = [];
for (const operation of operations) {
  results.push(await client.run(operation));
}
await client.close();
console.log(JSON.stringify(results));
process.exit(0);
