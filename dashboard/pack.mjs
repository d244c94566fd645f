// Takes the build to `dist`, where the demo embeds it: each file as brotli, the page as it is, `assets.rs` with the list of
// the files, and `sources.sha256` with the digest of what the build was made from.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { digest } from "./sources.mjs";

const built = join(import.meta.dirname, "node_modules/.build");
const dist = join(import.meta.dirname, "dist");
const MEDIA = { ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".ttf": "font/ttf" };

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
const rows = readdirSync(join(built, "assets")).sort().map((name) => {
  const text = readFileSync(join(built, "assets", name));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: 22,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  const packed = brotliCompressSync(text, { params });
  const media = MEDIA[extname(name)];
  if (!media) throw new Error(`no media type for ${name}`);
  writeFileSync(join(dist, `${name}.br`), packed);
  console.log(`${name}: ${text.length} bytes, ${packed.length} as brotli`);
  return `    Asset { name: "${name}", media: "${media}", brotli: include_bytes!("${name}.br") },\n`;
});
writeFileSync(join(dist, "assets.rs"), `[\n${rows.join("")}]\n`);
// Vite adds attributes that only matter to other origins.
const page = readFileSync(join(built, "index.html"), "utf8").replaceAll(" crossorigin", "");
writeFileSync(join(dist, "index.html"), page);
writeFileSync(join(dist, "sources.sha256"), `${digest()}\n`);
