import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { findDefaultModel } from "../../domain/model/endpoint.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { closedBreaker } from "../../domain/work/job-breaker.ts";
import { findJobNameFault, type Job, type JobWork, latePolicies } from "../../domain/work/job.ts";
import { DAY, parseTime } from "../../lib/clock.ts";
import { findScheduleFault, localTimeZone } from "../../lib/cron.ts";
import { OldhandError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { requireModelRef } from "../../models/providers/named-model.ts";
import { defineOperation } from "../../operation.ts";
import { applyChange, makeProvenance } from "../../store/journal/journal.ts";
import { markAlertsSeen } from "../../store/work/alerts.ts";
import { findJobByName, jobNoun, listJobs } from "../../store/nouns/jobs.ts";
import { listJobStates, lockJobState, readJobState, writeJobBreaker } from "../../store/work/job-states.ts";
import { listSlots } from "../../store/work/slots.ts";
import { builtInJobs, findBuiltInJob } from "../../work/jobs/built-in-jobs.ts";
import { runByHand } from "../../work/jobs/run-by-hand.ts";
import { alertSubject } from "../../work/jobs/run-slot.ts";
import { changeOut, changeShape, formatUndoHint, limitInput, timeInput } from "../shared/shapes.ts";
import { formatJob, formatSlot, jobOut, jobShape, nameJobs, requireJob, slotOut, slotShape } from "./job-shapes.ts";

const name = z.string().min(1).describe("the name of the job");
const decided = z.object({ job: jobShape, change: changeShape.nullable() }).meta({ id: "JobDecision" });

const list = defineOperation({
  name: "job list",
  summary: "Shows all jobs: when they are due, and whether they fail.",
  effect: "read",
  input: z.object({}),
  output: z.object({
    jobs: z.array(jobShape),
    builtIn: z.array(z.object({ name: z.string(), summary: z.string(), cron: z.string() })),
  }),
  run: async (ctx) => {
    const states = await listJobStates(ctx.db);
    const jobs = await listJobs(ctx.db);
    const missing = builtInJobs.filter((one) => !jobs.some((job) => job.name === one.name));
    return {
      jobs: jobs.map((job) => jobOut(ctx, job, states.get(job.id) ?? null)),
      builtIn: missing.map((one) => ({ name: one.name, summary: one.summary, cron: one.cron })),
    };
  },
  render: ({ jobs, builtIn }) =>
    [
      jobs.length === 0 ? "There is no job yet." : jobs.map(formatJob).join("\n"),
      ...(builtIn.length === 0
        ? []
        : [
            "",
            "`oldhand job add NAME` adds one of these:",
            ...builtIn.map((one) => `${one.name.padEnd(16)} ${one.cron}  ${one.summary}`),
          ]),
    ].join("\n"),
});

const add = defineOperation({
  name: "job add",
  summary: "Adds a job: a command, or one that comes with oldhand, at the times of a cron text. `oldhand run` runs it.",
  effect: "write",
  label: "Add a job",
  input: z.object({
    name,
    cron: z
      .string()
      .min(1)
      .optional()
      .describe("when it is due: minute, hour, day, month, weekday, such as `0 9 * * 1-5`"),
    command: z.string().min(1).optional().describe("what to run; without it, the built-in job of that name"),
    folder: z.string().min(1).optional().describe("where to run the command (default: the current folder)"),
    seconds: z.coerce.number<number>().int().min(1).max(86_400).optional().describe("time limit of the command"),
    zone: z.string().min(1).optional().describe("time zone of the cron text (default: this machine's)"),
    late: z
      .enum(latePolicies)
      .default("once")
      .describe("what happens to slots that nobody could run in time: left out, run once, or run all"),
    model: z.string().min(1).optional().describe("model that the job uses; it stays even if the default changes"),
  }),
  positional: ["name"],
  expects: ["cron"],
  output: decided,
  example: 'oldhand job add tests --cron "0 6 * * 1-5" --command "npm test"',
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const job = makeJob(ctx, input);
    await requireFreeName(ctx, job.name);
    const change = await applyChange(ctx.db, { noun: jobNoun, id: job.id }, makeProvenance(ctx, "job add"), () => job);
    return { job: jobOut(ctx, job, null), change: change === null ? null : changeOut(change) };
  },
  render: ({ job, change }) =>
    [
      formatJob(job),
      "It runs while `oldhand run` runs; `oldhand run --install` starts that with your system.",
      ...(change === null ? [] : [formatUndoHint([change.id])]),
    ].join("\n"),
});

const edit = defineOperation({
  name: "job edit",
  summary: "Changes when a job is due, or what happens to late slots.",
  effect: "write",
  label: "Edit the job",
  input: z.object({
    name,
    cron: z.string().min(1).optional().describe("when it is due"),
    zone: z.string().min(1).optional().describe("time zone of the cron text"),
    late: z.enum(latePolicies).optional().describe("what happens to slots that nobody could run in time"),
  }),
  positional: ["name"],
  output: decided,
  example: 'oldhand job edit tests --cron "0 7 * * *"',
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const before = await requireJob(ctx, input.name);
    const schedule = { cron: input.cron ?? before.cron, zone: input.zone ?? before.zone };
    requireSchedule(schedule, ctx.clock.now());
    return decide(ctx, before, "job edit", (job) => ({
      ...job,
      ...schedule,
      late: input.late ?? job.late,
    }));
  },
  render: renderDecision,
});

const enable = defineOperation({
  name: "job enable",
  summary: "Enables a job that was disabled.",
  effect: "write",
  label: "Enable",
  input: z.object({ name }),
  positional: ["name"],
  output: decided,
  isOwnerOnly: () => true,
  run: async (ctx, input) =>
    decide(ctx, await requireJob(ctx, input.name), "job enable", (job) => ({ ...job, enabled: true })),
  render: renderDecision,
});

const disable = defineOperation({
  name: "job disable",
  summary: "Disables a job: its slots are missed until it is enabled. What runs is finished.",
  effect: "write",
  label: "Disable",
  input: z.object({ name }),
  positional: ["name"],
  output: decided,
  isOwnerOnly: () => true,
  run: async (ctx, input) =>
    decide(ctx, await requireJob(ctx, input.name), "job disable", (job) => ({ ...job, enabled: false })),
  render: renderDecision,
});

const reset = defineOperation({
  name: "job reset",
  summary: "Lets a job run again that failed too often.",
  effect: "write",
  label: "Reset its breaker",
  input: z.object({ name }),
  positional: ["name"],
  output: z.object({ job: jobShape, wasOpen: z.boolean() }),
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const job = await requireJob(ctx, input.name);
    const wasOpen = await ctx.db.tx(async (tx) => {
      const { breaker } = await lockJobState(tx, job.id, job.madeAt);
      await writeJobBreaker(tx, job.id, closedBreaker);
      await markAlertsSeen(tx, alertSubject(job), ctx.clock.now());
      return breaker.openedAt !== null;
    });
    return { job: jobOut(ctx, job, await readJobState(ctx.db, job.id)), wasOpen };
  },
  render: ({ job, wasOpen }) =>
    wasOpen
      ? `${job.name} runs again, next at ${job.next ?? "no time, because it is disabled"}.`
      : `${job.name} was not stopped.`,
});

const remove = defineOperation({
  name: "job remove",
  summary: "Removes a job. A slot that runs is finished; the record of its slots stays.",
  effect: "write",
  label: "Remove the job",
  input: z.object({ name }),
  positional: ["name"],
  output: z.object({ change: changeShape }),
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const job = await requireJob(ctx, input.name);
    const of = { noun: jobNoun, id: job.id };
    const change = await applyChange(ctx.db, of, makeProvenance(ctx, "job remove"), () => null);
    await markAlertsSeen(ctx.db, alertSubject(job), ctx.clock.now());
    if (change === null) throw new OldhandError("not-found", `there is no job ${input.name}`);
    return { change: changeOut(change) };
  },
  render: ({ change }) => `Removed.\n${formatUndoHint([change.id])}`,
});

const run = defineOperation({
  name: "job run",
  summary: "Runs a job now, outside of its schedule, and waits for its end.",
  effect: "spends",
  label: "Run now",
  input: z.object({ name }),
  positional: ["name"],
  output: z.object({ slot: slotShape, job: jobShape }),
  example: "oldhand job run backup",
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const job = await requireJob(ctx, input.name);
    const slot = await runByHand(ctx, job);
    return { slot: slotOut(slot, job.name), job: jobOut(ctx, job, await readJobState(ctx.db, job.id)) };
  },
  render: ({ slot }) => formatSlot(slot),
  isNegative: ({ slot }) => slot.fate !== "ran",
});

const why = defineOperation({
  name: "job why",
  summary: "Shows what became of every slot of a job, and why.",
  effect: "read",
  label: "Show its slots",
  input: z.object({
    name: z.string().min(1).optional().describe("the name of the job; without it, all jobs"),
    since: timeInput.optional().describe("only from this time on (default: the last 7 days)"),
    until: timeInput.optional().describe("only up to this time"),
    limit: limitInput(50),
  }),
  positional: ["name"],
  output: z.object({ slots: z.array(slotShape), job: jobShape.nullable() }),
  example: "oldhand job why backup",
  run: async (ctx, input) => {
    const job = input.name === undefined ? null : await requireJob(ctx, input.name);
    const now = ctx.clock.now();
    const slots = await listSlots(ctx.db, {
      job: job?.id,
      since: parseTime(input.since) ?? now - 7 * DAY,
      until: parseTime(input.until) ?? Number.MAX_SAFE_INTEGER,
      limit: input.limit,
    });
    const names = await nameJobs(ctx, slots);
    return {
      slots: slots.map((slot) => slotOut(slot, names.get(slot.job) ?? slot.job)),
      job: job === null ? null : jobOut(ctx, job, await readJobState(ctx.db, job.id)),
    };
  },
  render: ({ slots, job }) =>
    [
      slots.length === 0 ? "No slot was due in this time." : slots.map(formatSlot).join("\n"),
      ...(job?.next ? [`next: ${job.next}`] : []),
    ].join("\n"),
});

export const jobOperations = [list, add, edit, enable, disable, run, reset, remove, why] as const;

interface NewJob {
  readonly name: string;
  readonly cron?: string | undefined;
  readonly command?: string | undefined;
  readonly folder?: string | undefined;
  readonly seconds?: number | undefined;
  readonly zone?: string | undefined;
  readonly late: Job["late"];
  readonly model?: string | undefined;
}

async function requireFreeName(ctx: Pick<Context, "db">, wanted: string): Promise<void> {
  if ((await findJobByName(ctx.db, wanted)) === null) return;
  throw new OldhandError("conflict", `there is a job ${wanted} already`, {
    hint: `oldhand job edit ${wanted} changes it, oldhand job remove ${wanted} removes it`,
  });
}

function makeJob(ctx: Pick<Context, "clock" | "config">, input: NewJob): Job {
  const fault = findJobNameFault(input.name);
  if (fault !== null) throw new OldhandError("usage", fault);
  const work = makeWork(ctx, input);
  const builtIn = work.kind === "built-in" ? findBuiltInJob(work.name) : null;
  const cron = input.cron ?? builtIn?.cron;
  if (cron === undefined)
    throw new OldhandError("usage", "--cron is missing", { hint: 'such as --cron "0 9 * * 1-5"' });
  const now = ctx.clock.now();
  const schedule = { cron, zone: input.zone ?? localTimeZone() };
  requireSchedule(schedule, now);
  return {
    id: newId("job", now),
    name: input.name,
    ...schedule,
    work,
    late: input.late,
    model: pinModel(ctx, input),
    enabled: true,
    madeAt: now,
  };
}

/** The model is chosen now: a job must not move to another one because the default changed. */
function pinModel({ config }: Pick<Context, "config">, { command, model }: NewJob): string | null {
  if (model !== undefined) return formatModelRef(requireModelRef(model, config.providers));
  const usual = command === undefined ? null : findDefaultModel(config.providers);
  return usual === null ? null : formatModelRef(usual);
}

function makeWork(ctx: Pick<Context, "config">, input: NewJob): JobWork {
  if (input.command !== undefined) {
    const seconds = input.seconds ?? ctx.config.policy.work.commandSeconds;
    const folder = resolve(input.folder ?? ".");
    if (!existsSync(folder)) throw new OldhandError("usage", `the folder ${folder} is not there`);
    return { kind: "command", command: input.command, folder, seconds };
  }
  if (findBuiltInJob(input.name) !== null) return { kind: "built-in", name: input.name };
  const names = builtInJobs.map((one) => one.name).join(", ");
  throw new OldhandError("usage", `--command is missing, and "${input.name}" is not a job that comes with oldhand`, {
    hint: `those are ${names}`,
  });
}

function requireSchedule(schedule: { readonly cron: string; readonly zone: string }, now: number): void {
  const fault = findScheduleFault(schedule, now);
  if (fault !== null) throw new OldhandError("usage", fault);
}

async function decide(ctx: Context, job: Job, verb: string, next: (job: Job) => Job): Promise<z.input<typeof decided>> {
  const made = await applyChange(ctx.db, { noun: jobNoun, id: job.id }, makeProvenance(ctx, verb), (before) =>
    before === null ? null : next(before),
  );
  const after = await requireJob(ctx, job.name);
  return {
    job: jobOut(ctx, after, await readJobState(ctx.db, job.id)),
    change: made === null ? null : changeOut(made),
  };
}

function renderDecision({ job, change }: z.output<typeof decided>): string {
  return [formatJob(job), change === null ? "Nothing changed." : formatUndoHint([change.id])].join("\n");
}
