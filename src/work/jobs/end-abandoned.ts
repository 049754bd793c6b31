import { runsOn } from "../../domain/work/job.ts";
import { hasClaim } from "../../store/queue/make-queue.ts";
import { listJobs } from "../../store/nouns/jobs.ts";
import { listUnfinishedSlots } from "../../store/work/slots.ts";
import type { WorkContext } from "./find-pauses.ts";
import type { Planner } from "./plan-slots.ts";
import { recordUnknownEnd } from "./run-slot.ts";
import { slotItem } from "./slot-items.ts";

/**
 * Ends running slots of jobs that belong to other machines, if nobody holds them any more. Only workers of such a
 * machine take its slots from the queue, and there may be none for a long time.
 */
export async function endAbandonedSlots(
  ctx: Pick<WorkContext, "db" | "config">,
  { queue, machine }: Pick<Planner, "queue" | "machine">,
): Promise<void> {
  const foreign = new Set((await listJobs(ctx.db)).filter((job) => !runsOn(job, machine)).map(({ id }) => id));
  if (foreign.size === 0) return;
  for (const slot of await listUnfinishedSlots(ctx.db)) {
    if (slot.fate !== "running" || !foreign.has(slot.job) || (await hasClaim(ctx.db, slotItem(slot)))) continue;
    await ctx.db.tx(async (tx) => {
      if (!(await hasClaim(tx, slotItem(slot)))) await recordUnknownEnd(tx, { ctx, queue }, slot);
    });
  }
}
