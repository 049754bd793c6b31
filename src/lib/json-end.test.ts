import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newJsonEndDetector } from "./json-end.ts";

describe("the end of a JSON text", () => {
  it("is its last byte, however the bytes are cut", () => {
    const values = fc.oneof(fc.object({ maxDepth: 4 }), fc.array(fc.jsonValue()));
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 7 }), (value, size) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const isWhole = newJsonEndDetector();
        for (let at = 0; at < bytes.length; at += size) {
          const isLast = at + size >= bytes.length;
          expect(isWhole(bytes.subarray(at, at + size))).toBe(isLast);
        }
      }),
    );
  });

  it("is not known of a text that is neither object nor list", () => {
    expect(["12", '"a"', "true", ""].map((text) => newJsonEndDetector()(Buffer.from(text)))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
