// Reads deliveries from standard input, a JSON array of `{secret, headers, body}`, and writes for each whether the public
// library verifies it.
import { Webhook } from "standardwebhooks";

let input = "";
for await (const chunk of process.stdin) input += chunk;
const verified = JSON.parse(input).map(({ secret, headers, body }) => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch (error) {
    return String(error.message);
  }
});
console.log(JSON.stringify(verified));
