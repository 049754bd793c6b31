import type { JobBreaker } from "./job-breaker.ts";
import { explainJobFailures, isBreakerOpen, type JobBreakerPolicy } from "./job-breaker.ts";
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
 * - `asleep`: no worker was there in time, or none on the machine that the job belongs to.
 * - `paused`: all work was paused, or it was a quiet hour.
 * - `cap`: the money for it is used up.
 * - `disabled`: the owner switched the job off, or it failed too often.
 * - `overlapping`: an earlier slot of the same job was not finished.
 */
export const missReasons = ["asleep", "paused", "cap", "disabled", "overlapping"] as const;
export type MissReason = (typeof missReasons)[number];

/** For a person: `disabled` is what the owner did, and the breaker is not the owner. */
export function formatMissReason({
  reason,
  detail,
}: {
  readonly reason: string | null;
  readonly detail: string | null;
}): string {
  if (reason === "disabled" && detail?.startsWith(HELD_BACK) === true) return "held back";
  return reason ?? "unknown";
}

const HELD_BACK = "not run before ";

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
  readonly unfinished: { readonly slot: number; readonly isRunning: boolean } | null;
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
      return missed(slot, "disabled", explainOpenBreaker(breaker, breakerPolicy));
    return { slot, kind: "run", isLate: now - slot > lateAfterMs };
  });
  return keepOneAtATime(late, keepByPolicy(late, decided, situation), situation);
}

/** Why a slot is not run while the breaker of its job is open. */
export function explainOpenBreaker({ openedAt, failures }: JobBreaker, { openMs }: JobBreakerPolicy): string {
  return `${HELD_BACK}${formatTime((openedAt ?? 0) + openMs)}, because ${explainJobFailures(failures)}`;
}

function formatTime(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
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
      late === "once" ? "no worker was there; only the newest slot of that time is run" : "no worker was there",
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
    if (before !== null) return missed(one.slot, "overlapping", explainOverlap(before));
    before = { slot: one.slot, isRunning: false };
    return one;
  });
}

function explainOverlap({ slot, isRunning }: NonNullable<SlotSituation["unfinished"]>): string {
  const time = formatTime(slot);
  return isRunning ? `the slot of ${time} still ran` : `the slot of ${time} still waits for a worker`;
}

/**
 * Decides about slots of a job that belongs to another machine, as far as that machine cannot run them any more. The
 * rest is left to it: it may come back and run the newest, or all.
 */
export function decideForeignSlots(
  late: LatePolicy,
  machine: string,
  slots: readonly number[],
  situation: SlotSituation,
): readonly SlotDecision[] {
  if (late === "all") return [];
  const isOver = (slot: number, at: number) =>
    situation.now - slot > situation.lateAfterMs && (late === "skip" || situation.moreFollow || at < slots.length - 1);
  return slots
    .filter(isOver)
    .map((slot) =>
      situation.enabledAt(slot)
        ? missed(slot, "asleep", `no worker was there on ${machine}, the machine of this job`)
        : missed(slot, "disabled", "the job was disabled"),
    );
}

function missed(slot: number, reason: MissReason, detail: string): SlotDecision {
  return { slot, kind: "missed", reason, detail };
}
