import type { Context } from "../../context.ts";
import { type Job, machineOf, runsOn } from "../../domain/work/job.ts";
import { iso, SECOND } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { sleep } from "../../lib/sleep.ts";
import { throwIfStopped } from "../../lib/stopped.ts";
import type { Queue } from "../../store/engine/queue.ts";
import { openQueue } from "../../store/open-queue.ts";
import { lockJobState } from "../../store/work/job-states.ts";
import { findUnfinishedSlot, insertSlot, readSlot, type Slot } from "../../store/work/slots.ts";
import { repeatUntil } from "../repeat-until.ts";
import { claimFirst, workClaim } from "../work-queue.ts";
import { endLeftCommand } from "./command-mark.ts";
import { doJob, ownWorkerName } from "./do-job.ts";
import { runSlot } from "./run-slot.ts";
import { newPauseWatch } from "./watch-pause.ts";
import { enqueueSlot, listSlotQueues, slotItem } from "./slot-items.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";

/** Before all slots of schedules: a person waits for it. */
const PRIORITY = 100;
const POLL_MS = 200;

/**
 * Runs a job now, outside of its schedule, as a slot of this moment. A worker that is faster may take it; then this only
 * waits for its end. Returns the ended slot.
 */
export async function runByHand(ctx: Context, job: Job): Promise<Slot> {
  const machine = ownMachineName(ctx.config);
  if (!runsOn(job, machine))
    throw new OldhandError("refused", `${job.name} runs only on ${machineOf(job) ?? ""}, and this is ${machine}`, {
      hint: `run it there, or let it run here: oldhand job edit ${job.name} --machine ${machine}`,
    });
  const queues = listSlotQueues(machine);
  const queue = await openQueue(ctx.store, { queues, clock: ctx.clock });
  try {
    const slot = await addSlot(ctx, queue, job);
    return await finishSlot(ctx, { queue, queues }, { job: job.id, slot });
  } finally {
    await queue.close();
  }
}

function addSlot({ db, clock }: Context, queue: Queue, job: Job): Promise<number> {
  return db.tx(async (tx) => {
    await lockJobState(tx, job.id, job.madeAt);
    const open = await findUnfinishedSlot(tx, job.id);
    if (open !== null)
      throw new OldhandError(
        "conflict",
        `${job.name} is not finished: its slot of ${iso(open.slot)} ${open.isRunning ? "runs" : "waits for a worker"}`,
        {
          hint: `oldhand job why ${job.name}`,
        },
      );
    const now = clock.now();
    // Slots of schedules are whole seconds, so this is never the time of one.
    let slot = now % SECOND === 0 ? now + 1 : now;
    const row = { job: job.id, fate: "due", reason: null, detail: null, isLate: false, isByHand: true } as const;
    while (!(await insertSlot(tx, { ...row, slot }))) slot++;
    await enqueueSlot(tx, queue, { job: job.id, slot, priority: PRIORITY, machine: machineOf(job) });
    return slot;
  });
}

async function finishSlot(
  ctx: Context,
  { queue, queues }: { readonly queue: Queue; readonly queues: readonly string[] },
  of: Pick<Slot, "job" | "slot">,
): Promise<Slot> {
  const { db, clock, config, signal } = ctx;
  const worker = { id: ownWorkerName(config), leaseMs: config.policy.work.leaseSeconds * SECOND };
  const pause = newPauseWatch(ctx);
  const ended = new AbortController();
  const runner = {
    ...{ ctx, queue, worker: worker.id, endLeftoverProcesses: endLeftCommand },
    work: async (job: Job, slot: Slot, lost: AbortSignal) => {
      const watching = repeatUntil({ everyMs: SECOND, signal: ended.signal, sleep, say: () => {} }, pause.look);
      const result = await doJob(ctx, job, slot, AbortSignal.any([lost, signal, pause.signal()]));
      ended.abort();
      await watching;
      return result;
    },
  };
  for (;;) {
    const slot = await readSlot(db, of.job, of.slot);
    if (slot === null) throw new OldhandError("conflict", "the slot was deleted while it ran");
    if (slot.fate !== "due" && slot.fate !== "running") return slot;
    throwIfStopped(signal);
    await queue.recover();
    const claim = slot.fate === "due" ? await claimFirst(queue, queues, worker) : null;
    if (claim === null) await sleep(POLL_MS, signal);
    else
      await workClaim({ db, queue, clock, sleep, signal }, claim, async (lost) =>
        // A slot of another job: a worker takes it.
        claim.item === slotItem(of) ? runSlot(runner, claim, lost) : { settlement: { kind: "again" } },
      );
  }
}
