// A browser, as far as a sign-in with another provider needs one: it keeps cookies, follows redirects, and fills in the page of the
// provider of `tests/oidc`.
import assert from "node:assert/strict";
import { SERVER_URL } from "./mailbox.mjs";

export class Browser {
  constructor(gateway) {
    this.gateway = gateway;
    this.cookies = new Map();
  }

  // What an address responds. The gateway's public address is not the one that it is reached at.
  async open(address, init = {}) {
    const reached = String(address).replace(SERVER_URL, this.gateway);
    const cookies = [...this.cookies].filter(([key]) => key.startsWith(new URL(reached).origin));
    const cookie = cookies.map(([key, value]) => `${key.split(" ")[1]}=${value}`).join("; ");
    const response = await fetch(reached, { redirect: "manual", ...init, headers: { cookie } });
    this.keep(response, reached);
    return response;
  }

  // Keeps the cookies of a response, which may have been an application's.
  keep(response, address) {
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(";")[0].split(/=(.*)/);
      const key = `${new URL(address).origin} ${name}`;
      if (value) this.cookies.set(key, value);
      else this.cookies.delete(key);
    }
  }

  // Opens an address of the gateway or of the provider, signs in there with the claims of a user, and returns the parameters of where
  // the application finds itself.
  async signIn(address, claims) {
    let current = String(address).replace(SERVER_URL, this.gateway);
    let response = await this.open(current);
    for (let step = 0; step < 20; step++) {
      if (response.status === 302 || response.status === 303) {
        const next = new URL(response.headers.get("location"), current);
        if (next.origin === "https://app.example.com") return next.searchParams;
        current = next.href.replace(SERVER_URL, this.gateway);
        response = await this.open(current);
      } else {
        assert.equal(response.status, 200, `${current}: ${await response.clone().text()}`);
        response = await this.open(current, { method: "POST", body: new URLSearchParams({ login: JSON.stringify(claims) }) });
      }
    }
    throw new Error(`${address} leads to no application`);
  }
}
