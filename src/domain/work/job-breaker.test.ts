import { describe, expect, it } from "vitest";
import { addJobFailure, breakerState, closedBreaker, type JobBreaker } from "./job-breaker.ts";

const policy = { failures: 3, openMs: 1_000 };

function failTimes(times: readonly number[]): { readonly breaker: JobBreaker; readonly alerts: readonly boolean[] } {
  let breaker = closedBreaker;
  const alerts = times.map((now) => {
    const next = addJobFailure(breaker, now, policy);
    breaker = next.breaker;
    return next.alerts;
  });
  return { breaker, alerts };
}

describe("the breaker of a job", () => {
  it("opens with the third failure in a row", () => {
    expect(breakerState(failTimes([1, 2]).breaker, 2, policy)).toBe("closed");
    expect(breakerState(failTimes([1, 2, 3]).breaker, 3, policy)).toBe("open");
  });

  it("is half-open after its time, and open again after a failed trial", () => {
    const { breaker } = failTimes([1, 2, 3]);
    expect(breakerState(breaker, 1_002, policy)).toBe("open");
    expect(breakerState(breaker, 1_003, policy)).toBe("half-open");
    const { breaker: again } = addJobFailure(breaker, 1_500, policy);
    expect(breakerState(again, 2_499, policy)).toBe("open");
    expect(breakerState(again, 2_500, policy)).toBe("half-open");
  });

  it("alerts the owner once, however often it opens", () => {
    expect(failTimes([1, 2, 3, 2_000, 4_000]).alerts).toEqual([false, false, true, false, false]);
  });
});
