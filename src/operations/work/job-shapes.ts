import { z } from "zod";
import type { Context } from "../../context.ts";
import { breakerState, closedBreaker } from "../../domain/work/job-breaker.ts";
import { type Job, latePolicies, machineOf } from "../../domain/work/job.ts";
import { findNextRun } from "../../domain/work/next-run.ts";
import { formatMissReason, missReasons, slotFates } from "../../domain/work/slot.ts";
import { iso, MINUTE, SECOND } from "../../lib/clock.ts";
import { localTimeZone } from "../../lib/local-zone.ts";
import { OldhandError } from "../../lib/errors.ts";
import { toPlainText } from "../../lib/plain-text.ts";
import { isProcessGone, machineOfProcess } from "../../lib/process-ref.ts";
import { plural } from "../../lib/text.ts";
import { formatZoned } from "../../lib/zoned-time.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { findJobByName, jobNoun, listJobs, listRemovedJobIds } from "../../store/nouns/jobs.ts";
import { listClaims } from "../../store/queue/make-queue.ts";
import type { JobState } from "../../store/work/job-states.ts";
import type { Slot } from "../../store/work/slots.ts";
import { findHoldsByJob, teamMachineName } from "../../work/jobs/find-pauses.ts";
import { slotItem } from "../../work/jobs/slot-items.ts";

export const jobShape = z
  .object({
    id: z.string(),
    name: z.string(),
    cron: z.string(),
    zone: z.string(),
    work: z.string().describe("the command, or the name of the built-in job"),
    kind: z.enum(["built-in", "command"]),
    folder: z.string().nullable().describe("where its command runs"),
    seconds: z.number().nullable().describe("time limit of its command"),
    machine: z.string().nullable().describe("the only machine that runs it; null: any that has a worker"),
    late: z.enum(latePolicies).describe("what happens to slots that nobody could run in time"),
    model: z.string().nullable(),
    enabled: z.boolean(),
    breaker: z.enum(["closed", "open", "half-open"]),
    failures: z.number().describe("failures in a row"),
    next: z.string().nullable().describe("the next slot that is run; null while it is disabled or no time is known"),
    waits: z.string().nullable().describe("why that is not its next due time"),
  })
  .meta({ id: "Job" });

export const slotShape = z
  .object({
    job: z.string().describe("the name of the job"),
    slot: z.string().describe("its due time"),
    fate: z.enum(slotFates),
    reason: z.enum(missReasons).nullable().describe("why it was missed"),
    missed: z.string().nullable().describe("the same in words: `disabled` is what the owner did, `held back` is not"),
    detail: z.string().nullable(),
    late: z.boolean(),
    byHand: z.boolean().describe("the owner ran it, outside of its schedule"),
    worker: z.string().nullable(),
    machine: z.string().nullable().describe("where it ran, in a team"),
    zone: z.string().describe("time zone of its job"),
    startedAt: z.string().nullable(),
    endedAt: z.string().nullable(),
  })
  .meta({ id: "JobSlot" });

type JobOut = z.infer<typeof jobShape>;
type SlotOut = z.infer<typeof slotShape>;

/** Reads once what all jobs depend on: pauses, quiet hours, the off switch. */
export async function newJobView(
  ctx: Pick<Context, "db" | "clock" | "config">,
): Promise<(job: Job, state: JobState | null) => JobOut> {
  const { breakerFailures, breakerMinutes } = ctx.config.policy.work;
  const breakerPolicy = { failures: breakerFailures, openMs: breakerMinutes * MINUTE };
  const now = ctx.clock.now();
  const holdsOf = await findHoldsByJob(ctx, now);
  const machine = teamMachineName(ctx);
  return (job, state) => {
    const breaker = state?.breaker ?? closedBreaker;
    const { at, waits } = findNextRun(job, { now, breaker, breakerPolicy, holdAt: holdsOf(job), machine });
    const command = job.work.kind === "command" ? job.work : null;
    return {
      id: job.id,
      name: job.name,
      cron: job.cron,
      zone: job.zone,
      work: job.work.kind === "command" ? job.work.command : job.work.name,
      kind: job.work.kind,
      folder: command?.folder ?? null,
      seconds: command?.seconds ?? null,
      machine: machineOf(job),
      late: job.late,
      model: job.model,
      enabled: job.enabled,
      breaker: breakerState(breaker, now, breakerPolicy),
      failures: breaker.failures,
      next: at === null ? null : iso(at),
      waits,
    };
  };
}

/** Of these jobs; the names of removed ones are in the journal. */
export async function newSlotView(
  ctx: Pick<Context, "db" | "clock" | "store">,
  slots: readonly Pick<Slot, "job" | "fate">[],
): Promise<(slot: Slot) => SlotOut> {
  const jobs = await listJobsOf(ctx, slots);
  const isTeam = ctx.store.kind === "postgres";
  const claims = slots.some(({ fate }) => fate === "running") ? await listClaims(ctx.db) : [];
  const held = new Map(claims.map(({ item, until }) => [item, until]));
  const now = ctx.clock.now();
  const time = (at: number | null) => (at === null ? null : iso(at));
  return (slot) => {
    const job = jobs.get(slot.job);
    const isLeft =
      slot.fate === "running" &&
      (slot.worker === null || isProcessGone(slot.worker) || (held.get(slotItem(slot)) ?? 0) < now);
    return {
      job: job?.name ?? slot.job,
      slot: iso(slot.slot),
      fate: slot.fate,
      reason: slot.reason,
      missed: formatMissReason(slot),
      detail: isLeft ? "its worker is gone; the next one records it as failed" : slot.detail,
      late: slot.isLate,
      byHand: slot.isByHand,
      worker: slot.worker,
      machine: isTeam && slot.worker !== null ? machineOfProcess(slot.worker) : null,
      zone: job?.zone ?? "UTC",
      startedAt: time(slot.startedAt),
      endedAt: time(slot.endedAt),
    };
  };
}

export function formatJob(job: JobOut): string {
  const state = [
    ...(job.enabled ? [] : ["disabled"]),
    ...(job.next === null ? [] : [`next ${formatZoned(Date.parse(job.next), job.zone)}`]),
    ...(job.waits === null ? [] : [job.next === null ? `waits: ${job.waits}` : `(${job.waits})`]),
  ];
  const where = job.machine === null ? "" : `, only on ${job.machine}`;
  return `${job.name.padEnd(16)} ${job.cron} (${job.zone}${where})  ${state.join(" ")}\n  ${job.work}`;
}

/** The zone that they are in here; another worker may have another. */
export function formatQuietHours(hours: string): string {
  return `Quiet hours of this home: ${hours}, in the time zone of each worker (here ${localTimeZone()}).`;
}

/** For the last line of a text about one job. */
export function formatNext({ next, waits, zone }: JobOut): readonly string[] {
  const because = waits === null ? "" : ` (${waits})`;
  if (next !== null) return [`next: ${formatZoned(Date.parse(next), zone)}${because}`];
  return waits === null ? [] : [`next: not known${because}`];
}

export function formatSlot(slot: SlotOut): string {
  const fate = slot.fate === "missed" ? `missed (${slot.missed ?? "unknown"})` : slot.fate;
  const detail = slot.detail === null ? "" : `  ${toPlainText(slot.detail).split("\n").join(" · ")}`;
  const marks = [
    ...(slot.late ? [`, late${formatBegin(slot)}`] : []),
    ...formatLength(slot),
    ...(slot.byHand ? [", by hand"] : []),
    ...(slot.machine === null ? [] : [` on ${slot.machine}`]),
  ];
  return `${formatZoned(Date.parse(slot.slot), slot.zone)}  ${slot.job}  ${fate}${marks.join("")}${detail}`;
}

function formatBegin({ startedAt, zone }: SlotOut): string {
  return startedAt === null ? "" : `, begun ${formatZoned(Date.parse(startedAt), zone)}`;
}

/** Of a slot that took long. */
function formatLength({ startedAt, endedAt }: SlotOut): readonly string[] {
  const ms = startedAt === null || endedAt === null ? 0 : Date.parse(endedAt) - Date.parse(startedAt);
  return ms < LONG_MS
    ? []
    : [
        `, took ${ms < 2 * MINUTE ? plural(Math.round(ms / SECOND), "second") : plural(Math.round(ms / MINUTE), "minute")}`,
      ];
}

const LONG_MS = 10 * SECOND;

export async function requireJob({ db }: Pick<Context, "db">, name: string): Promise<Job> {
  const job = await findJobByName(db, name);
  if (job !== null) return job;
  const names = (await listJobs(db)).map((one) => one.name);
  throw new OldhandError("not-found", `there is no job ${name}`, {
    hint: names.length === 0 ? "oldhand job add makes one" : `there are ${names.join(", ")}`,
  });
}

/** Removed jobs of that name, as they were. */
export async function listRemovedJobs({ db }: Pick<Context, "db">, name: string): Promise<readonly Job[]> {
  const found: Job[] = [];
  for (const id of await listRemovedJobIds(db)) {
    const last = (await listChangesOf(db, jobNoun, id)).at(-1);
    if (last?.after === null && last.before?.name === name) found.push(last.before);
  }
  return found;
}

/** The jobs of some slots, also removed ones, by id. */
async function listJobsOf(
  { db }: Pick<Context, "db">,
  slots: readonly Pick<Slot, "job">[],
): Promise<ReadonlyMap<string, Job>> {
  const jobs = new Map((await listJobs(db)).map((one) => [one.id, one]));
  const removed = new Set(slots.map(({ job }) => job).filter((id) => !jobs.has(id)));
  for (const id of removed) {
    const last = (await listChangesOf(db, jobNoun, id)).at(-1);
    if (last?.before != null) jobs.set(id, last.before);
  }
  return jobs;
}
