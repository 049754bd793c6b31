import type { Db } from "../../store/engine/db.ts";
import type { Queue } from "../../store/engine/queue.ts";
import { listUnfinishedSlots, type Slot } from "../../store/work/slots.ts";

/** The queue of slots that are due. */
export const SLOT_QUEUE = "slots";

/**
 * A slot is begun once: nobody knows how far a worker got that died. Later attempts only record its end, so there is no
 * last one.
 */
const LAST_ATTEMPT = 1_000_000;

/** In the transaction that writes the slot's row. */
export async function enqueueSlot(
  tx: Db,
  queue: Queue,
  slot: Pick<Slot, "job" | "slot"> & { readonly attempt?: number; readonly priority?: number },
): Promise<void> {
  await queue.enqueue(tx, {
    queue: SLOT_QUEUE,
    item: slotItem(slot),
    attempt: slot.attempt ?? 1,
    lastAttempt: LAST_ATTEMPT,
    priority: slot.priority,
  });
}

/** After a restore the queue is empty: every slot without an end is queued again. */
export async function requeueSlots(tx: Db, queue: Queue): Promise<void> {
  for (const slot of await listUnfinishedSlots(tx))
    await enqueueSlot(tx, queue, { ...slot, attempt: slot.attempt + 1 });
}

export function slotItem({ job, slot }: Pick<Slot, "job" | "slot">): string {
  return `${job}@${slot}`;
}

export function parseSlotItem(item: string): Pick<Slot, "job" | "slot"> {
  const at = item.lastIndexOf("@");
  return { job: item.slice(0, at), slot: Number(item.slice(at + 1)) };
}
