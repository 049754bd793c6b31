import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import {
  breaches,
  filesUnder,
  isMember,
  isNode,
  literalText,
  type Node,
  nodesOf,
  type SourceFile,
  sourceFiles,
} from "./source.ts";

const all = ["src", "bench", "sim", "dashboard/src"].flatMap(sourceFiles);
const product = all.filter((file) => !file.isTest);
/** Generated from the table of operations, so their length does not matter. */
const made = ["src/operation-types.ts", "dashboard/src/api/contract.ts"];
const server = product.filter((file) => file.path.startsWith("src/"));

const MOST_LINES = 400;
const MOST_CATCHES = 3;

describe("the laws of the source", () => {
  it("reads the machine's clock in lib/clock.ts alone", () => {
    const readers = breaches(
      server.filter((file) => file.path !== "src/lib/clock.ts"),
      (node) =>
        isMember(node, "Date", "now") ||
        isMember(node, "performance", "now") ||
        (node.type === "NewExpression" &&
          isNode(node["callee"]) &&
          node["callee"]["name"] === "Date" &&
          (node["arguments"] as readonly unknown[]).length === 0),
    );
    // A fake model records when it was called; everything else gets a clock.
    expect(readers.filter((place) => !place.startsWith("src/testing/"))).toEqual([]);
  });

  it("registers hooks of tests in test files, or in functions that they call", () => {
    // Test files share processes: a helper is loaded once, so its own hook would run for the first file alone.
    const helpers = sourceFiles("test").filter((file) => !file.isTest && file.path !== "test/no-leftovers.ts");
    expect(
      helpers.filter((file) => /^(?:before|after)(?:All|Each)\(/m.test(file.text)).map(({ path }) => path),
    ).toEqual([]);
  });

  it("reads the environment in config.ts and the entrypoints alone", () => {
    const others = server.filter((file) => file.path !== "src/config.ts" && !file.path.startsWith("src/entrypoints/"));
    expect(breaches(others, (node) => isMember(node, "process", "env"))).toEqual([]);
  });

  it("writes SQL in the store alone", () => {
    const others = server.filter((file) => !file.path.startsWith("src/store/"));
    expect(breaches(others, (node) => isSql(literalText(node) ?? ""))).toEqual([]);
  });

  it("asks for explicit columns", () => {
    const tables = server.filter((file) => file.path.startsWith("src/store/") && file.path !== "src/store/backup.ts");
    // `select * from (…)` repeats the inner columns; only a backup reads whole tables.
    expect(breaches(tables, (node) => /\bselect \* from [a-z_]/.test(literalText(node) ?? ""))).toEqual([]);
  });

  it("asks which store it is only inside the store", () => {
    const others = server.filter((file) => !file.path.startsWith("src/store/"));
    const asks = (node: Node) =>
      isMember(node, "dialect", "name") || (node.type === "Identifier" && node["name"] === "isPostgres");
    expect(breaches(others, asks)).toEqual([]);
  });

  it("derives nothing inside an operation: what it builds on is declared, and prepared before it runs", () => {
    const operations = server.filter(
      (file) => file.path.startsWith("src/operations/") && file.path !== "src/operations/shared/prepare.ts",
    );
    const derives = ["digest", "readOwnerEdits"];
    expect(breaches(operations, (node) => derives.some((name) => isCallOf(node, name)))).toEqual([]);
  });

  it("runs an operation through invoke alone", () => {
    const others = server.filter((file) => file.path !== "src/invoke.ts" && file.path !== "src/operation.ts");
    const names = ["operation", "one", "found"];
    expect(breaches(others, (node) => names.some((name) => isMember(node, name, "run")))).toEqual([]);
  });

  it("has no default export", () => {
    expect(breaches(all, (node) => node.type === "ExportDefaultDeclaration")).toEqual([]);
  });

  it("has no barrel but the public index", () => {
    const barrels = breaches(
      all.filter((file) => file.path !== "src/index.ts" && file.path !== "src/testing/index.ts"),
      (node) =>
        node.type === "ExportAllDeclaration" || (node.type === "ExportNamedDeclaration" && isNode(node["source"])),
    );
    expect(barrels).toEqual([]);
  });

  it("has no enum and no any", () => {
    expect(breaches(all, (node) => node.type === "TSEnumDeclaration" || node.type === "TSAnyKeyword")).toEqual([]);
  });

  it("mocks no module", () => {
    const tests = [...all, ...sourceFiles("test")];
    expect(breaches(tests, (node) => isMember(node, "vi", "mock") || isMember(node, "vi", "doMock"))).toEqual([]);
  });

  it(`has no file over ${MOST_LINES} lines of code`, () => {
    const long = product
      .filter((file) => !made.includes(file.path))
      .map((file) => ({ path: file.path, lines: codeLines(file) }))
      .filter((one) => one.lines > MOST_LINES);
    expect(long).toEqual([]);
  });

  it("names files in kebab-case, after a thing or a deed", () => {
    const names = [
      ...filesUnder("src"),
      ...filesUnder("bench"),
      ...filesUnder("sim"),
      ...filesUnder("dashboard/src"),
      ...filesUnder("test"),
      ...filesUnder("scripts"),
    ];
    const odd = names.filter((path) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(basename(path)));
    const vague = names.filter((path) =>
      /(^|[-./])(utils?|helpers?|managers?|services?|common|misc|v\d+)([-./]|$)/.test(path),
    );
    expect({ odd, vague }).toEqual({ odd: [], vague: [] });
  });

  it(`catches at borders only: at most ${MOST_CATCHES} in 1,000 lines`, () => {
    const lines = server.reduce((sum, file) => sum + file.text.split("\n").length - 1, 0);
    const catches = server.reduce(
      (sum, file) => sum + [...nodesOf(file.program)].filter(([node]) => isCatch(node)).length,
      0,
    );
    const rate = (catches * 1000) / lines;
    process.stdout.write(`catch: ${catches} in ${lines} lines of src, ${rate.toFixed(1)} per 1,000\n`);
    expect(rate).toBeLessThanOrEqual(MOST_CATCHES);
  });
});

function isCallOf(node: { readonly type: string; readonly [field: string]: unknown }, name: string): boolean {
  return node.type === "CallExpression" && isNode(node["callee"]) && node["callee"]["name"] === name;
}

function isSql(text: string): boolean {
  return (
    /^\s*(select\s+[\w(*'"]|insert into\s|delete from\s|update \w+ set\s|create (unique |virtual )?(table|index)\s|pragma \w)/.test(
      text,
    ) || /\bselect [\w.*, ()]+ from \w+ (where|order|group|limit)\b/.test(text)
  );
}

function isCatch(node: { readonly type: string; readonly [field: string]: unknown }): boolean {
  if (node.type === "CatchClause") return true;
  const callee = node.type === "CallExpression" ? node["callee"] : null;
  return (
    isNode(callee) &&
    callee.type === "MemberExpression" &&
    isNode(callee["property"]) &&
    callee["property"]["name"] === "catch"
  );
}

/** Lines that are not empty and not only a comment, as the linter counts them. */
function codeLines(file: SourceFile): number {
  let text = file.text;
  for (const { start, end } of file.comments)
    text = text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, " ") + text.slice(end);
  return text.split("\n").filter((line) => line.trim() !== "").length;
}
