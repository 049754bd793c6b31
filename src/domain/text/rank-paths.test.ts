import { describe, expect, it } from "vitest";
import { namesOf } from "./path-names.ts";
import { folderNearness, rankPaths } from "./rank-paths.ts";

const ranked = (asked: string, seen: readonly string[], uses: Readonly<Record<string, number>> = {}) =>
  rankPaths(
    namesOf(asked),
    seen.map((path) => ({ names: namesOf(path), isFolder: null, uses: uses[path] ?? 0 })),
  ).map(({ names }) => names.join("/"));

describe("the paths that were probably meant", () => {
  it("are those in the same folder before those elsewhere", () => {
    expect(ranked("src/praser.ts", ["lib/praser.ts", "src/parser.ts"])[0]).toBe("src/parser.ts");
  });

  it("are those that share more of the way", () => {
    expect(ranked("src/core/ledger.ts", ["docs/ledger.ts", "src/kernel/ledger.ts"])[0]).toBe("src/kernel/ledger.ts");
  });

  it("are of a name that stands in every folder only those nearby, or the only one", () => {
    const many = ["a/b/index.ts", "c/d/index.ts"];
    expect(ranked("x/y/index.ts", many)).toEqual([]);
    expect(ranked("x/y/index.ts", ["a/b/index.ts"])).toEqual(["a/b/index.ts"]);
    expect(ranked("a/index.ts", many)[0]).toBe("a/b/index.ts");
  });

  it("are files beside it that were used, where no name is near", () => {
    const seen = ["src/text/tags.ts", "src/text/words.ts"];
    expect(ranked("src/text/zebra.ts", seen)).toEqual([]);
    expect(ranked("src/text/zebra.ts", seen, { "src/text/words.ts": 3 })).toEqual(["src/text/words.ts"]);
  });

  it("are never a folder on the way to it", () => {
    expect(ranked("src/src/src", ["src", "src/src"])).toEqual([]);
  });

  it("compares folders from both ends", () => {
    expect(folderNearness(["a", "b"], ["a", "b"])).toBe(1);
    expect(folderNearness(["a", "b", "c"], ["a", "x", "c"])).toBeCloseTo(2 / 3);
    expect(folderNearness(["packages", "cor"], ["packages", "core"])).toBeGreaterThan(0.8);
    expect(folderNearness(["a"], ["b"])).toBe(0);
  });
});
