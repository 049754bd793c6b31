import { describe, expect, it } from "vitest";
import { badSignals, goodSignals } from "./signal-samples.ts";
import { goodSignal, judgeSignal } from "../../src/domain/signal.ts";

type Sample = readonly [pattern: string, signal: string];

const half = (samples: readonly Sample[], which: 0 | 1) => samples.filter((_, at) => at % 2 === which);

function judged(which: 0 | 1) {
  const taken = (samples: readonly Sample[]) =>
    half(samples, which).map(([pattern, signal]) => judgeSignal({ pattern, signal }).kind === "signal");
  const good = taken(goodSignals);
  const bad = taken(badSignals);
  return {
    goodTaken: good.filter(Boolean).length / good.length,
    badRefused: bad.filter((one) => !one).length / bad.length,
    right: (good.filter(Boolean).length + bad.filter((one) => !one).length) / (good.length + bad.length),
  };
}

describe("a mistake's signal", () => {
  it("is told from a slogan on the half of the samples the law was not developed on", () => {
    expect(goodSignals.length).toBeGreaterThanOrEqual(60);
    expect(badSignals.length).toBeGreaterThanOrEqual(60);
    const developed = judged(0);
    const measured = judged(1);
    process.stdout.write(
      `signals: ${(100 * developed.right).toFixed(0)} % right where developed, ${(100 * measured.right).toFixed(0)} % where not (good taken ${(100 * measured.goodTaken).toFixed(0)} %, bad refused ${(100 * measured.badRefused).toFixed(0)} %)\n`,
    );
    expect(developed.right).toBeGreaterThanOrEqual(0.95);
    expect(measured.right).toBeGreaterThanOrEqual(0.85);
  });

  it.each([
    ["not-verifying", "no verification", "repeats the pattern's name"],
    ["not-verifying", "I skipped the verification", "repeats the pattern's name"],
    ["rushing", "should have been careful", "says nothing that could have been seen"],
    ["rushing", "", "says nothing that could have been seen"],
    ["stale-build", "Next time I will rebuild the project", "says what to do"],
    ["duplicate-work", "I did not look whether the function existed", "what you did or left out"],
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

  it("shows examples that it takes itself", () => {
    const examples = goodSignal.split(/such as: |; or: /).slice(1);
    expect(examples).toHaveLength(3);
    for (const signal of examples)
      expect(judgeSignal({ pattern: "not-verifying", signal })).toEqual({ kind: "signal" });
  });
});
