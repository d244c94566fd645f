// Runs a live query with a client. Standard input has a line of JSON with the headers to send and the query, and then commands, one
// a line: {"mutate": "mutation { … }"}, {"unsubscribe": true}. Standard output gets a line for each result, error and answer.
// With "token" in the first line, the client gets a new token for each connection, which standard output counts.

import { createHmac } from "node:crypto";
import { createInterface } from "node:readline";

// A token with these claims that expires after some seconds.
function sign({ key, claims, seconds }) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "HS256" })}.${encode({ ...claims, exp: Math.floor(Date.now() / 1000) + seconds })}`;
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
}

export async function runSession(makeClient) {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const read = async () => {
    const { value, done } = await lines.next();
    return done ? undefined : JSON.parse(value);
  };
  const write = (event) => console.log(JSON.stringify(event));
  const failed = (error) => write({ error: String(error?.message ?? JSON.stringify(error)) });
  const { headers, query, token } = await read();
  let tokens = 0;
  // Called at each connection.
  const makeHeaders = async () => {
    if (!token) return headers;
    tokens += 1;
    write({ tokens });
    return { ...headers, Authorization: `Bearer ${sign(token)}` };
  };
  const client = makeClient(makeHeaders);
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
