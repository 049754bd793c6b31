// Mutation testing: makes small changes to the source, one at a time, and counts those that no test detects.
//   npm run test:mutants [-- src/domain/rule/lifecycle/decay.ts …]
// Stryker and the Node it needs are installed from npm into a folder outside the project. Results are kept there, so
// the next run tests only what has changed since.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative, resolve } from "node:path";
import { fetchNode, fetchPackages } from "./fetch-npm.mjs";

const STRYKER = "10.1.1";
const LEAST_IN_ALL = 80;
const LEAST_IN_A_FILE = 70;

/**
 * Files to mutate and the tests that must detect it. Each mutant runs them, so they are fast, in one process and on
 * SQLite.
 */
const groups = [
  {
    name: "rule",
    files: [
      ..."rule promote matching/matcher matching/situation matching/synthesis lifecycle/decay lifecycle/reinforce lifecycle/escalate delivery/holdout"
        .split(" ")
        .map((name) => `src/domain/rule/${name}.ts`),
      "src/domain/shell/step.ts",
    ],
    tests: [
      ...["rule", "rule/matching", "rule/delivery", "rule/lifecycle", "rule/wording"].map(
        (folder) => `src/domain/${folder}/*.test.ts`,
      ),
      "src/domain/shell/step.test.ts",
    ],
  },
  { name: "proof", files: ["src/domain/proof/proof.ts"], tests: ["src/domain/proof/*.test.ts"] },
  {
    name: "redact",
    files: ["src/domain/redact/judge.ts"],
    tests: ["judge", "assignment", "contexts"].map((name) => `src/domain/redact/${name}.test.ts`),
  },
  {
    name: "journal",
    files: ["src/domain/journal.ts", "src/store/journal/journal.ts"],
    tests: ["src/domain/journal.test.ts", "test/store/journal.test.ts"],
  },
  {
    name: "before-call",
    files: ["src/recall/calls/before-call.ts"],
    tests: ["test/recall/before-call.test.ts", "test/attend/facts.test.ts"],
  },
];

const wanted = process.argv.slice(2).map((path) => relative(".", resolve(path)).replaceAll("\\", "/"));
const all = groups.flatMap((group) => group.files);
const missing = [...all, ...groups.flatMap((group) => group.tests)].filter((file) => !isThere(file));
if (missing.length > 0) {
  process.stderr.write(`Named in scripts/test-mutants.mjs, but not there: ${missing.join(", ")}\n`);
  process.exit(2);
}
const strange = wanted.filter((file) => !all.includes(file));
if (strange.length > 0) {
  process.stderr.write(`Not among the files that are mutated: ${strange.join(", ")}\nThey are:\n${all.join("\n")}\n`);
  process.exit(2);
}

const node = fetchNode("22");
const tools = fetchPackages(`stryker-${STRYKER}`, [
  `@stryker-mutator/core@${STRYKER}`,
  `@stryker-mutator/vitest-runner@${STRYKER}`,
  // Stryker reads tsconfig.json with an API that TypeScript 7 no longer has.
  "typescript@5.9",
]);
if (node === null || tools === null) {
  process.stderr.write("Node 22 and Stryker cannot be fetched from npm here\n");
  process.exit(2);
}
// Stryker's runner must load the same vitest that the tests import.
const vitest = join(tools, "node_modules", "vitest");
rmSync(vitest, { recursive: true, force: true });
symlinkSync(resolve("node_modules", "vitest"), vitest, "junction");

const rows = [];
for (const group of groups) {
  const files = group.files.filter((file) => wanted.length === 0 || wanted.includes(file));
  if (files.length > 0) rows.push(...tryMutants(group, files));
}
process.exitCode = tell(rows) ? 0 : 1;

/** True if the file exists; of a pattern such as `folder/*.test.ts`, if any file fits. */
function isThere(path) {
  const [folder, ending] = path.split("/*");
  return ending === undefined
    ? existsSync(path)
    : existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(ending));
}

function tryMutants(group, files) {
  const kept = join(tools, "kept");
  mkdirSync(kept, { recursive: true });
  const found = join(kept, `${group.name}.json`);
  const options = join(kept, `${group.name}.options.json`);
  retryStatic(found);
  writeFileSync(
    options,
    JSON.stringify({
      mutate: files,
      testRunner: "vitest",
      plugins: [join(tools, "node_modules", "@stryker-mutator", "vitest-runner", "dist", "src", "index.js")],
      vitest: { configFile: "vitest.mutants.config.ts" },
      coverageAnalysis: "perTest",
      concurrency: Number(process.env["OLDHAND_MUTANTS_AT_ONCE"] ?? Math.min(2, availableParallelism())),
      incremental: true,
      incrementalFile: found,
      reporters: ["progress-append-only"],
      warnings: { slow: false },
      ignorePatterns: ["/bench", "/sim", "/dashboard", "/dist", "/docs", "/kernel", "/samples"],
    }),
  );
  const stryker = join(tools, "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
  const { status } = spawnSync(node, [stryker, "run", options], {
    stdio: "inherit",
    env: { ...process.env, OLDHAND_TEST_STORES: "sqlite", OLDHAND_MUTANT_TESTS: group.tests.join(",") },
  });
  if (status !== 0 || !existsSync(found)) {
    process.stderr.write(`Stryker failed on ${group.name}\n`);
    process.exit(2);
  }
  const report = JSON.parse(readFileSync(found, "utf8"));
  return files.map((file) => ({ file, mutants: report.files[file]?.mutants ?? [] }));
}

/**
 * Removes surviving static mutants (code that runs at load time) when a test file changed: Stryker does not retry them.
 */
function retryStatic(found) {
  if (!existsSync(found)) return;
  const report = JSON.parse(readFileSync(found, "utf8"));
  const isSame = ([path, { source }]) => existsSync(path) && readFileSync(path, "utf8") === source;
  if (Object.entries(report.testFiles ?? {}).every(isSame)) return;
  for (const file of Object.values(report.files))
    file.mutants = file.mutants.filter((mutant) => !(mutant.static && mutant.status === "Survived"));
  writeFileSync(found, JSON.stringify(report));
}

/** Prints one line per file and one for all. Returns whether the scores are high enough. */
function tell(found) {
  const lines = [...found, { file: "all", mutants: found.flatMap((one) => one.mutants) }].map(({ file, mutants }) => {
    const count = (...statuses) => mutants.filter((mutant) => statuses.includes(mutant.status)).length;
    // A mutant that runs forever counts as detected.
    const [killed, survived, uncovered] = [count("Killed", "Timeout"), count("Survived"), count("NoCoverage")];
    return { file, killed, survived, uncovered, score: (100 * killed) / Math.max(1, killed + survived + uncovered) };
  });
  const width = Math.max(...lines.map(({ file }) => file.length));
  process.stdout.write(`\n${"file".padEnd(width)}  killed  survived  no coverage   score\n`);
  for (const { file, killed, survived, uncovered, score } of lines) {
    const numbers = [String(killed).padStart(6), String(survived).padStart(8), String(uncovered).padStart(11)];
    process.stdout.write(`${file.padEnd(width)}  ${numbers.join("  ")}  ${score.toFixed(1).padStart(5)} %\n`);
  }
  const isGood = ({ file, score }) => score >= (file === "all" ? LEAST_IN_ALL : LEAST_IN_A_FILE);
  for (const line of lines.filter((line) => !isGood(line)))
    process.stdout.write(`${line.file}: fewer than ${line.file === "all" ? LEAST_IN_ALL : LEAST_IN_A_FILE} %\n`);
  return lines.every(isGood);
}
