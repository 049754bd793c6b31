// Runs the platform-dependent suites on other versions of Node, installed from npm into a folder outside the project.
//   node scripts/test-nodes.mjs [22 24 26]
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fetchNode } from "./fetch-npm.mjs";

const versions = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ["22", "24", "26"];
const suites = [
  "src/domain",
  "src/observe",
  "test/store",
  "test/cli",
  "test/mcp",
  "test/faults/compiled.test.ts",
  "test/faults/built-redaction.test.ts",
];

let failed = 0;
for (const version of versions) {
  const node = fetchNode(version);
  if (node === null) {
    process.stdout.write(`Node ${version}: skipped, npm has none for this machine, or cannot be reached\n`);
    continue;
  }
  const { status } = spawnSync(node, [join("node_modules", "vitest", "vitest.mjs"), "run", ...suites], {
    stdio: "inherit",
  });
  process.stdout.write(`Node ${version}: ${status === 0 ? "passed" : "failed"}\n`);
  if (status !== 0) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;
