import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeHunks, splitLines, mergeThreeWay, joinLines, unifiedDiff } from "./line-diff.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", "", "# d"), { maxLength: 12 });

function applied(before: readonly string[], hunks: ReturnType<typeof computeHunks>): readonly string[] {
  return hunks.toReversed().reduce((now, one) => now.toSpliced(one.from, one.to - one.from, ...one.lines), [...before]);
}

describe("the difference of two texts", () => {
  it("turns the one into the other, whatever they are", () => {
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        expect(applied(a, computeHunks(a, b))).toEqual(b);
      }),
    );
    expect(computeHunks(["a"], ["a"])).toEqual([]);
  });

  it("keeps what both have in common, also far from the ends", () => {
    expect(computeHunks(["x", "a", "b", "y"], ["1", "a", "b", "2"])).toEqual([
      { from: 0, to: 1, lines: ["1"] },
      { from: 3, to: 4, lines: ["2"] },
    ]);
  });

  it("is told as diff -u does, with three lines around it", () => {
    const before = joinLines(Array.from({ length: 20 }, (_one, at) => `line ${at + 1}`));
    const after = before.replace("line 5\n", "").replace("line 18\n", "line 18\nnew\n");
    expect(unifiedDiff(before, after, "SOUL.md").split("\n")).toEqual([
      "--- SOUL.md",
      "+++ SOUL.md",
      "@@ -2,7 +2,6 @@",
      ...[" line 2", " line 3", " line 4", "-line 5", " line 6", " line 7", " line 8"],
      "@@ -16,5 +15,6 @@",
      ...[" line 16", " line 17", " line 18", "+new", " line 19", " line 20"],
    ]);
    expect(unifiedDiff("", "a\n", "x")).toBe("--- x\n+++ x\n@@ -0,0 +1,1 @@\n+a");
    expect(unifiedDiff("a\n", "a\n", "x")).toBe("");
  });
});

describe("two changes of one text", () => {
  const base = "a\nb\nc\nd\n";

  it("both hold where they concern other lines, or add at the same place", () => {
    expect(mergeThreeWay(base, "a\nB\nc\nd\n", "a\nb\nc\nD\n")).toBe("a\nB\nc\nD\n");
    expect(mergeThreeWay(base, "a\nb\nc\nd\nours\n", "a\nb\nc\nd\ntheirs\n")).toBe("a\nb\nc\nd\nours\ntheirs\n");
    expect(mergeThreeWay(base, "a\nnew\nb\nc\nd\n", "a\nc\nd\n")).toBe("a\nnew\nc\nd\n");
  });

  it("are refused where they change the same lines in other ways", () => {
    expect(mergeThreeWay(base, "a\nB\nc\nd\n", "a\nX\nc\nd\n")).toBeNull();
    expect(mergeThreeWay(base, "a\nd\n", "a\nb\nnew\nc\nd\n")).toBeNull();
  });

  it("are one where they are the same, and nothing is lost where only one changed", () => {
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const [before, after] = [joinLines(a), joinLines(b)].map((text) => joinLines(splitLines(text)));
        expect(mergeThreeWay(before ?? "", after ?? "", after ?? "")).toBe(after);
        expect(mergeThreeWay(before ?? "", after ?? "", before ?? "")).toBe(after);
        expect(mergeThreeWay(before ?? "", before ?? "", after ?? "")).toBe(after);
      }),
    );
  });
});
