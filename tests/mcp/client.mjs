// The official client against a gateway: node client.mjs URL, and on standard input JSON with the headers to send and the tools to
// call, each with its arguments. Writes to standard output what it learned. It holds every answer against the schema of its tool.

import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url] = process.argv.slice(2);
const { headers, calls } = JSON.parse(await text(process.stdin));
const client = new Client({ name: "tests", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

const { tools } = await client.listTools();
const results = [];
for (const call of calls) {
  results.push(await client.callTool(call).catch((error) => ({ refused: { code: error.code, message: error.message } })));
}
const server = client.getServerVersion();
const capabilities = client.getServerCapabilities();
const instructions = client.getInstructions();
await client.ping();
await client.close();

console.log(JSON.stringify({ server, capabilities, instructions, tools, results }));
