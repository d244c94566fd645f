// Codes of otplib, which authenticator apps are written with: node totp.mjs SECRET SECONDS. Writes those of the step at a time in
// seconds since 1970, and of two steps before and after it.
import { generateSync } from "otplib";

const [secret, seconds] = process.argv.slice(2);
const codes = [-2, -1, 0, 1, 2].map((step) => generateSync({ secret, epoch: Number(seconds) + 30 * step }));
console.log(JSON.stringify(codes));
