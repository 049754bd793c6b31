import type { Context } from "../../context.ts";
import { type Clock, DAY } from "../../lib/clock.ts";
import { openQueue } from "../../store/open-queue.ts";
import { pruneAlerts } from "../../store/work/alerts.ts";
import { prunePauses } from "../../store/work/pauses.ts";
import { pruneJobSlots } from "../../store/work/slots.ts";
import { pruneWorkers } from "../../store/work/workers.ts";
import { SLOT_QUEUE } from "./slot-items.ts";

type PruneContext = Pick<Context, "db" | "store" | "clock" | "config">;

/**
 * Deletes slots, pauses, alerts, workers and finished work of the queue that are older than `work.slotDays`. Returns how
 * many rows.
 */
export async function pruneWork({ db, store, clock, config }: PruneContext): Promise<number> {
  const before = clock.now() - config.policy.work.slotDays * DAY;
  return (
    (await pruneQueue(store, clock, before)) +
    (await pruneJobSlots(db, before)) +
    (await prunePauses(db, before)) +
    (await pruneAlerts(db, before)) +
    (await pruneWorkers(db, before))
  );
}

async function pruneQueue(store: Context["store"], clock: Clock, before: number): Promise<number> {
  const queue = await openQueue(store, { queues: [SLOT_QUEUE], clock });
  try {
    return await queue.prune(before);
  } finally {
    await queue.close();
  }
}
