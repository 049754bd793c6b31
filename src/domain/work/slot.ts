import { SECOND } from "../../lib/clock.ts";
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
 * - `asleep`: no worker was there in time, or none on the machine that the job belongs to, or it had no database.
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
  readonly reason: MissReason | null;
  readonly detail: string | null;
}): string | null {
  if (reason === "disabled" && detail?.startsWith(HELD_BACK) === true) return "held back";
  return reason;
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
  /** Why nobody looked at that time, as far as the worker knows; null: no worker was there. */
  absenceAt(time: number): string | null;
  /** True if the worker that looks now knows that it could not look at that time: it was not there, or had no store. */
  wasBlindAt(time: number): boolean;
  /** True if the worker that looks now could not look for a while. */
  readonly wasAway: boolean;
}

/**
 * Decides about slots that have no row yet, oldest first. Every slot gets one decision.
 * A job never runs two slots at the same time: with the policy `all` they wait for each other, otherwise a slot that
 * becomes due before the last one is finished is missed. The newest slot of a time in which no worker could look waits too:
 * whether the last one was finished then is not known. It takes the place of one that nobody began.
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
  return late === "all" ? keepTrial(decided, situation) : keepNewest(late, decided, situation);
}

/** Why a slot is not run while the breaker of its job is open. Slots are whole seconds: the next one that may run. */
export function explainOpenBreaker({ openedAt, failures }: JobBreaker, { openMs }: JobBreakerPolicy): string {
  return `${HELD_BACK}${formatTime(Math.ceil(((openedAt ?? 0) + openMs) / SECOND) * SECOND)}, because ${explainJobFailures(failures)}`;
}

function formatTime(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}

/** A breaker that is no longer open lets one slot through: it is the trial. */
function keepTrial(decided: readonly SlotDecision[], { unfinished, breaker }: SlotSituation): readonly SlotDecision[] {
  if (breaker.openedAt === null) return decided;
  let before = unfinished;
  return decided.map((one) => {
    if (one.kind === "missed") return one;
    if (before !== null) return missed(one.slot, "overlapping", explainOverlap(before));
    before = { slot: one.slot, isRunning: false };
    return one;
  });
}

/** Of several slots that may be run, only the newest is. */
function keepNewest(
  late: "skip" | "once",
  decided: readonly SlotDecision[],
  situation: SlotSituation,
): readonly SlotDecision[] {
  const { unfinished, moreFollow } = situation;
  const isKept = (one: SlotDecision) => one.kind === "run" && (late === "once" || !one.isLate);
  const newest = moreFollow ? undefined : decided.findLast(isKept);
  const isBack = situation.wasAway || decided.some(({ slot }) => wasUnattended(slot, situation));
  return decided.map((one) => {
    if (one.kind === "missed") return one;
    if (one === newest)
      return unfinished === null || isBack ? one : missed(one.slot, "overlapping", explainOverlap(unfinished));
    if (!one.isLate && !wasUnattended(one.slot, situation))
      return missed(one.slot, "overlapping", "a newer slot was due before it began");
    return missed(one.slot, "asleep", explainAbsence(late, one, situation));
  });
}

/** Workers look each second. Whoever finds a slot so long after its time knows that none could look then. */
export const ATTENDED_MS = 5 * SECOND;

function wasUnattended(slot: number, situation: SlotSituation): boolean {
  const { now, lateAfterMs } = situation;
  return now - slot > Math.min(lateAfterMs, ATTENDED_MS) || situation.wasBlindAt(slot);
}

function explainAbsence(
  late: LatePolicy,
  { slot, isLate }: Extract<SlotDecision, { kind: "run" }>,
  situation: Pick<SlotSituation, "absenceAt">,
): string {
  const why = situation.absenceAt(slot) ?? "no worker was there";
  return late === "skip" && isLate ? why : `${why}; ${ONLY_NEWEST}`;
}

const ONLY_NEWEST = "only the newest slot of that time is run";

/** For a slot that waited for a worker until a newer one was due. */
export const SUPERSEDED = `no worker began it; ${ONLY_NEWEST}`;

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
        ? missed(
            slot,
            "asleep",
            situation.absenceAt(slot) ?? `no worker was there on ${machine}, the machine of this job`,
          )
        : missed(slot, "disabled", "the job was disabled"),
    );
}

function missed(slot: number, reason: MissReason, detail: string): SlotDecision {
  return { slot, kind: "missed", reason, detail };
}
