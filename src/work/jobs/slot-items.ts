import { machineOf } from "../../domain/work/job.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Queue } from "../../store/engine/queue.ts";
import { listJobs } from "../../store/nouns/jobs.ts";
import { listUnfinishedSlots, type Slot } from "../../store/work/slots.ts";

/** The queue of slots that are due and that any worker may run. */
export const SLOT_QUEUE = "slots";

/** The queue of slots of jobs that only this machine runs. Only its own workers put slots there. */
function slotQueueOf(machine: string | null): string {
  return machine === null ? SLOT_QUEUE : `${SLOT_QUEUE}.${machine}`;
}

/** All queues that a worker on this machine serves. */
export function listSlotQueues(machine: string): readonly string[] {
  return [SLOT_QUEUE, slotQueueOf(machine)];
}

export function isSlotQueue(queue: string): boolean {
  return queue === SLOT_QUEUE || queue.startsWith(`${SLOT_QUEUE}.`);
}

/**
 * A slot is begun once: nobody knows how far a worker got that died. Later attempts only record its end, so there is no
 * last one.
 */
const LAST_ATTEMPT = 1_000_000;

/** In the transaction that writes the slot's row. */
export async function enqueueSlot(
  tx: Db,
  queue: Queue,
  slot: Pick<Slot, "job" | "slot"> & {
    readonly attempt?: number;
    readonly priority?: number;
    /** The only machine that runs it. */
    readonly machine?: string | null;
  },
): Promise<void> {
  await queue.enqueue(tx, {
    queue: slotQueueOf(slot.machine ?? null),
    item: slotItem(slot),
    attempt: slot.attempt ?? 1,
    lastAttempt: LAST_ATTEMPT,
    priority: slot.priority,
  });
}

/**
 * After a restore the queue is empty: every slot without an end is queued again, those of this machine's jobs for it
 * alone. A worker of another machine than the job's records that it was missed.
 */
export async function requeueSlots(tx: Db, queue: Queue, here: string): Promise<void> {
  const ours = new Set((await listJobs(tx)).filter((job) => machineOf(job) === here).map(({ id }) => id));
  for (const slot of await listUnfinishedSlots(tx)) {
    const machine = ours.has(slot.job) ? here : null;
    await enqueueSlot(tx, queue, { ...slot, attempt: slot.attempt + 1, machine });
  }
}

export function slotItem({ job, slot }: Pick<Slot, "job" | "slot">): string {
  return `${job}@${slot}`;
}

export function parseSlotItem(item: string): Pick<Slot, "job" | "slot"> {
  const at = item.lastIndexOf("@");
  return { job: item.slice(0, at), slot: Number(item.slice(at + 1)) };
}
