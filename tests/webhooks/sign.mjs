// Signs deliveries with the libraries of the services: node sign.mjs, and on standard input a JSON list of deliveries, each with
// its `kind`, `secret`, `body` in base64 and what else the kind needs. Writes the headers and the query parameters of each to
// standard output.

import { createHmac } from "node:crypto";
import { text } from "node:stream/consumers";
import { sign as signAsGithub } from "@octokit/webhooks-methods";
import { EncryptJWT } from "jose";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";

const stripe = new Stripe("sk_test_of_no_account");
const now = Math.floor(Date.now() / 1000);

const kinds = {
  hmac({ secret, body, header, prefix = "", hash = "sha256", encoding = "base64" }) {
    return { headers: { [header]: prefix + createHmac(hash, secret).update(body).digest(encoding) } };
  },
  stripe({ secret, body, time = now }) {
    const header = stripe.webhooks.generateTestHeaderString({ payload: body.toString(), secret, timestamp: time });
    return { headers: { "Stripe-Signature": header } };
  },
  async github({ secret, body, id = "delivery-1" }) {
    return { headers: { "X-Hub-Signature-256": await signAsGithub(secret, body.toString()), "X-GitHub-Delivery": id } };
  },
  standard({ secret, body, id = "msg_1", time = now }) {
    const signature = new Webhook(secret).sign(id, new Date(time * 1000), body.toString());
    return { headers: { "webhook-id": id, "webhook-timestamp": String(time), "webhook-signature": signature } };
  },
  async jwe({ secret, claims, algorithm = "dir", encryption = "A256GCM", expires = now + 60 }) {
    const token = new EncryptJWT(claims).setProtectedHeader({ alg: algorithm, enc: encryption }).setIssuedAt();
    if (expires !== null) {
      token.setExpirationTime(expires);
    }
    return { query: { token: await token.encrypt(Buffer.from(secret, "base64")) } };
  },
};

const deliveries = JSON.parse(await text(process.stdin));
const signed = [];
for (const delivery of deliveries) {
  const { headers = {}, query = {} } = await kinds[delivery.kind]({ ...delivery, body: Buffer.from(delivery.body ?? "", "base64") });
  signed.push({ headers, query });
}
console.log(JSON.stringify(signed));
