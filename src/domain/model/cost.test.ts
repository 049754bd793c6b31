import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StoredPrice } from "./call-row.ts";
import { boundInputTokens, costOf, worstCost } from "./cost.ts";
import { formatDollars, toDollars, toNanos, toNanosUp } from "./money.ts";
import { boundTokens } from "./token-bound.ts";

const sonnet: StoredPrice = {
  ...{ in: 3, out: 15, cached: 0.3, cacheWrite: 3.75, cacheWrite1h: 6, from: "2026-09-23" },
  tiers: [{ above: 200_000, in: 6, out: 22.5, cached: 0.6, cacheWrite: 7.5, cacheWrite1h: 12 }],
};
const none = { in: 0, out: 0, cached: 0, cacheWrite: 0, reasoning: 0 };

describe("the cost of a call", () => {
  it("counts cached, written and plain tokens of the prompt at their own prices", () => {
    const usage = { ...none, in: 10_000, cached: 6_000, cacheWrite: 3_000, cacheWrite1h: 1_000, out: 100 };
    const dollars = (1_000 * 3 + 6_000 * 0.3 + 2_000 * 3.75 + 1_000 * 6 + 100 * 15) / 1e6;
    expect(costOf(sonnet, usage)).toBeCloseTo(dollars, 12);
  });

  it("is that of the higher tier for the whole call, once the prompt is long", () => {
    expect(costOf(sonnet, { ...none, in: 200_000, out: 10 })).toBeCloseTo((200_000 * 3 + 150) / 1e6, 12);
    expect(costOf(sonnet, { ...none, in: 200_001, out: 10 })).toBeCloseTo((200_001 * 6 + 225) / 1e6, 12);
  });

  it("is never above the worst case, however the prompt is split between the kinds of tokens", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const run = fc.property(fc.nat(400_000), fc.nat(100_000), share, share, share, (input, out, a, b, c) => {
      const cached = Math.floor(input * a);
      const cacheWrite = Math.floor((input - cached) * b);
      const usage = { ...none, in: input, out, cached, cacheWrite, cacheWrite1h: Math.floor(cacheWrite * c) };
      const worst = worstCost(sonnet, { inputTokens: input, maxTokens: out, cacheWrites: "hour" });
      expect(costOf(sonnet, usage)).toBeLessThanOrEqual(worst + 1e-12);
    });
    fc.assert(run, { numRuns: 300 });
  });

  it("is added up in whole billionths, and a reservation is rounded up", () => {
    expect([toNanos(0.1) + toNanos(0.2), toNanos(0.3)]).toEqual([300_000_000, 300_000_000]);
    expect([toNanosUp(0.1), toNanosUp(1e-10), toNanosUp(0)]).toEqual([100_000_000, 1, 0]);
    expect(toDollars(toNanos(123.456789))).toBe(123.456789);
    expect([0, 0.0031, 0.000_02, 1.257, 20].map(formatDollars)).toEqual([
      "$0",
      "$0.0031",
      "$0.000020",
      "$1.26",
      "$20.00",
    ]);
  });
});

describe("the bound of a text's tokens", () => {
  // The highest count among o200k, cl100k, Claude's and Llama 3's tokenizer, and Gemini's.
  it.each([
    ["prose", "The quick brown fox jumps over the lazy dog, and nobody asked why.", 15],
    ["code", "export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {\n  return a;\n}\n", 26],
    ["base64", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", 31],
    ["hex", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 59],
    ["minified", '{"a":[1,2,3],"b":{"c":null,"d":[{"e":"f"},{"g":"h"}]},"i":0.5}', 35],
    ["Chinese", "请帮我检查一下这个函数为什么返回空值，并写一个测试。", 23],
    ["Russian", "Проверь, пожалуйста, почему эта функция возвращает пустое значение.", 33],
    ["Hindi", "कृपया जांचें कि यह फ़ंक्शन खाली मान क्यों लौटाता है।", 59],
    ["emoji", "🎉🚀👩‍💻✅", 15],
  ])("holds for %s, and is at most three times the count", (_kind, text, tokens) => {
    expect(boundTokens(text)).toBeGreaterThanOrEqual(tokens);
    expect(boundTokens(text)).toBeLessThanOrEqual(3 * tokens);
  });

  it("is not below that of a part, and counts every text of a request", () => {
    const run = fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      expect(boundTokens(a + b)).toBeGreaterThanOrEqual(boundTokens(a));
    });
    fc.assert(run, { numRuns: 200 });
    const long = "word ".repeat(100);
    const request = {
      system: long,
      messages: [
        { parts: [{ kind: "text", text: long }] },
        { parts: [{ kind: "tool-call", id: "1", name: "Read", input: { path: long } }] },
        { parts: [{ kind: "tool-result", id: "1", name: "Read", text: long, isError: false }] },
      ],
      tools: [{ name: "Read", description: long, input: {} }],
    };
    expect(boundInputTokens(request)).toBeGreaterThan(5 * 100);
    expect(boundInputTokens(long)).toBeGreaterThan(100);
  });
});
