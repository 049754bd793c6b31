import { z } from "zod";
import { iso } from "../../lib/clock.ts";
import { describeProcess } from "../../lib/process-ref.ts";
import { defineOperation } from "../../operation.ts";
import { listClaims } from "../../store/queue/make-queue.ts";
import { listAlerts } from "../../store/work/alerts.ts";
import { listJobs } from "../../store/nouns/jobs.ts";
import { findPause } from "../../store/work/pauses.ts";
import { listWorkers } from "../../store/work/workers.ts";
import { findNoWorker } from "../../work/jobs/find-no-worker.ts";
import { workerState } from "../../work/jobs/worker-state.ts";
import { findHolds } from "../../work/jobs/find-pauses.ts";
import { isSlotQueue, parseSlotItem } from "../../work/jobs/slot-items.ts";
import { formatAlert } from "../shared/format-alert.ts";
import { formatQuietHours } from "./job-shapes.ts";
import { KEPT_WORKER_MS } from "../../work/jobs/work-slots.ts";

const MOST_ALERTS = 20;

const status = defineOperation({
  name: "job status",
  summary: "Shows the workers, what they hold, whether work is paused, and alerts.",
  effect: "read",
  input: z.object({}),
  output: z.object({
    off: z.boolean().describe("oldhand is off on this machine: its workers begin nothing"),
    paused: z.object({ since: z.string(), until: z.string().nullable(), by: z.string() }).nullable(),
    quietHours: z.string().nullable().describe("hours of every day in which the workers of this home begin nothing"),
    quietNow: z.boolean().describe("it is one of them, in the time zone of this machine"),
    workers: z.array(
      z.object({
        worker: z.string(),
        startedAt: z.string(),
        beatAt: z.string().describe("its last sign of life"),
        state: z.enum(["lives", "silent", "gone"]),
      }),
    ),
    leases: z.array(
      z.object({
        job: z.string(),
        slot: z.string(),
        attempt: z.number(),
        worker: z.string(),
        until: z.string().describe("if the worker gives no sign of life by then, it loses the slot"),
      }),
    ),
    alerts: z.array(z.object({ id: z.string(), at: z.string(), subject: z.string(), text: z.string() })),
    noWorker: z.array(z.string()).describe("jobs that are due and that no worker runs, one sentence for each machine"),
  }),
  isOwnerOnly: () => true,
  run: async ({ db, clock, config }) => {
    const now = clock.now();
    const pause = await findPause(db, now);
    const names = new Map((await listJobs(db)).map((one) => [one.id, one.name]));
    const workers = (await listWorkers(db)).filter(({ beatAt }) => now - beatAt < KEPT_WORKER_MS);
    const leases = (await listClaims(db)).filter(({ queue }) => isSlotQueue(queue));
    const { quietHours } = config.policy.work;
    const until = pause?.until ?? null;
    return {
      off: config.off.everywhere,
      paused:
        pause === null ? null : { since: iso(pause.since), until: until === null ? null : iso(until), by: pause.by },
      quietHours: quietHours === "" ? null : quietHours,
      quietNow: (await findHolds({ db, config }, now))(now)?.kind === "quiet",
      workers: workers.map((one) => ({
        worker: describeProcess(one.process),
        startedAt: iso(one.startedAt),
        beatAt: iso(one.beatAt),
        state: workerState(one, now),
      })),
      leases: leases.map((one) => {
        const { job, slot } = parseSlotItem(one.item);
        const worker = describeProcess(one.worker);
        return { job: names.get(job) ?? job, slot: iso(slot), attempt: one.attempt, worker, until: iso(one.until) };
      }),
      alerts: (await listAlerts(db, { unseen: true, limit: MOST_ALERTS })).map(({ id, at, subject, text }) => {
        return { id, at: iso(at), subject, text };
      }),
      noWorker: [...(await findNoWorker({ db, clock, config }))],
    };
  },
  render: (found) =>
    [
      ...found.alerts.map(({ text }) => formatAlert(text)),
      ...found.noWorker.map(formatAlert),
      formatHold(found),
      ...(found.quietHours === null ? [] : [formatQuietHours(found.quietHours)]),
      ...(found.workers.some(({ state }) => state !== "gone") ? [] : ["No worker runs: `oldhand run` starts one."]),
      ...found.workers.map((one) => `${one.worker}: ${one.state}, last sign of life ${one.beatAt}`),
      ...found.leases.map(
        (one) =>
          `${one.job}: the slot of ${one.slot} runs in ${one.worker}; without a sign of life from it until ${one.until}, another worker records it as failed`,
      ),
    ].join("\n"),
});

function formatHold({
  off,
  paused,
  quietNow,
}: {
  readonly off: boolean;
  readonly paused: { readonly since: string; readonly until: string | null; readonly by: string } | null;
  readonly quietNow: boolean;
}): string {
  if (paused !== null)
    return `Paused since ${paused.since}${paused.until === null ? "" : ` until ${paused.until}`} by ${paused.by}.`;
  if (off) return "oldhand is off on this machine, so its workers begin nothing (oldhand on).";
  return quietNow ? "It is a quiet hour of this home: its workers begin nothing." : "Work is not paused.";
}

export const jobStatusOperations = [status] as const;
