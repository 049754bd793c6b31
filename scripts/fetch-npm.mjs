// Installs npm packages into a folder outside the project: tools that only some tests need, with other versions of
// Node.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const cache = process.env["OLDHAND_NODES"] ?? join(tmpdir(), "oldhand-nodes");
const nodeName = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/** The folder with the packages, installed once; null if they are not available. `name` must include their versions. */
export function fetchPackages(name, packages) {
  const folder = join(cache, name);
  const isThere = (one) => existsSync(join(folder, "node_modules", one.slice(0, one.lastIndexOf("@")), "package.json"));
  if (packages.every(isThere)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps"];
  spawnSync("npm", ["install", ...options, ...packages], {
    cwd: folder,
    stdio: "ignore",
    shell: process.platform === "win32",
  });
  return packages.every(isThere) ? folder : null;
}

/** The path of the Node binary; null if npm has none for this machine. */
export function fetchNode(version) {
  const folder = fetchPackages(version, [`${nodeName}@${version}`]);
  if (folder === null) return null;
  const node = join(folder, "node_modules", nodeName, "bin", process.platform === "win32" ? "node.exe" : "node");
  return existsSync(node) ? node : null;
}
