import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findBlock, withBlock, withoutBlock } from "./marked-block.ts";

const marks = { begin: "<!-- begin -->", end: "<!-- end -->" };

const texts = fc
  .array(fc.constantFrom("a", "# Title", " ", "\n", "\r\n", "\n\n", "é", "<!--"), { maxLength: 12 })
  .map((parts) => parts.join(""));

describe("a marked block", () => {
  it("goes in and out of any text to the byte", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const marked = withBlock(text, "- one\n- two", marks);
        expect(withoutBlock(marked ?? "", marks)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the same when it is put in again, and changes only itself when its body changes", () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const once = `${withBlock(before, "- one", marks) ?? ""}${after}`;
        const same = withBlock(once, "- one", marks);
        // Text added after the block may use other line ends; the block then follows them.
        expect(withBlock(same ?? "", "- one", marks)).toBe(same);
        const other = withBlock(once, "- two", marks) ?? "";
        const from = findBlock(other, marks);
        expect(from.kind).toBe("one");
        expect(other.startsWith(before)).toBe(true);
        expect(other.endsWith(after)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("stays where its owner moved it", () => {
    const moved = "# Mine\n\n<!-- begin -->\n- one\n<!-- end -->\n\nLast words.\n";
    expect(withBlock(moved, "- two", marks)).toBe(moved.replace("one", "two"));
    expect(withoutBlock(moved, marks)).toBe("# Mine\n\nLast words.\n");
  });

  it.each([
    ["has no end", "<!-- begin -->\n- one\n"],
    ["has no beginning", "- one\n<!-- end -->\n"],
    ["is there twice", "<!-- begin -->\n<!-- end -->\n<!-- begin -->\n<!-- end -->\n"],
    ["stands on its head", "<!-- end -->\n<!-- begin -->\n"],
  ])("is left alone where it %s", (_what, text) => {
    expect(withBlock(text, "- two", marks)).toBeNull();
    expect(withoutBlock(text, marks)).toBeNull();
  });
});
