import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newLazySegmenter } from "./lazy-segmenter.ts";

describe("a lazy segmenter", () => {
  const real = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const lazy = newLazySegmenter("grapheme");
  const simple = fc.string({ unit: fc.constantFrom(..." ~azA0.,-_©®·×éßſʰ‐–—…─│╭╯╳") });
  const any = fc.string({ unit: "grapheme" });

  it("finds the same graphemes as Unicode's rules, in simple text and in any other", () => {
    fc.assert(
      fc.property(fc.oneof(simple, any, fc.string({ unit: "binary" })), (text) => {
        expect([...lazy.segment(text)]).toEqual([...real.segment(text)]);
      }),
      { numRuns: 500 },
    );
  });

  it("finds the same words", () => {
    const words = new Intl.Segmenter(undefined, { granularity: "word" });
    for (const text of ["make the docs", "grüße, Welt", "東京に行く", ""])
      expect([...newLazySegmenter("word").segment(text)]).toEqual([...words.segment(text)]);
  });

  it("makes no real one for simple text", () => {
    const made = Intl.Segmenter;
    try {
      const value = function refuse() {
        throw new Error("made one");
      };
      Object.defineProperty(Intl, "Segmenter", { value, configurable: true, writable: true });
      const fresh = newLazySegmenter("grapheme");
      expect([...fresh.segment("── oldhand · ask …")]).toHaveLength(18);
      expect(() => fresh.segment("👩‍👩‍👧")).toThrow("made one");
    } finally {
      Object.defineProperty(Intl, "Segmenter", { value: made, configurable: true, writable: true });
    }
  });
});
