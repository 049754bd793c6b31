import { describe, expect, it } from "vitest";
import { parseDiffLines } from "./unified-diff.ts";

describe("a unified diff", () => {
  it("is read line by line, without its head and without its signs", () => {
    const diff = ["--- SOUL.md", "+++ SOUL.md", "@@ -4,3 +4,3 @@", " kept", "-- old point", "+- new point"].join("\n");
    expect(parseDiffLines(diff)).toEqual([
      { kind: "gap", text: "from line 4" },
      { kind: "same", text: "kept" },
      { kind: "removed", text: "- old point" },
      { kind: "added", text: "- new point" },
    ]);
  });

  it("takes a line that only looks like a head for what it is", () => {
    const diff = ["--- A", "+++ A", "@@ -1,1 +1,1 @@", "--- rule", "+++ rule"].join("\n");
    expect(parseDiffLines(diff).slice(1)).toEqual([
      { kind: "removed", text: "-- rule" },
      { kind: "added", text: "++ rule" },
    ]);
  });

  it("is nothing where nothing differs", () => {
    expect(parseDiffLines("")).toEqual([]);
  });
});
