import { z } from "zod";
import type { Context } from "../../context.ts";
import { breakerState, closedBreaker } from "../../domain/work/job-breaker.ts";
import { type Job, latePolicies } from "../../domain/work/job.ts";
import { missReasons, slotFates } from "../../domain/work/slot.ts";
import { iso, MINUTE } from "../../lib/clock.ts";
import { nextDueTime } from "../../lib/cron.ts";
import { OldhandError } from "../../lib/errors.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { findJobByName, jobNoun, listJobs } from "../../store/work/jobs.ts";
import type { JobState } from "../../store/work/job-states.ts";
import type { Slot } from "../../store/work/slots.ts";

export const jobShape = z
  .object({
    id: z.string(),
    name: z.string(),
    cron: z.string(),
    zone: z.string(),
    work: z.string().describe("the command, or the name of the built-in job"),
    kind: z.enum(["built-in", "command"]),
    folder: z.string().nullable().describe("where its command runs"),
    late: z.enum(latePolicies).describe("what happens to slots that nobody could run in time"),
    model: z.string().nullable(),
    enabled: z.boolean(),
    breaker: z.enum(["closed", "open", "half-open"]),
    failures: z.number().describe("failures in a row"),
    next: z.string().nullable().describe("its next slot; null while it is disabled"),
  })
  .meta({ id: "Job" });

export const slotShape = z
  .object({
    job: z.string().describe("the name of the job"),
    slot: z.string().describe("its due time"),
    fate: z.enum(slotFates),
    reason: z.enum(missReasons).nullable().describe("why it was missed"),
    detail: z.string().nullable(),
    late: z.boolean(),
    byHand: z.boolean().describe("the owner ran it, outside of its schedule"),
    worker: z.string().nullable(),
    startedAt: z.string().nullable(),
    endedAt: z.string().nullable(),
  })
  .meta({ id: "JobSlot" });

export function jobOut(
  ctx: Pick<Context, "clock" | "config">,
  job: Job,
  state: JobState | null,
): z.infer<typeof jobShape> {
  const { breakerFailures, breakerMinutes } = ctx.config.policy.work;
  const now = ctx.clock.now();
  const breaker = state?.breaker ?? closedBreaker;
  const next = job.enabled ? nextDueTime(job, now) : null;
  return {
    id: job.id,
    name: job.name,
    cron: job.cron,
    zone: job.zone,
    work: job.work.kind === "command" ? job.work.command : job.work.name,
    kind: job.work.kind,
    folder: job.work.kind === "command" ? job.work.folder : null,
    late: job.late,
    model: job.model,
    enabled: job.enabled,
    breaker: breakerState(breaker, now, { failures: breakerFailures, openMs: breakerMinutes * MINUTE }),
    failures: breaker.failures,
    next: next === null ? null : iso(next),
  };
}

export function slotOut(slot: Slot, name: string): z.infer<typeof slotShape> {
  const time = (at: number | null) => (at === null ? null : iso(at));
  return {
    job: name,
    slot: iso(slot.slot),
    fate: slot.fate,
    reason: slot.reason,
    detail: slot.detail,
    late: slot.isLate,
    byHand: slot.isByHand,
    worker: slot.worker,
    startedAt: time(slot.startedAt),
    endedAt: time(slot.endedAt),
  };
}

export function formatJob(job: z.infer<typeof jobShape>): string {
  const state = !job.enabled ? "disabled" : job.breaker === "closed" ? "" : `${job.failures} failures in a row, `;
  const next = job.next === null ? "" : `next ${job.next}`;
  return `${job.name.padEnd(16)} ${job.cron} (${job.zone})  ${state}${next}\n  ${job.work}`;
}

export function formatSlot(slot: z.infer<typeof slotShape>): string {
  const fate = slot.fate === "missed" ? `missed (${slot.reason ?? "unknown"})` : slot.fate;
  const detail = slot.detail === null ? "" : `  ${slot.detail.split("\n").join(" · ")}`;
  return `${slot.slot}  ${slot.job}  ${fate}${slot.late ? ", late" : ""}${slot.byHand ? ", by hand" : ""}${detail}`;
}

export async function requireJob({ db }: Pick<Context, "db">, name: string): Promise<Job> {
  const job = await findJobByName(db, name);
  if (job !== null) return job;
  const names = (await listJobs(db)).map((one) => one.name);
  throw new OldhandError("not-found", `there is no job ${name}`, {
    hint: names.length === 0 ? "oldhand job add makes one" : `there are ${names.join(", ")}`,
  });
}

/** The names of the jobs of some slots, also of removed ones. */
export async function nameJobs(
  { db }: Pick<Context, "db">,
  slots: readonly Pick<Slot, "job">[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map((await listJobs(db)).map((one) => [one.id, one.name]));
  const removed = new Set(slots.map(({ job }) => job).filter((id) => !names.has(id)));
  for (const id of removed) {
    const last = (await listChangesOf(db, jobNoun, id)).at(-1);
    names.set(id, last?.before?.name ?? id);
  }
  return names;
}
