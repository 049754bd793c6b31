import { describe, expect, it } from "vitest";
import { splitPath } from "./path-names.ts";
import { folderSimilarity, rankPaths } from "./rank-paths.ts";

const ranked = (wanted: string, seen: readonly string[], uses: Readonly<Record<string, number>> = {}) =>
  rankPaths(
    splitPath(wanted),
    seen.map((path) => ({ names: splitPath(path), isFolder: null, uses: uses[path] ?? 0 })),
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

  it("are, where no name is near, the files that sessions used beside it, marked as such; the folder's main file is near", () => {
    const seen = ["src/text/tags.ts", "src/text/words.ts", "src/text/text.ts"];
    const uses = { "src/text/words.ts": 3, "src/text/tags.ts": 3 };
    expect(ranked("src/text/zebra.ts", seen)).toEqual([]);
    expect(ranked("src/text/zebra.ts", seen, uses)).toEqual(["src/text/tags.ts", "src/text/words.ts"]);
    const beside = [{ names: splitPath("src/text/words.ts"), isFolder: false, uses: 3 }];
    expect(rankPaths(splitPath("src/text/zebra.ts"), beside).map((one) => one.isBeside)).toEqual([true]);
    expect(rankPaths(splitPath("src/text/wrods.ts"), beside).map((one) => one.isBeside)).toEqual([false]);
    expect(ranked("src/text/zebra.ts", seen, { ...uses, "src/text/text.ts": 3 })).toEqual(["src/text/text.ts"]);
    expect(
      ranked("agent/geminicli/parser.go", ["agent/geminicli/gemini.go"], { "agent/geminicli/gemini.go": 1 }),
    ).toEqual(["agent/geminicli/gemini.go"]);
  });

  it("are of a common root", () => {
    expect(ranked("src/logging.go", ["src/logger.go", "src/loader.go"])).toEqual(["src/logger.go"]);
  });

  it("are no folder for what is meant as a file, unless the file has become that folder", () => {
    const folder = (path: string) => ({ names: splitPath(path), isFolder: true, uses: 5 });
    const names = (wanted: string, ...paths: readonly string[]) =>
      rankPaths(splitPath(wanted), paths.map(folder)).map((one) => one.names.join("/"));
    expect(names("src/parser.ts", "src/parsers", "lib/parser", "lib/parser.ts")).toEqual([]);
    expect(names("tests/models.py", "tests/models")).toEqual(["tests/models"]);
    expect(names("src/parser", "src/parsers")).toEqual(["src/parsers"]);
  });

  it("are the path from the workspace on where it was taken from inside of itself", () => {
    expect(ranked("src/lib/src/lib", ["src", "src/lib"])).toEqual(["src/lib"]);
    expect(ranked("src/lib/src/lib/cart.ts", ["src/lib/cart.ts"])).toEqual(["src/lib/cart.ts"]);
  });

  it("are never a folder on the way to it", () => {
    expect(ranked("src/src/src", ["src", "src/src"])).toEqual([]);
  });

  it("compares folders from both ends", () => {
    expect(folderSimilarity(["a", "b"], ["a", "b"])).toBe(1);
    expect(folderSimilarity(["a", "b", "c"], ["a", "x", "c"])).toBeCloseTo(2 / 3);
    expect(folderSimilarity(["packages", "cor"], ["packages", "core"])).toBeGreaterThan(0.8);
    expect(folderSimilarity(["a"], ["b"])).toBe(0);
  });
});
