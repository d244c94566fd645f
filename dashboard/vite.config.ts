// Builds the dashboard into `node_modules/.build`, from where `pack.mjs` takes it to `dist`: the page's own code, the libraries,
// a file for each language, and one style sheet.

import { defineConfig } from "vite";

export default defineConfig({
  base: "/dashboard/",
  build: {
    outDir: "node_modules/.build",
    emptyOutDir: true,
    target: "es2022",
    // The polyfill is an inline script, and browsers that know the page's CSS do not need it.
    modulePreload: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name]-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
        manualChunks: (id) => (id.includes("node_modules") || id.includes("vite/preload-helper") ? "libraries" : undefined),
      },
    },
  },
});
