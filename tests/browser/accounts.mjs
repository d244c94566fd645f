// Signs up and in with the page of docs/accounts.md in Chromium: node accounts.mjs PAGE PORT GATEWAY MAILS. Serves the page at the
// port; GATEWAY is the gateway's URL, MAILS the file of the SMTP server. Writes what went well to standard output.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { launch } from "./browser.mjs";

const [file, port, gateway, mails] = process.argv.slice(2);
const html = readFileSync(file, "utf8").replaceAll("http://localhost:8080", gateway);
const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(html));
server.listen(Number(port), "localhost");
const application = `http://localhost:${port}`;
const browser = await launch();
const context = await browser.newContext();
const page = await context.newPage();
const problems = [];
page.on("pageerror", (error) => problems.push(String(error)));
const passed = [];

async function step(name, run) {
  await run();
  passed.push(name);
}

let read = 0;

/** The link in the next mail. */
async function link() {
  for (;;) {
    const lines = readFileSync(mails, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line)).filter(({ to }) => to);
    if (lines[read]) return lines[read++].text.split(/\s+/).find((word) => word.startsWith(gateway));
    await setTimeout(20);
  }
}

/** Opens the link in the next mail and presses the button there. */
async function follow() {
  await page.goto(await link());
  assert.equal(await page.locator("button").count(), 1);
  await page.locator("button").click();
  await page.waitForURL(`${application}/**`);
}

async function send(button, password = "") {
  await page.getByLabel("Email").fill("ada@example.org");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: button }).click();
}

const says = (text) => page.getByRole("status").getByText(text).waitFor();

await page.goto(application);
await step("sign up", async () => {
  await send("Sign up", "correct horse");
  await says("Look into your mail.");
});

await step("sign in before the proof", async () => {
  await send("Sign in", "correct horse");
  await says("not verified");
});

await step("verify", async () => {
  await follow();
  await says("Hello ada@example.org!");
  // Nothing of the session stays in the address.
  assert.equal(page.url(), `${application}/`);
});

await step("sign in", async () => {
  await page.reload();
  await send("Sign in", "correct horse");
  await says("Hello ada@example.org!");
});

await step("link", async () => {
  await send("Mail me a link");
  await says("Look into your mail.");
  await follow();
  await says("Hello ada@example.org!");
});

await step("used link", async () => {
  await page.goBack();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${application}/**`);
  await says("expired");
});

await step("new password", async () => {
  await page.goto(application);
  await send("New password");
  await says("Look into your mail.");
  page.once("dialog", (dialog) => dialog.accept("another password"));
  await follow();
  await says("Sign in with it.");
  await send("Sign in", "another password");
  await says("Hello ada@example.org!");
});

assert.deepEqual(problems, []);
await browser.close();
server.close();
console.log(JSON.stringify({ passed }));
