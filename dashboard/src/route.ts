// The address after `#`: `#/<controller>/requests?view=mine`. It has all that a colleague needs to see the same: controller, screen,
// filters, search and page.

import { useEffect, useMemo, useState } from "react";

export interface Route {
  /** The parts between slashes. */
  path: string[];
  query: Record<string, string>;
}

/** A part as it was before its encoding; as it stands if it is none. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function read(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decode), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a screen; what is empty is left out. */
export function href(path: string[], query: Record<string, string | undefined> = {}): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(entries).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return useMemo(() => read(hash), [hash]);
}

export function go(address: string) {
  location.hash = address;
}

/** Changes filters in the address, without a step in the history for each letter. */
export function setQuery(changes: Record<string, string | undefined>) {
  const { path, query } = read(location.hash);
  history.replaceState(null, "", href(path, { ...query, ...changes }));
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}
