import type { SliceContext } from "../../distil/maintenance/mining-slice.ts";
import { withTimeout } from "../../lib/with-timeout.ts";
import type { Stoppable } from "../../lib/stopped.ts";
import { isMaintenanceDue } from "../../store/state/maintenance-state.ts";
import { hasUnminedEvents } from "../../store/derived/unmined-events.ts";
import { LEARNING_SLICE } from "./patience.ts";

const storeTooSlow = new Error("the store takes too long");

interface LearningSlice {
  /** About so long, up to the end of the piece it is at. */
  readonly ms: number;
  /** Whether rules are kept up as well, where that is due. */
  readonly maintain: boolean;
  /** So much longer it may take for the piece it is at, before it is left to itself. */
  readonly graceMs: number;
  /** Ends it sooner. */
  readonly stop?: Stoppable;
}

/**
 * Mines for a while, where there is something to mine, and keeps rules up where that is due; the code for it is loaded only
 * then. What goes wrong with it is left to the next slice: the host must not notice, and what it told is still to be
 * stored. Whether more is left.
 */
export async function runLearningSlice(ctx: SliceContext, slice: LearningSlice): Promise<boolean> {
  const { db, clock, config } = ctx;
  try {
    const maintain = slice.maintain && (await isMaintenanceDue(db, clock.now(), config.policy.distil.maintainHours));
    if (!maintain && !(await hasUnminedEvents(db))) return false;
    const { learnForMs } = await import("../../distil/maintenance/mining-slice.ts");
    // It looks at the time between two pieces; a store that hangs within one is left to itself.
    return !(await withTimeout(learnForMs(ctx, { ...slice, maintain }), slice.ms + slice.graceMs, () => storeTooSlow));
  } catch (error) {
    // Locked, broken, or a fault of ours: every piece was one transaction, and the next slice goes on from the last.
    return error === storeTooSlow;
  }
}

const END_SLICE = { ms: 600, graceMs: 200 } as const;
const LONGEST_END_MS = 950;

/** At a session's end, where storing took so long: all of it together is to take no more than a second. */
export function runLearningSliceAtEnd(ctx: SliceContext, storingMs: number): Promise<boolean> {
  const { ms, graceMs } = END_SLICE;
  const left = Math.max(LEARNING_SLICE.ms, LONGEST_END_MS - graceMs - storingMs);
  return runLearningSlice(ctx, { ms: Math.min(ms, left), graceMs, maintain: true });
}
