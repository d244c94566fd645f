// Who is signed in. The access token is in memory alone; the refresh token is a cookie that no script reads. Tabs of a browser share
// the cookie: one renews at a time, and all of them sign out together.

import { Refusal, send } from "./gateway";
import { expectNoLink } from "./link";

export interface SignedInUser {
  id: string;
  email: string | null;
  displayName: string;
  locale?: string;
}

interface SessionAnswer {
  accessToken: string;
  accessTokenExpiresIn: number;
  user: SignedInUser;
}

/** What a first factor is answered with: a session, or a ticket for the second factor. */
export interface SignInAnswer {
  session: SessionAnswer | null;
  mfa?: { ticket: string; methods?: string[] } | null;
}

export type SessionState =
  | { is: "starting" }
  | { is: "unreachable"; refusal: Refusal }
  | { is: "signed-out"; expired?: boolean }
  | { is: "signed-in"; user: SignedInUser };

/** An access token is renewed so many milliseconds before it expires. */
const EARLY = 30_000;

/** Whether this browser has a session. It spares those who have none a request that is refused. */
const MARK = "dashboard.signed-in";

let state: SessionState = { is: "starting" };
let token: { text: string; expiresAt: number } | null = null;
const listeners = new Set<() => void>();
const tabs = new BroadcastChannel("dashboard.session");

export const sessionState = () => state;

export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function become(next: SessionState) {
  state = next;
  for (const listener of listeners) listener();
}

tabs.onmessage = ({ data }: MessageEvent<{ user: string | null }>) => {
  if (data.user === null) forget();
  else if (state.is !== "signed-in" || state.user.id !== data.user) void restore(true);
};

function forget(expired = false) {
  token = null;
  localStorage.removeItem(MARK);
  become({ is: "signed-out", expired });
}

/** Takes a session over, from a sign-in or an elevation. */
export function enter(session: SessionAnswer) {
  token = { text: session.accessToken, expiresAt: Date.now() + session.accessTokenExpiresIn * 1000 };
  localStorage.setItem(MARK, "1");
  expectNoLink();
  const before = state.is === "signed-in" ? state.user : null;
  if (JSON.stringify(before) !== JSON.stringify(session.user)) become({ is: "signed-in", user: session.user });
  if (before?.id !== session.user.id) tabs.postMessage({ user: session.user.id });
}

/**
 * Opens the session that the browser has kept, if there is one. Another tab that has one says so itself: its mark in the storage may
 * come later than its message.
 */
export async function restore(hasSession = false): Promise<void> {
  if (!hasSession && !localStorage.getItem(MARK)) return become({ is: "signed-out" });
  try {
    await renew(true);
  } catch (error) {
    if (error instanceof Refusal && error.kind !== "signed-out") become({ is: "unreachable", refusal: error });
  }
}

let renewal: Promise<void> | null = null;

/** Gets the next access token with the cookie. Of all tabs one asks at a time, because each refresh token works once. */
function renew(force = false): Promise<void> {
  const renewing = async () => {
    if (!force && token && token.expiresAt - Date.now() > EARLY) return;
    try {
      enter((await send("/v1/token", { body: { cookie: true } })) as SessionAnswer);
    } catch (error) {
      // Without a cookie the gateway misses the token: a 400.
      if (!(error instanceof Refusal) || !["signed-out", "refused"].includes(error.kind)) throw error;
      forget(state.is === "signed-in");
      throw new Refusal("signed-out", error.code, error.message);
    }
  };
  const running: Promise<void> = renewal ?? navigator.locks.request("dashboard.renewal", renewing).then(() => {});
  renewal = running;
  const end = () => {
    if (renewal === running) renewal = null;
  };
  running.then(end, end);
  return running;
}

/** A valid access token. */
export async function accessToken(): Promise<string> {
  if (!token || token.expiresAt - Date.now() < EARLY) await renew();
  if (!token) throw new Refusal("signed-out", "", "");
  return token.text;
}

/** Sends a request with the access token, once more with a new one if it has ended meanwhile. */
export async function sendSignedIn(path: string, init: Parameters<typeof send>[1] = {}): Promise<unknown> {
  const attempt = async () => send(path, { ...init, headers: { ...init.headers, Authorization: `Bearer ${await accessToken()}` } });
  const used = token;
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "signed-out" || path.startsWith("/v1/elevate/") || used !== token || state.is !== "signed-in") throw error;
    // A code that is wrong is a 401 too; a token that was just renewed is not renewed again.
    if (error.code !== "" && !/jwt|token|access-denied|unauthorized/i.test(`${error.code} ${error.message}`)) throw error;
    await renew(true);
    return attempt();
  }
}

/** Whether a sign-out is refused because there is no session: the access token has ended, or the cookie is missing. */
const hasNoSession = ({ kind, status, code }: Refusal) => kind === "signed-out" || (status === 400 && code === "invalid-request");

/** Ends this session, or all of this person's. Other tabs hear of it. One that the gateway does not end has not ended. */
export async function signOut(everywhere = false): Promise<void> {
  try {
    if (everywhere) await sendSignedIn("/v1/signout", { body: { all: true } });
    else await send("/v1/signout", { body: {} });
  } catch (error) {
    if (!(error instanceof Refusal) || !hasNoSession(error)) throw error;
  }
  tabs.postMessage({ user: null });
  forget();
}

/** Gets the next access token at once, because roles or the name have changed. */
export const renewSession = () => renew(true);
