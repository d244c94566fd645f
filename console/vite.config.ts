// Builds the console into `node_modules/.build`, from where `pack.mjs` takes it to `dist`. Few files: the page's own code, the
// editor's code, which is loaded with the page of queries, one style sheet for each, the workers of the editor and its icons.

import { defineConfig } from "vite";

export default defineConfig({
  base: "/console/",
  build: {
    outDir: "node_modules/.build",
    emptyOutDir: true,
    target: "es2022",
    // The polyfill is an inline script, and browsers that know the page's CSS do not need it.
    modulePreload: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 5000,
    rollupOptions: {
      // Libraries mark modules for server components, which there are none of.
      onwarn: (warning, warn) => warning.code !== "MODULE_LEVEL_DIRECTIVE" && warn(warning),
      output: {
        entryFileNames: "assets/[name]-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
        manualChunks: (id) => {
          if (/node_modules\/(react|react-dom|scheduler)\//.test(id) || id.includes("vite/preload-helper")) return "console";
          return id.includes("node_modules") ? "editor" : undefined;
        },
      },
    },
  },
  worker: {
    format: "es",
    rollupOptions: { output: { inlineDynamicImports: true, entryFileNames: "assets/[name]-[hash].js" } },
  },
});
