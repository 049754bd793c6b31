import { describe, expect, it } from "vitest";
import { describeWait } from "./describe-wait.ts";

describe("why a provider is waited for", () => {
  it.each([
    ["overloaded", 529, "it is overloaded"],
    ["overloaded", 503, "it is overloaded"],
    ["overloaded", null, "it is overloaded"],
    ["overloaded", 500, "it answers 500"],
    ["malformed", null, "the answer cannot be read"],
    ["rate-limited", 429, "rate limit"],
  ] as const)("is said in words: %s, %s", (kind, status, words) => {
    expect(describeWait({ kind, status })).toBe(words);
  });
});
