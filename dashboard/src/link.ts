// The link of a mail, or of a provider, that leads back to this page: what its address brings, and whether this browser asked for it.
// Anyone can send a person such a link, so the page exchanges none by itself that was not asked for here, or over a session.

export type Link = { is: "sign-in"; refreshToken: string } | { is: "reset"; ticket: string } | { is: "fault" };

/** When this browser last asked for a link, in milliseconds. Tabs share it, because a mail's link opens a new one. */
const ASKED = "dashboard.link-asked";

/** A link is expected for an hour, which is how long the longest works. */
const EXPECTED = 3_600_000;

let link = read(new URLSearchParams(location.search));
const listeners = new Set<() => void>();

// What the address has behind its `?` stays neither in it nor in the history.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

function read(parameters: URLSearchParams): Link | null {
  const [refreshToken, ticket] = [parameters.get("refreshToken"), parameters.get("ticket")];
  if (parameters.get("error")) return { is: "fault" };
  if (refreshToken) return { is: "sign-in", refreshToken };
  return ticket ? { is: "reset", ticket } : null;
}

/** The link that this page was opened with, until it is used or dismissed. */
export const openedLink = () => link;

export function onLink(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function endLink() {
  link = null;
  for (const listener of listeners) listener();
}

/** Notes that this browser asks for a link. */
export const expectLink = () => localStorage.setItem(ASKED, String(Date.now()));

/** Whoever has signed in expects no link any more. */
export const expectNoLink = () => localStorage.removeItem(ASKED);

export function isLinkExpected(): boolean {
  const age = Date.now() - Number(localStorage.getItem(ASKED) ?? NaN);
  return age >= 0 && age < EXPECTED;
}
