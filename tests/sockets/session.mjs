// Runs a live query with a client. Standard input has a line of JSON with the headers to send and the query, and then commands, one
// a line: {"mutate": "mutation { … }"}, {"unsubscribe": true}. Standard output gets a line for each result, error and answer.

import { createInterface } from "node:readline";

export async function runSession(makeClient) {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const read = async () => {
    const { value, done } = await lines.next();
    return done ? undefined : JSON.parse(value);
  };
  const write = (event) => console.log(JSON.stringify(event));
  const failed = (error) => write({ error: String(error?.message ?? JSON.stringify(error)) });
  const { headers, query } = await read();
  const client = makeClient(headers);
  const unsubscribe = client.subscribe(query, (result) => write({ result }), failed);
  for (let command = await read(); command; command = await read()) {
    if (command.mutate) {
      client.mutate(command.mutate).then((result) => write({ mutated: result }), failed);
    } else {
      unsubscribe();
      write({ unsubscribed: true });
    }
  }
  process.exit(0);
}
