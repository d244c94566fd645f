// Mails that the SMTP server of `tests/mail` has written to a file, read as people read them: links are opened, and the button
// of the page is pressed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

export const SERVER_URL = "https://api.example.com";

export class Mailbox {
  constructor(file, url) {
    this.file = file;
    this.url = url;
    this.read = new Map();
  }

  // The next mail to an address that was not returned yet.
  async next(recipient) {
    const index = this.read.get(recipient) ?? 0;
    for (let attempt = 0; attempt < 1500; attempt++) {
      const lines = readFileSync(this.file, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line));
      const mail = lines.filter(({ to }) => Array.isArray(to) && to[0] === recipient)[index];
      if (mail) {
        this.read.set(recipient, index + 1);
        return mail;
      }
      await setTimeout(20);
    }
    throw new Error(`no mail ${index + 1} to ${recipient}`);
  }

  async code(recipient) {
    return (await this.next(recipient)).text.match(/\b\d{6}\b/)[0];
  }

  // Opens the link in the next mail and presses the button; returns the parameters of where that leads.
  async click(recipient) {
    const { text } = await this.next(recipient);
    const link = text.split(/\s+/).find((word) => word.startsWith(`${SERVER_URL}/v1/verify?`));
    assert.ok(link, text);
    return this.press(link);
  }

  async press(link) {
    const address = link.replace(SERVER_URL, this.url);
    const page = await (await fetch(address)).text();
    const attribute = (tag, name) => tag.match(new RegExp(` ${name}="([^"]*)"`))?.[1].replaceAll("&amp;", "&");
    const inputs = [...page.matchAll(/<input [^>]*>/g)].map(([tag]) => [attribute(tag, "name"), attribute(tag, "value") ?? ""]);
    const body = new URLSearchParams(inputs.filter(([name]) => name));
    const action = attribute(page.match(/<form [^>]*>/)[0], "action");
    const response = await fetch(new URL(action, address), { method: "POST", body, redirect: "manual" });
    assert.equal(response.status, 302);
    return new URL(response.headers.get("location")).searchParams;
  }
}
