import type { SliceContext } from "../../distil/mine-slice.ts";
import { inTime } from "../../lib/in-time.ts";
import { isMaintenanceDue } from "../../store/maintained.ts";
import { hasUnmined } from "../../store/unmined.ts";

/**
 * Mines for a while, where there is something to mine, and keeps rules up where that is due; the code for it is loaded only
 * then. What goes wrong with it is left to the next slice: the host must not notice, and what it told is still to be stored.
 */
export async function learn(ctx: SliceContext, ms: number, options: { readonly maintain: boolean }): Promise<void> {
  const { db, clock, config } = ctx;
  try {
    const maintain = options.maintain && (await isMaintenanceDue(db, clock.now(), config.policy.distil.maintainHours));
    if (!maintain && !(await hasUnmined(db))) return;
    const { learnFor } = await import("../../distil/mine-slice.ts");
    // It looks at the time between two pieces; a store that hangs within one is left to itself.
    await inTime(learnFor(ctx, ms, { maintain }), ms + GRACE_MS, () => new Error("the store takes too long"));
  } catch {
    // Locked, broken, or a fault of ours: every piece was one transaction, and the next slice goes on from the last.
  }
}

/** For the piece it is at. */
const GRACE_MS = 100;
