import type { Context } from "../context.ts";
import type { Job } from "../domain/work/job.ts";
import { SECOND } from "../lib/clock.ts";
import { ownProcessRef } from "../lib/process-ref.ts";
import { sleep } from "../lib/sleep.ts";
import type { Queue } from "../store/engine/queue.ts";
import { openQueue } from "../store/open-queue.ts";
import { listJobStates } from "../store/work/job-states.ts";
import { listJobs } from "../store/work/jobs.ts";
import { deleteWorker, saveWorker } from "../store/work/workers.ts";
import { doJob } from "./jobs/do-job.ts";
import { isPlanDue, type PlanContext, planSlots } from "./jobs/plan-slots.ts";
import { runSlot } from "./jobs/run-slot.ts";
import { SLOT_QUEUE } from "./jobs/slot-items.ts";
import { newPauseWatch } from "./jobs/watch-pause.ts";
import { repeatUntil } from "./repeat-until.ts";
import { workQueue } from "./work-queue.ts";

export interface WorkerOptions {
  /** Aborted: the worker stops what it does and ends. */
  readonly signal: AbortSignal;
  /** Tells a person what happens. */
  say(line: string): void;
}

/** How soon a pause and a due slot are noticed. */
const TICK_MS = SECOND;
const BEAT_MS = 30 * SECOND;

/** Plans the slots of all jobs and runs those that are due, until the signal aborts. Many workers may run at once. */
export async function runWorker(given: Context, { signal, say }: WorkerOptions): Promise<void> {
  const pause = newPauseWatch(given);
  const ctx: Context = {
    ...given,
    get config() {
      return pause.config();
    },
  };
  const queue = await openQueue(ctx.store, { queues: [SLOT_QUEUE], clock: ctx.clock });
  const id = ownProcessRef();
  const doing = new Set<string>();
  const slots = {
    ctx,
    worker: id,
    work: async (job: Job, slot: number, lost: AbortSignal) => {
      doing.add(job.name);
      say(`${job.name}: begins`);
      const result = await doJob(ctx, job, slot, AbortSignal.any([lost, signal, pause.signal()]));
      doing.delete(job.name);
      say(`${job.name}: ${result.kind}${result.detail === "" ? "" : `, ${result.detail}`}`);
      return result;
    },
  };
  const worker = { id, leaseMs: ctx.config.policy.work.leaseSeconds * SECOND };
  const lanes = Array.from({ length: ctx.config.policy.work.atOnce }, () =>
    workQueue({
      ...{ db: ctx.db, queue, name: SLOT_QUEUE, worker, clock: ctx.clock, sleep, signal },
      perform: (claim, lost) => runSlot(slots, claim, lost),
      onTrouble: say,
    }),
  );
  const startedAt = ctx.clock.now();
  await Promise.all([
    ...lanes,
    repeatUntil({ everyMs: TICK_MS, signal, say }, async () => {
      await pause.look();
      await planDueJobs(ctx, queue);
    }),
    repeatUntil({ everyMs: BEAT_MS, signal, say }, () => {
      const names = [...doing].join(", ");
      const beatAt = ctx.clock.now();
      return saveWorker(ctx.db, { id, process: id, startedAt, beatAt, doing: names === "" ? null : names });
    }),
  ]);
  await deleteWorker(ctx.db, id);
  await queue.close();
}

/** Plans the slots of every job that may have a new one. Writes nothing if none has. */
export async function planDueJobs(ctx: PlanContext, queue: Queue): Promise<void> {
  const states = await listJobStates(ctx.db);
  for (const job of await listJobs(ctx.db))
    if (isPlanDue(job, states.get(job.id)?.plannedUntil ?? job.madeAt, ctx.clock.now()))
      await planSlots(ctx, queue, job);
}
