import type { JobBreaker } from "./job-breaker.ts";
import { isBreakerOpen, type JobBreakerPolicy } from "./job-breaker.ts";
import type { LatePolicy } from "./job.ts";

/**
 * One due time of a job. It has exactly one fate. `due` and `running` become one of the other three:
 * - `ran`, `failed`: it was run.
 * - `missed`: it was not run, for the reason of the row.
 */
export const slotFates = ["due", "running", "ran", "failed", "missed"] as const;
export type SlotFate = (typeof slotFates)[number];

/**
 * Why a slot was missed:
 * - `asleep`: no worker was there in time.
 * - `paused`: all work was paused, or it was a quiet hour.
 * - `cap`: the money for it is used up.
 * - `disabled`: the owner switched the job off, or it failed too often.
 * - `overlapping`: an earlier slot of the same job was not finished.
 */
export const missReasons = ["asleep", "paused", "cap", "disabled", "overlapping"] as const;
export type MissReason = (typeof missReasons)[number];

/** What is decided about a slot when a worker finds it. */
export type SlotDecision =
  | { readonly slot: number; readonly kind: "run"; readonly isLate: boolean }
  | { readonly slot: number; readonly kind: "missed"; readonly reason: MissReason; readonly detail: string };

/** What is known when the slots are found. */
export interface SlotSituation {
  readonly now: number;
  /** A slot found later than this after its time is late. */
  readonly lateAfterMs: number;
  readonly breaker: JobBreaker;
  readonly breakerPolicy: JobBreakerPolicy;
  /** True if later slots wait for a decision: these are not the newest. */
  readonly moreFollow: boolean;
  /** The slot of this job that is due or running; null if there is none. */
  readonly unfinished: number | null;
  /** Whether the owner had the job enabled at that time. */
  enabledAt(time: number): boolean;
  /** Why work was paused at that time; null if it was not. */
  pausedAt(time: number): string | null;
}

/**
 * Decides about slots that have no row yet, oldest first. Every slot gets one decision.
 * A job never runs two slots at the same time: with the policy `all` they wait for each other, otherwise a slot that
 * becomes due before the last one is finished is missed.
 */
export function decideSlots(
  late: LatePolicy,
  slots: readonly number[],
  situation: SlotSituation,
): readonly SlotDecision[] {
  const { now, lateAfterMs, breaker, breakerPolicy } = situation;
  const decided = slots.map((slot): SlotDecision => {
    if (!situation.enabledAt(slot)) return missed(slot, "disabled", "the job was disabled");
    const pause = situation.pausedAt(slot);
    if (pause !== null) return missed(slot, "paused", pause);
    if (isBreakerOpen(breaker, now, breakerPolicy))
      return missed(slot, "disabled", `it failed ${breaker.failures} times in a row`);
    return { slot, kind: "run", isLate: now - slot > lateAfterMs };
  });
  return keepOneAtATime(late, keepByPolicy(late, decided, situation), situation);
}

function keepByPolicy(
  late: LatePolicy,
  decided: readonly SlotDecision[],
  { moreFollow }: SlotSituation,
): readonly SlotDecision[] {
  if (late === "all") return decided;
  const last = moreFollow ? undefined : decided.findLast((one) => one.kind === "run");
  return decided.map((one) => {
    if (one.kind === "missed" || !one.isLate) return one;
    if (late === "once" && one === last) return one;
    return missed(
      one.slot,
      "asleep",
      late === "once" ? "no worker was there; a later slot was run once for all of them" : "no worker was there",
    );
  });
}

function keepOneAtATime(
  late: LatePolicy,
  decided: readonly SlotDecision[],
  { unfinished, breaker }: SlotSituation,
): readonly SlotDecision[] {
  // A breaker that is no longer open lets one slot through, whatever the policy: it is the trial.
  const isTrial = breaker.openedAt !== null;
  if (late === "all" && !isTrial) return decided;
  let before = unfinished;
  return decided.map((one) => {
    if (one.kind === "missed") return one;
    if (before !== null)
      return missed(one.slot, "overlapping", `the slot of ${new Date(before).toISOString()} was not finished`);
    before = one.slot;
    return one;
  });
}

function missed(slot: number, reason: MissReason, detail: string): SlotDecision {
  return { slot, kind: "missed", reason, detail };
}
