import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routePolicy } from "./policy.ts";
import { addCall, addOutcome, fadeTally, newTally, type Tally } from "./tally.ts";

const DAY_MS = 86_400_000;
const empty = newTally({ taskType: "triage", complexity: "simple", model: "small", attempt: "first" }, 0);

const outcome = fc.record({
  quality: fc.double({ min: 0, max: 1, noNaN: true }),
  verified: fc.boolean(),
  at: fc.integer({ min: 0, max: 400 * DAY_MS }),
});

describe("a tally of a model at one kind of task", () => {
  it("adds up calls at once and outcomes when they are known", () => {
    const called = addCall(empty, { cost: 0.5, costRatio: 1, latencyMs: 800, explored: true, at: 0 }, routePolicy);
    expect(called).toMatchObject({ tries: 1, explored: 1, calls: 1, cost: 0.5, latencyMs: 800, outcomes: 0 });
    expect(addOutcome(called, { quality: 0.8, verified: true, at: 0 }, routePolicy)).toMatchObject({
      outcomes: 1,
      quality: 0.8,
      tries: 1,
    });
  });

  it("counts a guessed outcome for less than a verified one", () => {
    const guessed = addOutcome(empty, { quality: 1, verified: false, at: 0 }, routePolicy);
    expect(guessed.outcomes).toBe(routePolicy.guessWeight);
    expect(guessed.quality).toBe(routePolicy.guessWeight);
  });

  it("counts half of an outcome after the half-life, and never forgets how often a model was tried", () => {
    const old = addOutcome(
      addCall(empty, { cost: 1, costRatio: 1, latencyMs: 0, explored: false, at: 0 }, routePolicy),
      { quality: 1, verified: true, at: 0 },
      routePolicy,
    );
    const later = fadeTally(old, routePolicy.halfLifeDays * DAY_MS, routePolicy);
    expect(later).toMatchObject({ outcomes: 0.5, quality: 0.5, calls: 0.5, cost: 0.5, tries: 1 });
  });

  it("fades nothing when the clock goes back", () => {
    const tally: Tally = { ...empty, outcomes: 3, quality: 2, at: DAY_MS };
    expect(fadeTally(tally, 0, routePolicy)).toEqual(tally);
  });

  it("never holds more outcomes than its memory, nor more quality than outcomes", () => {
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 150 }), (outcomes) => {
        const tally = outcomes.reduce((before, one) => addOutcome(before, one, routePolicy), empty);
        expect(tally.outcomes).toBeLessThanOrEqual(routePolicy.memory + 1e-9);
        expect(tally.quality).toBeLessThanOrEqual(tally.outcomes + 1e-9);
        expect(tally.quality).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("is the same after the same outcomes, also when it was stored as JSON in between", () => {
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 30 }), (outcomes) => {
        const straight = outcomes.reduce((before, one) => addOutcome(before, one, routePolicy), empty);
        const stored = outcomes.reduce<Tally>(
          (before, one) => JSON.parse(JSON.stringify(addOutcome(before, one, routePolicy))) as Tally,
          empty,
        );
        expect(stored).toEqual(straight);
      }),
    );
  });

  it("moves to what a model does now, whatever it did before", () => {
    let tally = empty;
    for (let n = 0; n < 500; n++) tally = addOutcome(tally, { quality: 1, verified: true, at: 0 }, routePolicy);
    for (let n = 0; n < 100; n++) tally = addOutcome(tally, { quality: 0, verified: true, at: 0 }, routePolicy);
    expect(tally.quality / tally.outcomes).toBeLessThan(0.2);
  });
});
