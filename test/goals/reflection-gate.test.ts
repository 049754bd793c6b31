import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findReflectionDue, type ReflectionHistory } from "../../src/domain/goal/reflection-gate.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { HOUR } from "../../src/lib/clock.ts";
import { insertCycle, updateOpenCycle } from "../../src/store/goals/cycles.ts";
import { readReflectionCycles } from "../../src/store/goals/reflections.ts";
import { stores, withStore } from "../stores.ts";

const policy = defaultPolicy.goals;
const NOW = Date.parse("2026-05-01T12:00:00Z");

const before: ReflectionHistory = {
  ...{ reflectedAt: NOW - 9 * HOUR, wasTried: true, isLastReflection: false, executed: 3, isWorkPending: true },
};
const due = (more: Partial<ReflectionHistory>, now = NOW) => findReflectionDue({ ...before, ...more }, policy, now).due;

describe("a reflection", () => {
  it("is due for the first time once two tasks were worked on, or all that there is", () => {
    const none = { reflectedAt: null, wasTried: false, isLastReflection: false };
    const first = (executed: number, isWorkPending: boolean) => due({ ...none, executed, isWorkPending });
    expect([0, 1, 2].map((executed) => first(executed, true))).toEqual([false, false, true]);
    expect([0, 1, 2].map((executed) => first(executed, false))).toEqual([false, true, true]);
  });

  it.each([
    [8, 3, true],
    [7.99, 9, false],
    [8, 2, false],
    [47, 2, false],
    [48, 2, true],
    [48, 1, false],
  ])("after %f hours and %i executed tasks: %s", (hours, executed, isDue) => {
    expect(due({ reflectedAt: NOW - hours * HOUR, executed })).toBe(isDue);
  });

  it("comes after 48 hours without any work, if there is none to do", () => {
    expect(due({ reflectedAt: NOW - 48 * HOUR, executed: 0, isWorkPending: false })).toBe(true);
    expect(due({ reflectedAt: NOW - 47 * HOUR, executed: 0, isWorkPending: false })).toBe(false);
  });

  it("never follows another, however long ago", () => {
    expect(due({ reflectedAt: NOW - 900 * HOUR, isLastReflection: true, isWorkPending: false })).toBe(false);
  });

  it("that died does not take the turn of the work again and again", () => {
    const died = { reflectedAt: null, wasTried: true };
    expect(due({ ...died, isLastReflection: true, executed: 0 })).toBe(false);
    expect(due({ ...died, executed: 1 })).toBe(false);
    expect(due({ ...died, executed: 2 })).toBe(true);
  });

  it("comes although the clock was set back by a year", () => {
    expect(due({ reflectedAt: NOW + 8_760 * HOUR, executed: 3 })).toBe(true);
    expect(due({ reflectedAt: NOW + 8_760 * HOUR, executed: 1 })).toBe(false);
  });

  it("says why it is due, and why not", () => {
    expect(findReflectionDue(before, policy, NOW)).toEqual({
      due: true,
      why: "the last reflection was 9 hours ago; 3 tasks were worked on since",
    });
    expect(findReflectionDue({ ...before, executed: 1 }, policy, NOW).why).toBe(
      "1 task was worked on since, and there is work",
    );
  });
});

/** Which cycles reflect, if one begins at each of these times. */
function simulate(
  times: readonly number[],
  does: (cycle: number) => "execute" | "deferred" | "idle",
): readonly string[] {
  const deeds: string[] = [];
  let history: ReflectionHistory = {
    ...{ reflectedAt: null, wasTried: false, isLastReflection: false, executed: 0, isWorkPending: true },
  };
  for (const [at, now] of times.entries()) {
    const deed = does(at);
    const asked = { ...history, isWorkPending: deed !== "idle" };
    const isDue = findReflectionDue(asked, policy, now).due;
    deeds.push(isDue ? "reflect" : deed);
    if (isDue) history = { ...asked, reflectedAt: now, wasTried: true, isLastReflection: true, executed: 0 };
    else history = { ...asked, isLastReflection: false, executed: asked.executed + (deed === "execute" ? 1 : 0) };
  }
  return deeds;
}

const steady = (hours: number, count: number) => Array.from({ length: count }, (_, at) => NOW + at * hours * HOUR);

/** One in so many cycles reflects, by the rule: the first number of cycles that satisfies one of its two halves. */
function expectedPeriod(hours: number): number {
  const usual = Math.max(Math.ceil(policy.reflectHours / hours), policy.reflectExecutions + 1);
  const latest = Math.max(Math.ceil(policy.reflectLatestHours / hours), 3);
  return Math.min(usual, latest);
}

describe("the share of reflections, with work to do", () => {
  it.each([
    [1 / 12, 96],
    [1, 8],
    [4, 4],
    [24, 3],
    [168, 3],
  ])("is one in n: at a cycle each %f hours, n is %i", (hours, period) => {
    expect(expectedPeriod(hours)).toBe(period);
    const deeds = simulate(steady(hours, period * 40), () => "execute");
    expect(deeds.flatMap((deed, at) => (deed === "reflect" ? [at] : []))).toEqual(
      Array.from({ length: 40 }, (_, at) => 2 + at * period),
    );
  });

  it("is at most one in three, and the next one comes, whatever the cadence and whatever fails", () => {
    const step = fc.record({
      hours: fc.double({ min: 1 / 60, max: 200, noNaN: true }),
      deed: fc.constantFrom("execute", "execute", "execute", "deferred") as fc.Arbitrary<"execute" | "deferred">,
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 400 }), (steps) => {
        let now = NOW;
        const times = steps.map(({ hours }) => (now += hours * HOUR));
        const deeds = simulate(times, (at) => steps[at]?.deed ?? "execute");
        let executed = 0;
        let last = Number.NEGATIVE_INFINITY;
        for (const [at, deed] of deeds.entries()) {
          const isLate = (times[at] ?? 0) - last >= policy.reflectLatestHours * HOUR && executed >= 2;
          if (deed !== "reflect") {
            expect(isLate).toBe(false);
            executed += deed === "execute" ? 1 : 0;
            continue;
          }
          expect(executed).toBeGreaterThanOrEqual(2);
          executed = 0;
          last = times[at] ?? 0;
        }
        const reflections = deeds.filter((deed) => deed === "reflect").length;
        expect(reflections).toBeLessThanOrEqual(Math.floor(deeds.length / 3));
      }),
      { seed: 17, numRuns: 200 },
    );
  });
});

describe.each(stores)("what the gate reads on $name", (kind) => {
  it("is the last cycle that reflected, by number, and what was worked on since", () =>
    withStore(kind, async ({ db }) => {
      let count = 0;
      const cycle = async (
        action: "execute" | "reflect" | "idle",
        outcome: "verified" | "failed" | "deferred" | "lost" | "reflected" | "nothing",
        endedAt = count,
      ) => {
        const begun = await insertCycle(db, { id: `c${++count}`, beganAt: endedAt, worker: "w" });
        await updateOpenCycle(db, { ...begun, action, outcome, endedAt });
      };
      const read = () => readReflectionCycles(db, { most: 3 });
      expect(await read()).toEqual({ reflectedAt: null, wasTried: false, isLastReflection: false, executed: 0 });
      await cycle("execute", "verified");
      await cycle("reflect", "reflected", 5_000);
      expect(await read()).toEqual({ reflectedAt: 5_000, wasTried: true, isLastReflection: true, executed: 0 });
      await cycle("execute", "verified", 4_000);
      await cycle("execute", "deferred");
      await cycle("execute", "lost");
      await cycle("idle", "nothing");
      await cycle("execute", "failed");
      expect(await read()).toEqual({ reflectedAt: 5_000, wasTried: true, isLastReflection: false, executed: 2 });
      await cycle("reflect", "lost");
      expect(await read()).toEqual({ reflectedAt: 5_000, wasTried: true, isLastReflection: true, executed: 0 });
      for (let more = 0; more < 9; more++) await cycle("execute", "verified");
      expect((await read()).executed).toBe(3);
      // The cycle that asks has not ended.
      await insertCycle(db, { id: "open", beganAt: 9_000, worker: "w" });
      expect((await read()).executed).toBe(3);
    }));
});
