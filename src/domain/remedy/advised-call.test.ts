import { describe, expect, it } from "vitest";
import { followsAdvice, readAdvice } from "./advised-call.ts";

describe("a call that a sentence advises", () => {
  it.each([
    ["Use `cat conf/a.yaml` here: there is no `config/a.yaml` (failed 4 of 4).", "cat -n ./conf/a.yaml", true],
    ["Use `cat conf/a.yaml` here: there is no `config/a.yaml` (failed 4 of 4).", "cat conf/b.yaml", false],
    ["Use `conf/a.yaml` here: there is no `config/a.yaml` (failed 4 of 4).", "grep -n x conf/a.yaml", true],
    ["Use `render --output` here: `render` has no option `--dest` (failed 4 of 4).", "render x --output=y", true],
    ["Use `render --output` here: `render` has no option `--dest` (failed 4 of 4).", "print x --output y", false],
    ["Use `--to` instead of `--dest` here: no such option (failed 4 of 4).", "render x --to y", true],
    [
      "Run `bun test`, not `npm test`: it worked where `npm test` had failed, 3 times in 2 sessions.",
      "bun test a",
      true,
    ],
  ])("%s %s: %s", (text, call, expected) => {
    const advice = readAdvice(text);
    expect(advice !== null && followsAdvice(advice, call)).toBe(expected);
  });

  it("is none where a sentence only says what fails", () =>
    expect(readAdvice("Do not use `--dest` with `render` here: it has no such option (failed 4 of 4).")).toBe(null));
});
