import { describe, expect, it } from "vitest";
import { badSignals, goodSignals, harderBad, harderGood, unseenBad, unseenGood } from "./signal-samples.ts";
import { goodSignal, judgeSignal } from "../../src/domain/ledger/signal.ts";

type Sample = readonly [pattern: string, signal: string];

const half = (samples: readonly Sample[], which: 0 | 1) => samples.filter((_, at) => at % 2 === which);

function judged(goodOnes: readonly Sample[], badOnes: readonly Sample[]) {
  const taken = (samples: readonly Sample[]) =>
    samples.filter(([pattern, signal]) => judgeSignal({ pattern, signal }).kind === "signal").length;
  const refused = badOnes.length - taken(badOnes);
  const right = (taken(goodOnes) + refused) / (goodOnes.length + badOnes.length);
  const summary = `${(100 * right).toFixed(0)} % right (${taken(goodOnes)} of ${goodOnes.length} good taken, ${refused} of ${badOnes.length} bad refused)`;
  return { right, summary };
}

describe("a mistake's signal", () => {
  it("is told from a slogan on the half of the samples the law was not developed on", () => {
    expect(goodSignals.length).toBeGreaterThanOrEqual(60);
    expect(badSignals.length).toBeGreaterThanOrEqual(60);
    const developed = judged([...half(goodSignals, 0), ...harderGood], [...half(badSignals, 0), ...harderBad]);
    const measured = judged(half(goodSignals, 1), half(badSignals, 1));
    const unseen = judged(unseenGood, unseenBad);
    process.stdout.write(
      `signals: where developed ${developed.summary}; other half ${measured.summary}; written later ${unseen.summary}\n`,
    );
    expect(developed.right).toBeGreaterThanOrEqual(0.95);
    expect(measured.right).toBeGreaterThanOrEqual(0.9);
    expect(unseen.right).toBeGreaterThanOrEqual(0.85);
  });

  it.each([
    ["not-verifying", "no verification", "repeats the pattern's name"],
    ["not-verifying", "I skipped the verification", "repeats the pattern's name"],
    ["rushing", "should have been careful", "names nothing that was visible"],
    ["rushing", "", "names nothing that was visible"],
    ["stale-build", "Next time I will rebuild the project", "says what to do"],
    ["duplicate-work", "I did not look whether the function existed", "what you did or omitted"],
    ["silent-failure", "the import log", "which words, which number, which file"],
  ])("%s: %j is refused and told why", (pattern, signal, why) => {
    const verdict = judgeSignal({ pattern, signal });
    expect(verdict.kind === "slogan" ? verdict.why : "taken").toContain(why);
  });

  it("may not be what should have been done, said twice", () => {
    const shouldHave = "read pnpm-lock.yaml in the root before installing";
    const verdict = judgeSignal({ pattern: "wrong-tool", shouldHave, signal: "read pnpm-lock.yaml before installing" });
    expect(verdict).toEqual({ kind: "slogan", why: "it only repeats what should have been done" });
  });

  it.each([
    "npm error Missing script: tests",
    "npm ERR! missing script: tests",
    "fatal: not a git repository",
    "error: unknown option --env",
    "ModuleNotFoundError: No module named pytest",
    "bash: pnpm: command not found",
    "Uncaught TypeError: cart is undefined",
  ])("may be a line of output, word for word: %s", (signal) => {
    expect(judgeSignal({ pattern: "wrong-name", signal, shouldHave: "read package.json first" })).toEqual({
      kind: "signal",
    });
  });

  it.each(["my error: I was careless", "the mistake: not thinking", "the error was: I did not look"])(
    "is no line of output because it has a colon: %s",
    (signal) => {
      expect(judgeSignal({ pattern: "rushing", signal }).kind).toBe("slogan");
    },
  );

  it("shows examples that it takes itself", () => {
    const examples = goodSignal.split(/such as: |; or: /).slice(1);
    expect(examples).toHaveLength(3);
    for (const signal of examples)
      expect(judgeSignal({ pattern: "not-verifying", signal })).toEqual({ kind: "signal" });
  });
});
