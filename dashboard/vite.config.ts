// Builds the dashboard into `node_modules/.build`, from where `pack.mjs` takes it to `dist`: the libraries, the code that each day
// needs, that of the other screens, a file for each language, and one style sheet.

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
        manualChunks: (id) => {
          if (id.includes("node_modules") || id.includes("vite/preload-helper")) return "libraries";
          const [, language] = /src\/text\/(en|de|nl)\.ts/.exec(id) ?? [];
          if (language) return language;
          return /screens\/(people|person|consents|texts|notices|faq|purposes|team|integrations|account|audit|index)/.test(id) || id.endsWith("difference.ts") ? "screens" : "dashboard";
        },
      },
    },
  },
});
