import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countEntryCharacters, diffEntries, fitsInEntry, parseEntries, renderEntries } from "./memory-file.ts";

const entry = fc
  .string({ unit: "grapheme" })
  .map((text) => text.trim())
  .filter((text) => text !== "" && fitsInEntry(text));

describe("a memory file", () => {
  it("gives back the entries it was made of, also with other line ends", () => {
    fc.assert(
      fc.property(fc.array(entry.filter((text) => !text.includes("\r"))), (entries) => {
        const text = renderEntries(entries);
        expect(parseEntries(text)).toEqual(entries);
        expect(parseEntries(`\ufeff${text.replaceAll("\n", "\r\n")}`)).toEqual(entries);
      }),
    );
    expect(renderEntries(["a", "b"])).toBe("a\n§\nb\n");
    expect(countEntryCharacters(["a", "b"])).toBe(5);
  });

  it("takes no text that would come back as two", () => {
    expect(fitsInEntry("a\n§\nb")).toBe(false);
    expect(fitsInEntry("a § b")).toBe(true);
    expect(fitsInEntry("  ")).toBe(false);
  });

  it("tells edits from additions and removals, in the order of the file", () => {
    const known = [
      { id: "1", text: "The owner prefers Rust" },
      { id: "2", text: "Deploys go through staging" },
      { id: "3", text: "Tests run with pnpm" },
    ];
    expect(diffEntries(known, ["Tests run with pnpm", "Something new", "The owner prefers Zig"])).toEqual({
      edited: [{ id: "1", text: "The owner prefers Zig" }],
      added: ["Something new"],
      removed: [known[1]],
      order: [
        { id: "3", text: "Tests run with pnpm" },
        { id: null, text: "Something new" },
        { id: "1", text: "The owner prefers Zig" },
      ],
    });
  });

  it("sees no edit where there is none", () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const known = entries.map((text, index) => ({ id: String(index), text }));
        expect(diffEntries(known, entries)).toMatchObject({ edited: [], added: [], removed: [] });
      }),
    );
  });
});
