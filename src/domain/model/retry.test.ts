import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { modelFailureKinds } from "./failure.ts";
import { afterFailure, type HealingPolicy, type HealingState } from "./retry.ts";

const policy: HealingPolicy = { retries: 2, attempts: 5, baseMs: 100, maxWaitMs: 2_000 };
const fresh: HealingState = {
  triesHere: 1,
  attempts: 1,
  hasBegun: false,
  mayRestart: false,
  hasNext: true,
  untried: 1,
};
const middle = () => 0.5;
const next = { kind: "next", laterMs: null };

describe("after a failed attempt", () => {
  it("the same model is tried again after a wait that doubles, and then the next model", () => {
    const overloaded = { kind: "overloaded", retryAfterMs: null } as const;
    expect(afterFailure(overloaded, fresh, policy, middle)).toEqual({ kind: "retry", waitMs: 100 });
    const second = { ...fresh, triesHere: 2, attempts: 2, untried: 0 };
    expect(afterFailure(overloaded, second, policy, middle)).toEqual({ kind: "retry", waitMs: 200 });
    expect(afterFailure(overloaded, { ...second, triesHere: 3, attempts: 3 }, policy, middle)).toEqual(next);
  });

  it("every other model has its first attempt before the third of this one, and before the attempts are used up", () => {
    const overloaded = { kind: "overloaded", retryAfterMs: null } as const;
    const second = { ...fresh, triesHere: 2, attempts: 2 };
    expect(afterFailure(overloaded, second, policy, middle)).toEqual({ kind: "next", laterMs: 200 });
    expect(afterFailure(overloaded, { ...fresh, untried: 3 }, policy, middle).kind).toBe("retry");
    expect(afterFailure(overloaded, { ...fresh, untried: 4 }, policy, middle).kind).toBe("next");
  });

  it("a server that cannot be reached is tried once more, not twice, if another model is left", () => {
    const gone = { kind: "unreachable", retryAfterMs: null } as const;
    const alone = { ...fresh, hasNext: false, untried: 0 };
    expect(afterFailure(gone, alone, policy, middle).kind).toBe("retry");
    expect(afterFailure(gone, { ...alone, triesHere: 2 }, policy, middle).kind).toBe("retry");
    expect(afterFailure(gone, { ...fresh, triesHere: 2 }, policy, middle)).toEqual(next);
  });

  it("a provider that asks to wait is given at least that time, or left if that is too long", () => {
    const wait = (retryAfterMs: number) => afterFailure({ kind: "rate-limited", retryAfterMs }, fresh, policy, () => 0);
    expect(wait(1_500)).toEqual({ kind: "retry", waitMs: 1_500 });
    expect(wait(2_001)).toEqual(next);
  });

  it("a refusal, a retired model, a missing key and used-up credit go to the next model at once", () => {
    for (const kind of ["refused", "no-such-model", "auth", "quota", "too-long"] as const)
      expect(afterFailure({ kind, retryAfterMs: null }, fresh, policy, middle)).toEqual(next);
  });

  it("a timeout goes to another model, and to the same one only if there is no other", () => {
    const late = { kind: "timeout", retryAfterMs: null } as const;
    expect(afterFailure(late, fresh, policy, middle)).toEqual(next);
    expect(afterFailure(late, { ...fresh, hasNext: false, untried: 0 }, policy, middle).kind).toBe("retry");
  });

  it("nothing follows once the caller has a part of the answer, unless the caller allows it", () => {
    const cut = { kind: "cut-off", retryAfterMs: null } as const;
    expect(afterFailure(cut, { ...fresh, hasBegun: true }, policy, middle).kind).toBe("give-up");
    expect(afterFailure(cut, { ...fresh, hasBegun: true, mayRestart: true }, policy, middle).kind).toBe("retry");
  });

  it("always ends: no call has more attempts than allowed, and no wait is longer than allowed", () => {
    const retryAfterMs = fc.option(fc.nat(100_000));
    const failure = fc.record({ kind: fc.constantFrom(...modelFailureKinds), retryAfterMs });
    fc.assert(
      fc.property(
        fc.infiniteStream(failure),
        fc.nat(6),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (failures, models, numbers) => {
          let [attempts, triesHere, left] = [1, 1, models];
          for (;;) {
            const state = { ...fresh, attempts, triesHere, hasNext: left > 0, untried: left };
            const healing = afterFailure(failures.next().value, state, policy, () => numbers.next().value);
            if (healing.kind === "give-up") break;
            attempts++;
            expect(attempts).toBeLessThanOrEqual(policy.attempts);
            if (healing.kind === "retry") {
              expect(healing.waitMs).toBeLessThanOrEqual(policy.maxWaitMs + policy.baseMs);
              expect(++triesHere).toBeLessThanOrEqual(policy.retries + 1);
            } else {
              left--;
              triesHere = 1;
            }
          }
        },
      ),
    );
  });
});
