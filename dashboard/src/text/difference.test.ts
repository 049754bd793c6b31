import { describe, expect, it } from "vitest";
import { listDifferencesBetween } from "./difference.ts";

describe("differences", () => {
  it("names only the fields that differ, by their path", () => {
    const before = { text: "a", evidence: { sessions: 1, first: 5 }, tags: ["x"] };
    const after = { text: "a", evidence: { sessions: 2, first: 5 }, tags: ["x", "y"] };
    expect(listDifferencesBetween(before, after)).toEqual([
      { kind: "changed", path: "evidence.sessions", before: 1, after: 2 },
      { kind: "changed", path: "tags", before: ["x"], after: ["x", "y"] },
    ]);
  });

  it("shows what came into being field by field, without the empty ones", () => {
    expect(listDifferencesBetween(null, { text: "a", matcher: null })).toEqual([
      { kind: "added", path: "text", after: "a" },
    ]);
  });

  it("shows what went away", () => {
    expect(listDifferencesBetween({ text: "a" }, null)).toEqual([{ kind: "removed", path: "text", before: "a" }]);
  });

  it("finds nothing where nothing changed", () => {
    expect(listDifferencesBetween({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([]);
    expect(listDifferencesBetween(null, undefined)).toEqual([]);
  });

  it("compares plain values too", () => {
    expect(listDifferencesBetween("a", "b")).toEqual([{ kind: "changed", path: "", before: "a", after: "b" }]);
  });
});
