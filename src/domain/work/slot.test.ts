import { describe, expect, it } from "vitest";
import { closedBreaker, type JobBreaker } from "./job-breaker.ts";
import type { LatePolicy } from "./job.ts";
import { decideForeignSlots, decideSlots, type SlotSituation } from "./slot.ts";

const MINUTE = 60_000;
const now = Date.parse("2026-05-01T12:00:00Z");
const policy = { failures: 3, openMs: 60 * MINUTE };

function situation(more: Partial<SlotSituation> = {}): SlotSituation {
  return {
    now,
    lateAfterMs: MINUTE,
    breaker: closedBreaker,
    breakerPolicy: policy,
    moreFollow: false,
    unfinished: null,
    enabledAt: () => true,
    pausedAt: () => null,
    absenceAt: () => null,
    wasBlindAt: () => false,
    wasAway: false,
    ...more,
  };
}

/** Fates of slots that were due this many minutes ago. */
function fates(late: LatePolicy, minutesAgo: readonly number[], more: Partial<SlotSituation> = {}) {
  return decideSlots(
    late,
    minutesAgo.map((minutes) => now - minutes * MINUTE),
    situation(more),
  ).map((one) => (one.kind === "run" ? (one.isLate ? "run late" : "run") : one.reason));
}

describe("the slots of a job", () => {
  it("that are found in time are run", () => {
    expect(fates("skip", [0])).toEqual(["run"]);
    expect(fates("once", [1])).toEqual(["run"]);
  });

  it("that were due while no worker was there are left out, run once or run all, by the job's policy", () => {
    expect(fates("skip", [180, 120, 60])).toEqual(["asleep", "asleep", "asleep"]);
    expect(fates("once", [180, 120, 60])).toEqual(["asleep", "asleep", "run late"]);
    expect(fates("all", [180, 120, 60])).toEqual(["run late", "run late", "run late"]);
  });

  it("that are late are not run beside one that is due now", () => {
    expect(fates("once", [120, 60, 0])).toEqual(["asleep", "asleep", "run"]);
    expect(fates("skip", [60, 0])).toEqual(["asleep", "run"]);
  });

  it("that are late are not run once while newer ones wait for their decision", () => {
    expect(fates("once", [180, 120], { moreFollow: true })).toEqual(["asleep", "asleep"]);
    expect(fates("all", [180, 120], { moreFollow: true })).toEqual(["run late", "run late"]);
  });

  it("are missed while an earlier one is not finished, unless all are to be run", () => {
    const unfinished = { slot: now - 5 * MINUTE, isRunning: true };
    expect(fates("skip", [0], { unfinished })).toEqual(["overlapping"]);
    expect(fates("once", [0], { unfinished })).toEqual(["overlapping"]);
    expect(fates("all", [0], { unfinished })).toEqual(["run"]);
  });

  it("of a time in which no worker looked are run once, the newest, however long a slot counts as in time", () => {
    const lateAfterMs = 600 * MINUTE;
    expect(fates("once", [180, 120, 60], { lateAfterMs })).toEqual(["asleep", "asleep", "run"]);
    expect(fates("skip", [180, 120, 60], { lateAfterMs })).toEqual(["asleep", "asleep", "run"]);
    const waiting = { slot: now - 240 * MINUTE, isRunning: false };
    expect(fates("once", [180, 120, 60], { lateAfterMs, unfinished: waiting })).toEqual(["asleep", "asleep", "run"]);
    expect(fates("once", [180, 120], { lateAfterMs, moreFollow: true })).toEqual(["asleep", "asleep"]);
  });

  it("that were due in one look are run once, the newest", () => {
    expect(fates("once", [2 / 60, 0])).toEqual(["overlapping", "run"]);
  });

  it("of a short time in which no worker looked did not overlap, and say that only the newest is run", () => {
    expect(fates("once", [40 / 60, 20 / 60, 0])).toEqual(["asleep", "asleep", "run"]);
    expect(fates("skip", [40 / 60, 20 / 60, 0])).toEqual(["asleep", "asleep", "run"]);
    const unfinished = { slot: now - MINUTE, isRunning: false };
    expect(fates("once", [40 / 60, 20 / 60], { unfinished })).toEqual(["asleep", "run"]);
    const [first] = decideSlots("skip", [now - 20_000, now], situation());
    expect(first).toMatchObject({ detail: "no worker was there; only the newest slot of that time is run" });
  });

  it("that a worker could not see did not overlap, however short ago they were due", () => {
    expect(fates("once", [2 / 60, 0], { wasBlindAt: () => true })).toEqual(["asleep", "run"]);
  });

  it("of a time in which no worker looked do not overlap with one that began before it", () => {
    const unfinished = { slot: now - 240 * MINUTE, isRunning: true };
    expect(fates("once", [180, 120, 60], { unfinished })).toEqual(["asleep", "asleep", "run late"]);
    expect(fates("skip", [180, 120, 60], { unfinished })).toEqual(["asleep", "asleep", "asleep"]);
    expect(fates("once", [60, 0], { unfinished })).toEqual(["asleep", "run"]);
    expect(fates("once", [0], { unfinished, wasAway: true })).toEqual(["run"]);
  });

  it("say why no worker looked, if that is known", () => {
    const slots = [now - 60 * MINUTE];
    const decide = (absence: string | null) => decideSlots("skip", slots, situation({ absenceAt: () => absence }))[0];
    expect(decide(null)).toMatchObject({ detail: "no worker was there" });
    expect(decide("the database was away")).toMatchObject({ reason: "asleep", detail: "the database was away" });
  });

  it("of a disabled job are missed, however late", () => {
    expect(fates("all", [60, 0], { enabledAt: () => false })).toEqual(["disabled", "disabled"]);
  });

  it("that were due while the job was disabled are missed, also when it is enabled again", () => {
    const enabledAt = (time: number) => time >= now - 90 * MINUTE;
    expect(fates("all", [120, 60], { enabledAt })).toEqual(["disabled", "run late"]);
  });

  it("that were due during a pause are missed for that reason, also when they are found after it", () => {
    const pausedAt = (time: number) => (time < now - 90 * MINUTE ? "paused by the owner" : null);
    expect(fates("all", [120, 60], { pausedAt })).toEqual(["paused", "run late"]);
    expect(fates("once", [120], { pausedAt })).toEqual(["paused"]);
  });

  it("are missed while the breaker is open; then one of them is the trial", () => {
    const open: JobBreaker = { failures: 3, openedAt: now - 10 * MINUTE, alertedAt: now - 10 * MINUTE };
    expect(fates("all", [5, 0], { breaker: open })).toEqual(["disabled", "disabled"]);
    const halfOpen = { ...open, openedAt: now - 60 * MINUTE };
    expect(fates("all", [5, 0], { breaker: halfOpen })).toEqual(["run late", "overlapping"]);
    expect(fates("skip", [0], { breaker: halfOpen })).toEqual(["run"]);
  });

  it("of another machine's job are missed if that machine cannot run them any more; the rest is left to it", () => {
    const foreign = (late: LatePolicy, minutesAgo: readonly number[]) =>
      decideForeignSlots(
        late,
        "laptop",
        minutesAgo.map((one) => now - one * MINUTE),
        situation(),
      ).map((one) => (now - one.slot) / MINUTE);
    expect(foreign("once", [180, 120, 60])).toEqual([180, 120]);
    expect(foreign("once", [120, 60, 0])).toEqual([120, 60]);
    expect(foreign("skip", [120, 60, 0])).toEqual([120, 60]);
    expect(foreign("all", [120, 60, 0])).toEqual([]);
  });

  it("each have one decision, in their order", () => {
    const minutesAgo = [500, 400, 300, 200, 100, 0];
    for (const late of ["skip", "once", "all"] as const) {
      const decided = decideSlots(
        late,
        minutesAgo.map((one) => now - one * MINUTE),
        situation(),
      );
      expect(decided.map(({ slot }) => slot)).toEqual(minutesAgo.map((one) => now - one * MINUTE));
    }
  });
});
