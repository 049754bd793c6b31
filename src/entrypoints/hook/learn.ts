import type { SliceContext } from "../../distil/maintenance/mining-slice.ts";
import { withTimeout } from "../../lib/with-timeout.ts";
import type { Stoppable } from "../../lib/stopped.ts";
import { isMaintenanceDue } from "../../store/state/maintenance-state.ts";
import { hasUnminedEvents } from "../../store/derived/unmined-events.ts";
import { LEARNING_SLICE } from "./patience.ts";

const storeTooSlow = new Error("the store takes too long");

interface LearningSlice {
  /** The approximate duration; the current step is finished. */
  readonly ms: number;
  /** True to maintain rules too, if that is due. */
  readonly maintain: boolean;
  /** How much longer the current step may take before it is no longer awaited. */
  readonly graceMs: number;
  /** Stops the slice early. */
  readonly stop?: Stoppable;
}

/**
 * Mines for a limited time if there is something to mine, and maintains rules if that is due. Loads the code only
 * then. Errors are left to the next slice: the host must not notice, and its event still has to be stored. Returns
 * true if there is more to do.
 */
export async function runLearningSlice(ctx: SliceContext, slice: LearningSlice): Promise<boolean> {
  const { db, clock, config } = ctx;
  try {
    const maintain = slice.maintain && (await isMaintenanceDue(db, clock.now(), config.policy.distil.maintainHours));
    if (!maintain && !(await hasUnminedEvents(db))) return false;
    const { learnAndAct } = await import("./learn-and-act.ts");
    // It checks the time between two steps. A step in which the store hangs is no longer awaited.
    return !(await withTimeout(learnAndAct(ctx, { ...slice, maintain }), slice.ms + slice.graceMs, () => storeTooSlow));
  } catch (error) {
    // Locked, corrupt, or a bug of ours. Every step is one transaction, and the next slice continues after the last
    // one.
    return error === storeTooSlow;
  }
}

const END_SLICE = { ms: 600, graceMs: 200 } as const;
const LONGEST_END_MS = 950;

/** For a session end at which storing took `storingMs`. Together they should take no more than a second. */
export function runLearningSliceAtEnd(ctx: SliceContext, storingMs: number): Promise<boolean> {
  const { ms, graceMs } = END_SLICE;
  const left = Math.max(LEARNING_SLICE.ms, LONGEST_END_MS - graceMs - storingMs);
  return runLearningSlice(ctx, { ms: Math.min(ms, left), graceMs, maintain: true });
}
