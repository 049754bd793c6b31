import { z } from "zod";
import { iso } from "../../lib/clock.ts";
import { describeProcess, isProcessGone } from "../../lib/process-ref.ts";
import { defineOperation } from "../../operation.ts";
import { listClaims } from "../../store/queue/make-queue.ts";
import { listAlerts } from "../../store/work/alerts.ts";
import { listJobs } from "../../store/nouns/jobs.ts";
import { QUIET_HOUR } from "../../domain/work/pause.ts";
import { findPause } from "../../store/work/pauses.ts";
import { listWorkers, type Worker } from "../../store/work/workers.ts";
import { findPauses } from "../../work/jobs/find-pauses.ts";
import { parseSlotItem, SLOT_QUEUE } from "../../work/jobs/slot-items.ts";

/** A worker that has not beaten for so long is gone, or its machine sleeps. */
const SILENT_MS = 120_000;
const MOST_ALERTS = 20;

const status = defineOperation({
  name: "job status",
  summary: "Shows the workers, what they hold, whether work is paused, and alerts.",
  effect: "read",
  input: z.object({}),
  output: z.object({
    paused: z.object({ since: z.string(), until: z.string().nullable() }).nullable(),
    quietHours: z.string().nullable().describe("hours of every day in which no job begins"),
    quietNow: z.boolean().describe("it is one of them"),
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
  }),
  isOwnerOnly: () => true,
  run: async ({ db, clock, config }) => {
    const now = clock.now();
    const pause = await findPause(db, now);
    const names = new Map((await listJobs(db)).map((one) => [one.id, one.name]));
    const workers = await listWorkers(db);
    const leases = (await listClaims(db)).filter(({ queue }) => queue === SLOT_QUEUE);
    const { quietHours } = config.policy.work;
    return {
      paused:
        pause === null ? null : { since: iso(pause.since), until: pause.until === null ? null : iso(pause.until) },
      quietHours: quietHours === "" ? null : quietHours,
      quietNow: (await findPauses({ db, config }, now))(now) === QUIET_HOUR,
      workers: workers.map((one) => ({
        worker: describeProcess(one.process),
        startedAt: iso(one.startedAt),
        beatAt: iso(one.beatAt),
        state: stateOf(one, now),
      })),
      leases: leases.map((one) => {
        const { job, slot } = parseSlotItem(one.item);
        const worker = describeProcess(one.worker);
        return { job: names.get(job) ?? job, slot: iso(slot), attempt: one.attempt, worker, until: iso(one.until) };
      }),
      alerts: (await listAlerts(db, { unseen: true, limit: MOST_ALERTS })).map(({ id, at, subject, text }) => {
        return { id, at: iso(at), subject, text };
      }),
    };
  },
  render: ({ paused, quietHours, quietNow, workers, leases, alerts }) =>
    [
      ...alerts.map(({ text }) => text),
      paused === null
        ? quietNow
          ? "It is a quiet hour: no job begins."
          : "Work is not paused."
        : `Paused since ${paused.since}${paused.until ? ` until ${paused.until}` : ""}.`,
      ...(quietHours === null ? [] : [`Quiet hours: ${quietHours}.`]),
      ...(workers.length === 0 ? ["No worker runs: `oldhand run` starts one."] : []),
      ...workers.map((one) => `${one.worker}: ${one.state}, last sign ${one.beatAt}`),
      ...leases.map((one) => `${one.worker} holds ${one.job} of ${one.slot}, until ${one.until}`),
    ].join("\n"),
});

function stateOf({ process, beatAt }: Worker, now: number): "lives" | "silent" | "gone" {
  if (isProcessGone(process)) return "gone";
  return now - beatAt > SILENT_MS ? "silent" : "lives";
}

export const jobStatusOperations = [status] as const;
