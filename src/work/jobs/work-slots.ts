import type { Job } from "../../domain/work/job.ts";
import { DAY, iso, SECOND } from "../../lib/clock.ts";
import { isProcessGone } from "../../lib/process-ref.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Queue } from "../../store/engine/queue.ts";
import type { Slot } from "../../store/work/slots.ts";
import { deleteWorker, listWorkers, saveWorker } from "../../store/work/workers.ts";
import { repeatUntil } from "../repeat-until.ts";
import { type Outage, workQueue } from "../work-queue.ts";
import { endAbandonedSlots } from "./end-abandoned.ts";
import type { WorkContext } from "./find-pauses.ts";
import { type Lookout, newLookout } from "./lookout.ts";
import { planDueJobs } from "./plan-slots.ts";
import { runSlot, type SlotRunner, type WorkResult } from "./run-slot.ts";
import { parseSlotItem, SLOT_QUEUE } from "./slot-items.ts";
import type { PauseWatch } from "./watch-pause.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";

/** What a worker of slots needs. A simulation hands in its own. */
export interface SlotWorker {
  readonly ctx: WorkContext;
  readonly queue: Queue;
  /** Those that it serves. */
  readonly queues: readonly string[];
  readonly worker: { readonly id: string; readonly leaseMs: number };
  /** How many slots run at the same time. */
  readonly atOnce: number;
  readonly pause: Pick<PauseWatch, "look" | "signal"> & Partial<Pick<PauseWatch, "isHeldHere">>;
  readonly signal: AbortSignal;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  say(line: string): void;
  work: SlotRunner["work"];
  endLeftoverProcesses?: SlotRunner["endLeftoverProcesses"];
  /** What it knows of the store from before. */
  readonly outage?: Outage | undefined;
}

/** How soon a pause and a due slot are noticed. */
const TICK_MS = SECOND;
const BEAT_MS = 30 * SECOND;

/** How long a worker that said nothing more is kept in the list. */
export const KEPT_WORKER_MS = DAY;

/** Plans the slots of all jobs and runs those that are due, until the signal aborts. */
export async function workSlots(on: SlotWorker): Promise<void> {
  const { ctx, queue, worker, pause, signal, sleep, say } = on;
  const { id } = worker;
  const doing = new Set<string>();
  const names = new Map<string, string>();
  const lost: Outage = on.outage ?? { at: null };
  const lookout = newLookout(lost.since ?? null);
  const outage = newOutageLog(say, lookout);
  const pauseLog = newPauseLog(say);
  const stopping = withReason(signal, "its worker was stopped");
  const runner: SlotRunner = {
    ...{ ctx, queue, worker: id, say },
    ...(on.endLeftoverProcesses === undefined ? {} : { endLeftoverProcesses: on.endLeftoverProcesses }),
    work: async (job: Job, slot: Slot, lost: AbortSignal) => {
      doing.add(job.name);
      names.set(job.id, job.name);
      say(`${job.name}: begins`);
      const result = await on.work(job, slot, AbortSignal.any([lost, stopping, pause.signal()]));
      doing.delete(job.name);
      say(`${job.name}: ${describeResult(result)}`);
      return result;
    },
  };
  const isShared = ctx.db.dialect.name === "postgres";
  const own = on.queues.filter((name) => name !== SLOT_QUEUE);
  const lanes = Array.from({ length: on.atOnce }, () =>
    workQueue({
      ...{ db: ctx.db, queue, names: on.queues, worker, clock: ctx.clock, sleep, signal, outage: lost },
      // What any machine may run is left to those that may begin it now.
      served: () => (isShared && pause.isHeldHere?.() === true ? own : on.queues),
      perform: (claim, lost) => runSlot(runner, claim, lost),
      onTrouble: say,
      onOutage: outage.begins,
      describe: (item) => {
        const { job, slot } = parseSlotItem(item);
        return `${names.get(job) ?? job}, slot of ${iso(slot)}`;
      },
    }),
  );
  const startedAt = ctx.clock.now();
  const machine = ownMachineName(ctx.config);
  await Promise.all([
    ...lanes,
    repeatUntil({ everyMs: TICK_MS, signal, sleep, say: outage.begins }, async () => {
      await pause.look();
      pauseLog(pause.signal());
      await endAbandonedSlots(ctx, { queue, machine });
      await planDueJobs(ctx, { queue, machine, signal, lookout, say });
      outage.ends();
    }),
    repeatUntil({ everyMs: BEAT_MS, signal, sleep, say: outage.begins }, async () => {
      const beatAt = ctx.clock.now();
      if (beatAt === startedAt) await forgetOldWorkers(ctx.db, beatAt);
      await saveWorker(ctx.db, {
        id,
        process: id,
        startedAt,
        beatAt,
        doing: doing.size === 0 ? null : [...doing].join(", "),
      });
    }),
  ]);
  await deleteWorker(ctx.db, id);
}

/** Workers that died without a word. */
async function forgetOldWorkers(db: Db, now: number): Promise<void> {
  for (const { id, process, beatAt } of await listWorkers(db))
    if (isProcessGone(process) || now - beatAt > KEPT_WORKER_MS) await deleteWorker(db, id);
}

function describeResult({ kind, detail }: WorkResult): string {
  const words = detail.split("\n").join(" · ");
  if (kind === "stopped") return words;
  return words === "" ? kind : `${kind}, ${words}`;
}

/** Several loops meet the same outage each second: a person is told when it begins and when it ends. */
function newOutageLog(say: (line: string) => void, lookout: Pick<Lookout, "lostStore">) {
  let told: string | null = null;
  return {
    begins: (text: string) => {
      lookout.lostStore();
      if (text !== told) say(text);
      told = text;
    },
    ends: () => {
      if (told !== null) say("the database answers again");
      told = null;
    },
  };
}

/** Says once that nothing begins, and once that it does again. */
function newPauseLog(say: (line: string) => void): (signal: AbortSignal) => void {
  let wasPaused = false;
  return ({ aborted, reason }) => {
    if (aborted !== wasPaused)
      say(
        aborted ? `begins nothing, because ${typeof reason === "string" ? reason : "work is paused"}` : "work goes on",
      );
    wasPaused = aborted;
  };
}

/** Aborts with the other; its reason is a text for a person. */
function withReason(signal: AbortSignal, reason: string): AbortSignal {
  const own = new AbortController();
  if (signal.aborted) own.abort(reason);
  else signal.addEventListener("abort", () => own.abort(reason), { once: true });
  return own.signal;
}
