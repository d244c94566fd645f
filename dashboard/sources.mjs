// The digest of everything that the build of the dashboard is made from. `pack.mjs` writes it beside the build, and a test
// compares it, so that a build that does not belong to its sources is noticed.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;
const OWN = ["index.html", "pack.mjs", "package-lock.json", "package.json", "sources.mjs", "tsconfig.json", "vite.config.ts"];

/** The digest in hexadecimal. */
export function digest() {
  const files = readdirSync(join(folder, "src"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const all = [...names, ...OWN.map((name) => join(folder, name))].map((path) => [path.slice(folder.length + 1), path]).sort();
  const hash = createHash("sha256");
  for (const [name, path] of all) hash.update(`${name}\n`).update(readFileSync(path)).update("\n");
  return hash.digest("hex");
}
