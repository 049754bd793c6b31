import type { Context } from "../../context.ts";
import { DAY } from "../../lib/clock.ts";
import { pruneAlerts } from "../../store/work/alerts.ts";
import { prunePauses } from "../../store/work/pauses.ts";
import { pruneJobSlots } from "../../store/work/slots.ts";
import { pruneWorkers } from "../../store/work/workers.ts";

/** Deletes slots, pauses, alerts and workers that are older than `work.slotDays`. Returns how many rows. */
export async function pruneWork({ db, clock, config }: Pick<Context, "db" | "clock" | "config">): Promise<number> {
  const before = clock.now() - config.policy.work.slotDays * DAY;
  return (
    (await pruneJobSlots(db, before)) +
    (await prunePauses(db, before)) +
    (await pruneAlerts(db, before)) +
    (await pruneWorkers(db, before))
  );
}
