// Codes of otplib, which authenticator apps are written with: node totp.mjs SECRET SECONDS. Writes those of the step at a time in
// seconds since 1970, and of two steps before and after it.

import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { generateSync } from "otplib";

export class AuthenticatorApp {
  constructor(secret) {
    this.secret = secret;
  }

  // The code that it shows this number of steps from now, of a step that lasts for some more seconds.
  async code(step) {
    while (Date.now() / 1000 % 30 > 22) await setTimeout(100);
    return this.codeAt(Date.now() / 1000 + 30 * step);
  }

  codeAt(seconds) {
    return generateSync({ secret: this.secret, epoch: Math.floor(seconds) });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [secret, seconds] = process.argv.slice(2);
  const app = new AuthenticatorApp(secret);
  console.log(JSON.stringify([-2, -1, 0, 1, 2].map((step) => app.codeAt(Number(seconds) + 30 * step))));
}
