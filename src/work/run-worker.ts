import type { Context } from "../context.ts";
import type { Job } from "../domain/work/job.ts";
import { SECOND } from "../lib/clock.ts";
import { nextDueTime } from "../lib/cron.ts";
import { ownProcessRef } from "../lib/process-ref.ts";
import { sleep } from "../lib/sleep.ts";
import type { Queue } from "../store/engine/queue.ts";
import { openQueue } from "../store/open-queue.ts";
import { listJobStates } from "../store/work/job-states.ts";
import { listJobs } from "../store/work/jobs.ts";
import { deleteWorker, saveWorker } from "../store/work/workers.ts";
import { doJob } from "./jobs/do-job.ts";
import { findPauses } from "./jobs/find-pauses.ts";
import { planSlots, SLOT_QUEUE } from "./jobs/plan-slots.ts";
import { runSlot } from "./jobs/run-slot.ts";
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
export async function runWorker(ctx: Context, { signal, say }: WorkerOptions): Promise<void> {
  const { work } = ctx.config.policy;
  const queue = await openQueue(ctx.store, { queues: [SLOT_QUEUE], clock: ctx.clock });
  const id = ownProcessRef();
  const doing = new Set<string>();
  const pause = newPauseSwitch();
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
  const worker = { id, leaseMs: work.leaseSeconds * SECOND };
  const lanes = Array.from({ length: work.atOnce }, () =>
    workQueue({
      ...{ db: ctx.db, queue, name: SLOT_QUEUE, worker, clock: ctx.clock, sleep, signal },
      perform: (claim, lost) => runSlot(slots, claim, lost),
      onTrouble: say,
    }),
  );
  await Promise.all([...lanes, tick(ctx, { queue, signal, pause }), beat(ctx, { id, signal, doing })]);
  await deleteWorker(ctx.db, id);
  await queue.close();
}

/** Plans what is due, and stops running work when a pause begins. Reads twice a second at most, and writes only if something is due. */
async function tick(
  ctx: Context,
  { queue, signal, pause }: { readonly queue: Queue; readonly signal: AbortSignal; readonly pause: PauseSwitch },
): Promise<void> {
  while (!signal.aborted) {
    const now = ctx.clock.now();
    pause.set((await findPauses(ctx, now))(now) !== null);
    const states = await listJobStates(ctx.db);
    for (const job of await listJobs(ctx.db)) {
      const plannedUntil = states.get(job.id)?.plannedUntil ?? job.madeAt;
      const next = nextDueTime(job, Math.min(plannedUntil, now));
      if (next !== null && next <= now && plannedUntil < next) await planSlots(ctx, queue, job);
    }
    await sleep(TICK_MS, signal);
  }
}

async function beat(
  ctx: Context,
  { id, signal, doing }: { readonly id: string; readonly signal: AbortSignal; readonly doing: ReadonlySet<string> },
): Promise<void> {
  const startedAt = ctx.clock.now();
  while (!signal.aborted) {
    const names = [...doing].join(", ");
    await saveWorker(ctx.db, {
      ...{ id, process: id, startedAt, beatAt: ctx.clock.now(), doing: names === "" ? null : names },
    });
    await sleep(BEAT_MS, signal);
  }
}

interface PauseSwitch {
  set(isPaused: boolean): void;
  /** Aborts when a pause begins. */
  signal(): AbortSignal;
}

function newPauseSwitch(): PauseSwitch {
  let current = new AbortController();
  return {
    set: (isPaused) => {
      if (isPaused) current.abort();
      else if (current.signal.aborted) current = new AbortController();
    },
    signal: () => current.signal,
  };
}
