import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addFailure,
  addSuccess,
  type Breaker,
  type BreakerPolicy,
  getBreakerState,
  newBreaker,
  takeProbe,
  waitsUntil,
} from "./breaker.ts";
import { modelFailureKinds } from "./failure.ts";

const policy: BreakerPolicy = { failures: 3, burstMs: 100, openMs: 1_000, maxOpenMs: 10_000, probeMs: 500 };
const overloaded = { kind: "overloaded", retryAfterMs: null } as const;

function failTimes(breaker: Breaker, times: number, now: number): Breaker {
  let after = breaker;
  for (let n = 0; n < times; n++) after = addFailure(after, overloaded, now - (times - 1 - n) * policy.burstMs, policy);
  return after;
}

describe("a breaker", () => {
  it("opens after so many failures in a row, and a success in between starts the count again", () => {
    const two = failTimes(newBreaker("a"), 2, 0);
    expect(getBreakerState(two, 0)).toBe("closed");
    expect(getBreakerState(failTimes(addSuccess(two), 2, 0), 0)).toBe("closed");
    expect(getBreakerState(failTimes(two, 1, 100), 100)).toBe("open");
  });

  it("names a refused key as soon as a person's try meets it, also while it is open for another reason", () => {
    const open = failTimes(newBreaker("a"), 3, 0);
    const tried = addFailure(open, { kind: "auth", retryAfterMs: null }, 500, policy);
    expect(tried).toMatchObject({ why: "auth", until: open.until });
    expect(addFailure(tried, overloaded, 700, policy).why).toBe("auth");
  });

  it("names the latest trouble while it is open: a server that is gone now, or that came back and fails otherwise", () => {
    const open = failTimes(newBreaker("a"), 3, 0);
    const gone = addFailure(open, { kind: "unreachable", retryAfterMs: null }, 500, policy);
    expect(gone).toMatchObject({ why: "unreachable", until: open.until });
    expect(addFailure(gone, { kind: "cut-off", retryAfterMs: null }, 700, policy).why).toBe("cut-off");
  });

  it("counts failures of calls at the same time as one", () => {
    let breaker = newBreaker("a");
    for (let n = 0; n < 200; n++) breaker = addFailure(breaker, overloaded, n % 100, policy);
    expect(breaker.failures).toBe(1);
    expect(addFailure(breaker, overloaded, 100, policy).failures).toBe(2);
  });

  it("keeps a caller without another provider waiting for openMs at most, however often it opened", () => {
    expect(waitsUntil(newBreaker("a"), policy)).toBeNull();
    let breaker = failTimes(newBreaker("a"), 3, 0);
    for (const now of [1_000, 2_000, 3_000]) {
      expect(waitsUntil(breaker, policy)).toBe(now);
      breaker = addFailure(breaker, overloaded, now, policy);
    }
    expect(breaker.until).toBeGreaterThan(4_000);
  });

  it("lets one call through when its time is over, and no second one while that call runs", () => {
    const open = failTimes(newBreaker("a"), 3, 0);
    expect(takeProbe(open, { now: 999, by: "me" }, policy)).toBeNull();
    const probing = takeProbe(open, { now: 1_000, by: "me" }, policy);
    expect(probing).not.toBeNull();
    expect(takeProbe(probing as Breaker, { now: 1_499, by: "me" }, policy)).toBeNull();
    expect(takeProbe(probing as Breaker, { now: 1_500, by: "me" }, policy)).not.toBeNull();
  });

  it("closes when that call succeeds, and opens for twice as long when it fails", () => {
    const probing = takeProbe(failTimes(newBreaker("a"), 3, 0), { now: 1_000, by: "me" }, policy) as Breaker;
    expect(getBreakerState(addSuccess(probing), 1_000)).toBe("closed");
    const again = addFailure(probing, overloaded, 1_100, policy);
    expect(getBreakerState(again, 3_099)).toBe("open");
    expect(getBreakerState(again, 3_100)).toBe("half-open");
  });

  it("opens at once when the key is wrong or the credit is used up", () => {
    for (const kind of ["auth", "quota"] as const)
      expect(getBreakerState(addFailure(newBreaker("a"), { kind, retryAfterMs: null }, 0, policy), 0)).toBe("open");
  });

  it("stays open as long as the provider asks for, within its bound", () => {
    const limited = { kind: "quota", retryAfterMs: 5_000 } as const;
    expect(addFailure(newBreaker("a"), limited, 0, policy).until).toBe(5_000);
    expect(addFailure(newBreaker("a"), { ...limited, retryAfterMs: 99_000 }, 0, policy).until).toBe(10_000);
  });

  it("does not open for requests that are wrong, however many", () => {
    let breaker = newBreaker("a");
    for (const kind of ["bad-request", "too-long", "refused", "malformed", "no-such-model", "aborted", "cap"] as const)
      for (let n = 0; n < 5; n++) breaker = addFailure(breaker, { kind, retryAfterMs: null }, 0, policy);
    expect(getBreakerState(breaker, 0)).toBe("closed");
  });

  it("is never open for longer than its bound, whatever happened", () => {
    const step = fc.record({ kind: fc.constantFrom(...modelFailureKinds, "ok" as const), ms: fc.nat(5_000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let now = 0;
        let breaker = newBreaker("a");
        for (const { kind, ms } of steps) {
          now += ms;
          if (getBreakerState(breaker, now) === "open") continue;
          breaker = takeProbe(breaker, { now: now, by: "me" }, policy) ?? breaker;
          breaker =
            kind === "ok" ? addSuccess(breaker) : addFailure(breaker, { kind, retryAfterMs: null }, now, policy);
          expect(getBreakerState(breaker, now + policy.maxOpenMs)).not.toBe("open");
        }
      }),
    );
  });
});
