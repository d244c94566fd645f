// Sends a delivery over HTTP/2 without TLS: node http2.mjs URL, and on standard input JSON with `headers` and `body`. Writes the
// status and the body of the response to standard output.

import { connect } from "node:http2";
import { text } from "node:stream/consumers";

const url = new URL(process.argv[2]);
const { headers, body } = JSON.parse(await text(process.stdin));
const session = connect(url.origin);
const request = session.request({ ":method": "POST", ":path": url.pathname + url.search, ...headers });
let status = 0;
request.on("response", (answered) => (status = answered[":status"]));
request.end(body);
const answer = await text(request);
console.log(JSON.stringify({ status, body: JSON.parse(answer) }));
session.close();
