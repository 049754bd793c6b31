import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss()],
  oxc: { jsx: { importSource: "preact" } },
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    target: "es2022",
    // The page is served under a policy of 'self' only: an asset inlined as data: would be blocked.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // For work on the dashboard itself: `oldhand serve --port 4040`, then vite beside it.
  server: { host: "127.0.0.1", proxy: { "/api": "http://127.0.0.1:4040" } },
});
