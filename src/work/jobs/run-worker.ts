import type { Context } from "../../context.ts";
import { SECOND } from "../../lib/clock.ts";
import { findLocalZoneFault } from "../../lib/local-zone.ts";
import { sleep } from "../../lib/sleep.ts";
import { openQueue } from "../../store/open-queue.ts";
import { endLeftCommand } from "./command-mark.ts";
import { doJob, ownWorkerName } from "./do-job.ts";
import { listSlotQueues } from "./slot-items.ts";
import { workSlots } from "./work-slots.ts";
import { waitForStore } from "../wait-for-store.ts";
import type { Outage } from "../work-queue.ts";
import { newPauseWatch } from "./watch-pause.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";

export interface WorkerOptions {
  /** Aborted: the worker stops what it does and ends. */
  readonly signal: AbortSignal;
  /** Tells a person what happens. */
  say(line: string): void;
  /** What is known of the store from before. */
  readonly outage?: Outage;
}

/** Runs the jobs of a mind until the signal aborts. Many workers may run at once. */
export async function runWorker(given: Context, { signal, say, outage = { at: null } }: WorkerOptions): Promise<void> {
  const pause = newPauseWatch(given);
  const ctx: Context = {
    ...given,
    get config() {
      return pause.config();
    },
  };
  const queues = listSlotQueues(ownMachineName(ctx.config));
  const fault = findLocalZoneFault(ctx.config.providers.env["TZ"]);
  if (fault !== null) say(`TZ: ${fault}; UTC is used`);
  const queue = await waitForStore({ clock: ctx.clock, outage, signal, sleep, say }, () =>
    openQueue(ctx.store, { queues, clock: ctx.clock }),
  );
  if (queue === null) return;
  say("works; stop it with Ctrl-C");
  const { leaseSeconds, atOnce } = ctx.config.policy.work;
  await workSlots({
    ...{ ctx, queue, queues, pause, signal, sleep, say, atOnce, outage },
    worker: { id: ownWorkerName(ctx.config), leaseMs: leaseSeconds * SECOND },
    work: (job, slot, stop) => doJob(ctx, job, slot, stop),
    endLeftoverProcesses: endLeftCommand,
  });
  await queue.close();
}
