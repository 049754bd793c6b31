import { learnForMs, mineLedger, type SliceContext } from "../../distil/maintenance/mining-slice.ts";
import type { Stoppable } from "../../lib/stopped.ts";
import { actOnMarkers } from "../../record/markers/act-on-markers.ts";
import { hasFewUnreadActs } from "../../store/events/marked-texts.ts";

/**
 * Mines for about `ms` milliseconds, maintains rules if `maintain` is set, then does what agents marked in their answers.
 * True if nothing is left to do. A bundle of its own: a hook at a call does not load it.
 */
export async function learnAndAct(
  ctx: SliceContext,
  slice: { readonly ms: number; readonly maintain: boolean; readonly stop?: Stoppable },
): Promise<boolean> {
  if (!(await learnForMs(ctx, slice))) return false;
  if (!(await hasFewUnreadActs(ctx.db))) return true;
  const { mistakes } = await actOnMarkers(ctx);
  // The mistake that reaches the threshold creates the rule, so that the next session has it.
  if (mistakes > 0) await mineLedger(ctx);
  return true;
}
