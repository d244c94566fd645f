// Starts Debian's Chromium, and the pages that the checks open.

import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PROGRAMS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Chromium, which asks nothing of other hosts by itself. */
export function launch() {
  const executablePath = PROGRAMS.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("there is no Chromium; `scripts/setup.sh tests` installs it");
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"];
  return chromium.launch({ executablePath, args });
}

/**
 * A site of another origin that embeds widgets under a strict policy. Its path /identity answers what `identity` returns, a status and a text;
 * without one, 401.
 */
export async function site(gateway, body, { identity = () => [401, ""], lang = "en" } = {}) {
  const socket = gateway.replace(/^http/, "ws");
  const policy = `default-src 'none'; script-src ${gateway}; connect-src 'self' ${gateway} ${socket}; base-uri 'none'; `
    + "require-trusted-types-for 'script'; trusted-types 'none'";
  const server = createServer((request, response) => {
    if (request.url === "/identity") {
      const [status, text] = identity();
      response.writeHead(status, { "Content-Type": "text/plain", "Cache-Control": "no-store" });
      response.end(text);
      return;
    }
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.setHeader("Content-Security-Policy", policy);
    response.end(`<!doctype html><html lang="${lang}"><title>Another site</title><main>${body}</main>
      <script type="module" src="${gateway}/widgets/widgets.js"></script></html>`);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  // By another name than the gateway's, so that it is another site too.
  return { url: `http://localhost:${server.address().port}/`, close: () => server.close() };
}
