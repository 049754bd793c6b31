import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { levels, origins } from "../../src/domain/rule/rule.ts";
import { filesUnder, nodesOf, type Node, placeOf, root, sourceFiles } from "./source.ts";
import { named, tableRows } from "./table.ts";

const rows = tableRows("docs/glossary.md", ["word", "not", "never in a name"]);
const words = rows.map((row) => (row["word"] ?? "").replaceAll("*", "").toLowerCase());
const never = new Set(rows.flatMap((row) => named(row["never in a name"])));

describe("the glossary", () => {
  it("has one word per concept: none twice, none that is another's synonym", () => {
    const synonyms = rows.flatMap((row) => (row["not"] ?? "").split(", "));
    expect(words.length).toBeGreaterThan(20);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
    // A skill is not a tool and a cycle is not a run, but both words have another meaning elsewhere.
    expect(synonyms.filter((word) => words.includes(word))).toEqual([]);
  });

  it("tells levels and origins as the source has them", () => {
    expect(meaningOf("level")).toContain(levels.join(", "));
    expect(meaningOf("origin")).toContain(origins.join(", "));
  });

  it("forbids as names only what it lists as synonyms", () => {
    const odd = rows.flatMap((row) =>
      named(row["never in a name"]).filter((word) => !(row["not"] ?? "").includes(word)),
    );
    expect(odd).toEqual([]);
  });

  it("is kept by every name in the source", () => {
    const found = [...sourceFiles("src"), ...sourceFiles("dashboard/src")].flatMap((file) =>
      [...nodesOf(file.program)].flatMap(([node, parent]) => {
        const name = declaredName(node, parent);
        return name !== null && partsOf(name).some(isForbidden) ? [`${placeOf(file, node)} ${name}`] : [];
      }),
    );
    expect(found).toEqual([]);
  });

  it("is kept by every file name", () => {
    const names = [...filesUnder("src"), ...filesUnder("dashboard/src"), ...filesUnder("test"), ...filesUnder("docs")];
    expect(names.filter((path) => partsOf(basename(path)).some(isForbidden))).toEqual([]);
  });

  it("is kept by every table and column", () => {
    const migrations = filesUnder("src/store").filter((path) => path.includes("/migrations/"));
    const found = migrations.flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8").replaceAll(
        /create (or replace )?trigger|returns trigger/g,
        "",
      );
      return (text.match(/[a-z_]+/g) ?? []).filter((name) => name.split("_").some(isForbidden) && name !== "trigger");
    });
    expect(found).toEqual([]);
  });
});

function isForbidden(word: string): boolean {
  return never.has(word) || (word.endsWith("s") && never.has(word.slice(0, -1)));
}

/** A name declared here, not one from a library or a payload. */
function declaredName(node: Node, parent: Node | null): string | null {
  if (node.type !== "Identifier" || typeof node["name"] !== "string" || parent === null) return null;
  if (parent.type === "MemberExpression" && parent["property"] === node) return null;
  if (parent.type === "ImportSpecifier" && parent["imported"] === node) return null;
  return node["name"];
}

function partsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function meaningOf(word: string): string {
  return rows[words.indexOf(word)]?.["means"] ?? "";
}
