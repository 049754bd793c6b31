import { describe, expect, it } from "vitest";
import { isNode, type Node, nodesOf, placeOf, sourceFiles, type SourceFile } from "./source.ts";

// Generated from the operations, whose types have the same names.
const generated = ["src/operation-types.ts", "dashboard/src/api/contract.ts"];

// The dashboard imports nothing from src: two programs with separate names.
const programs = [
  { name: "oldhand", files: [...sourceFiles("src"), ...sourceFiles("bench"), ...sourceFiles("sim")] },
  { name: "dashboard", files: sourceFiles("dashboard/src") },
];

describe("exported names", () => {
  it.each(programs)("have one meaning each in $name: no name is declared by two files", ({ files: all }) => {
    const files = all.filter((file) => !file.isTest && !generated.includes(file.path));
    const places = new Map<string, string[]>();
    for (const file of files) {
      for (const [name, node] of exportedBy(file)) {
        const known = places.get(name) ?? [];
        places.set(name, [...known, placeOf(file, node)]);
      }
    }
    const homonyms = [...places].filter(([, where]) => new Set(where.map(withoutVariant)).size > 1);
    expect(places.size).toBeGreaterThan(200);
    expect(homonyms.map(([name, where]) => `${name}: ${where.join(", ")}`)).toEqual([]);
  });
});

/** The names that a file declares and exports; re-exports belong to the declaring file. */
function* exportedBy(file: SourceFile): Iterable<readonly [string, Node]> {
  for (const [node] of nodesOf(file.program)) {
    if (node.type !== "ExportNamedDeclaration" || !isNode(node["declaration"])) continue;
    const declaration = node["declaration"];
    const declared =
      declaration.type === "VariableDeclaration" ? (declaration["declarations"] as readonly Node[]) : [declaration];
    for (const one of declared) {
      const id = one["id"];
      if (isNode(id) && typeof id["name"] === "string") yield [id["name"], one];
    }
  }
}

/** Both dialects, and all hosts, implement the same functions: one meaning, several variants. */
function withoutVariant(place: string): string {
  return place
    .replace(/:\d+$/, "")
    .replace(/\/(sqlite|postgres)\//, "/dialect/")
    .replace(/\/hosts\/[^/]+\/.*$/, "/hosts/host");
}
