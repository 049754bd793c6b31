import type { Context } from "../../context.ts";
import { SECOND } from "../../lib/clock.ts";
import { ownProcessRef } from "../../lib/process-ref.ts";
import { sleep } from "../../lib/sleep.ts";
import { openQueue } from "../../store/open-queue.ts";
import { endLeftCommand } from "./command-mark.ts";
import { doJob } from "./do-job.ts";
import { SLOT_QUEUE } from "./slot-items.ts";
import { workSlots } from "./work-slots.ts";
import { newPauseWatch } from "./watch-pause.ts";

export interface WorkerOptions {
  /** Aborted: the worker stops what it does and ends. */
  readonly signal: AbortSignal;
  /** Tells a person what happens. */
  say(line: string): void;
}

/** Runs the jobs of a mind until the signal aborts. Many workers may run at once. */
export async function runWorker(given: Context, { signal, say }: WorkerOptions): Promise<void> {
  const pause = newPauseWatch(given);
  const ctx: Context = {
    ...given,
    get config() {
      return pause.config();
    },
  };
  const queue = await openQueue(ctx.store, { queues: [SLOT_QUEUE], clock: ctx.clock });
  const { leaseSeconds, atOnce } = ctx.config.policy.work;
  await workSlots({
    ...{ ctx, queue, pause, signal, sleep, say, atOnce },
    worker: { id: ownProcessRef(), leaseMs: leaseSeconds * SECOND },
    work: (job, slot, stop) => doJob(ctx, job, slot, stop),
    endLeft: endLeftCommand,
  });
  await queue.close();
}
