// Runs the suites that touch the platform on other versions of Node, fetched from npm into a folder outside the project.
//   node scripts/test-nodes.mjs [22 24 26]
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
const cache = process.env["OLDHAND_NODES"] ?? join(tmpdir(), "oldhand-nodes");
const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

let failed = 0;
for (const version of versions) {
  const node = fetchNode(version);
  if (node === null) {
    process.stdout.write(`Node ${version}: skipped, ${name}@${version} cannot be had from npm here\n`);
    continue;
  }
  const { status } = spawnSync(node, [join("node_modules", "vitest", "vitest.mjs"), "run", ...suites], {
    stdio: "inherit",
  });
  process.stdout.write(`Node ${version}: ${status === 0 ? "passed" : "failed"}\n`);
  if (status !== 0) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;

function fetchNode(version) {
  const folder = join(cache, version);
  const node = join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  spawnSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${version}`], {
    cwd: folder,
    stdio: "ignore",
    shell: process.platform === "win32",
  });
  return existsSync(node) ? node : null;
}
