import type { Job } from "../../domain/work/job.ts";
import { SECOND } from "../../lib/clock.ts";
import type { Queue } from "../../store/engine/queue.ts";
import { deleteWorker, saveWorker } from "../../store/work/workers.ts";
import { repeatUntil } from "../repeat-until.ts";
import { workQueue } from "../work-queue.ts";
import type { WorkContext } from "./find-pauses.ts";
import { planDueJobs } from "./plan-slots.ts";
import { runSlot, type SlotRunner } from "./run-slot.ts";
import { SLOT_QUEUE } from "./slot-items.ts";
import type { PauseWatch } from "./watch-pause.ts";

/** What a worker of slots needs. A simulation hands in its own. */
export interface SlotWorker {
  readonly ctx: WorkContext;
  readonly queue: Queue;
  readonly worker: { readonly id: string; readonly leaseMs: number };
  /** How many slots run at the same time. */
  readonly atOnce: number;
  readonly pause: Pick<PauseWatch, "look" | "signal">;
  readonly signal: AbortSignal;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  say(line: string): void;
  work: SlotRunner["work"];
  endLeft?: SlotRunner["endLeft"];
}

/** How soon a pause and a due slot are noticed. */
const TICK_MS = SECOND;
const BEAT_MS = 30 * SECOND;

/** Plans the slots of all jobs and runs those that are due, until the signal aborts. */
export async function workSlots(on: SlotWorker): Promise<void> {
  const { ctx, queue, worker, pause, signal, sleep, say } = on;
  const { id } = worker;
  const doing = new Set<string>();
  const runner: SlotRunner = {
    ...{ ctx, worker: id, ...(on.endLeft === undefined ? {} : { endLeft: on.endLeft }) },
    work: async (job: Job, slot: number, lost: AbortSignal) => {
      doing.add(job.name);
      say(`${job.name}: begins`);
      const result = await on.work(job, slot, AbortSignal.any([lost, signal, pause.signal()]));
      doing.delete(job.name);
      say(`${job.name}: ${result.kind}${result.detail === "" ? "" : `, ${result.detail}`}`);
      return result;
    },
  };
  const lanes = Array.from({ length: on.atOnce }, () =>
    workQueue({
      ...{ db: ctx.db, queue, name: SLOT_QUEUE, worker, clock: ctx.clock, sleep, signal },
      perform: (claim, lost) => runSlot(runner, claim, lost),
      onTrouble: say,
    }),
  );
  const startedAt = ctx.clock.now();
  await Promise.all([
    ...lanes,
    repeatUntil({ everyMs: TICK_MS, signal, sleep, say }, async () => {
      await pause.look();
      await planDueJobs(ctx, queue);
    }),
    repeatUntil({ everyMs: BEAT_MS, signal, sleep, say }, () => {
      const names = [...doing].join(", ");
      const beatAt = ctx.clock.now();
      return saveWorker(ctx.db, { id, process: id, startedAt, beatAt, doing: names === "" ? null : names });
    }),
  ]);
  await deleteWorker(ctx.db, id);
}
