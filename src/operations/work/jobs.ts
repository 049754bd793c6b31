import { z } from "zod";
import type { Context } from "../../context.ts";
import { closedBreaker } from "../../domain/work/job-breaker.ts";
import { type Job, latePolicies, machineOf } from "../../domain/work/job.ts";
import { DAY, parseTime } from "../../lib/clock.ts";
import { listJobSpans } from "../../domain/work/job-spans.ts";
import { listDueTimes } from "../../lib/cron.ts";
import { OldhandError } from "../../lib/errors.ts";
import { defineOperation } from "../../operation.ts";
import { noteAction } from "../../store/journal/actions.ts";
import { applyChange, listChangesOf, makeProvenance } from "../../store/journal/journal.ts";
import { markAlertsSeen } from "../../store/work/alerts.ts";
import { jobNoun, listJobs } from "../../store/nouns/jobs.ts";
import { listJobStates, lockJobState, readJobState, writeJobBreaker } from "../../store/work/job-states.ts";
import { listSlots, missWaitingSlots } from "../../store/work/slots.ts";
import { builtInJobs } from "../../work/jobs/built-in-jobs.ts";
import { findNoWorker } from "../../work/jobs/find-no-worker.ts";
import { runByHand } from "../../work/jobs/run-by-hand.ts";
import { alertSubject } from "../../work/jobs/run-slot.ts";
import { formatAlert } from "../shared/format-alert.ts";
import { changeOut, changeShape, formatUndoHint, limitInput, timeInput } from "../shared/shapes.ts";
import {
  formatJob,
  formatNext,
  formatQuietHours,
  formatSlot,
  jobShape,
  listRemovedJobs,
  newJobView,
  newSlotView,
  requireJob,
  slotShape,
} from "./job-shapes.ts";
import { editJob, makeJob, requireFreeName, warnOfOtherMachine } from "./make-job.ts";

const name = z.string().min(1).describe("the name of the job");
const machine = z
  .string()
  .min(1)
  .optional()
  .describe("the only machine of a team that runs the command (default: the one where it is added)");
const anywhere = z.boolean().optional().describe("any machine of a team that has a worker may run the command");
const decided = z.object({ job: jobShape, change: changeShape.nullable() }).meta({ id: "JobDecision" });
const placed = decided
  .extend({ warnings: z.array(z.string()).describe("what could not be checked here, because another machine runs it") })
  .meta({ id: "PlacedJob" });

const list = defineOperation({
  name: "job list",
  summary: "Shows all jobs: when they are due, and whether they fail.",
  effect: "read",
  input: z.object({}),
  output: z.object({
    jobs: z.array(jobShape),
    builtIn: z.array(z.object({ name: z.string(), summary: z.string(), cron: z.string() })),
    quietHours: z
      .string()
      .nullable()
      .describe("hours of every day in which the workers of this home begin nothing, in the time zone of each"),
    noWorker: z.array(z.string()).describe("jobs that are due and that no worker runs, one sentence for each machine"),
  }),
  run: async (ctx) => {
    const states = await listJobStates(ctx.db);
    const jobs = await listJobs(ctx.db);
    const missing = builtInJobs.filter((one) => !jobs.some((job) => job.name === one.name));
    const view = await newJobView(ctx);
    return {
      jobs: jobs.map((job) => view(job, states.get(job.id) ?? null)),
      builtIn: missing.map((one) => ({ name: one.name, summary: one.summary, cron: one.cron })),
      quietHours: ctx.config.policy.work.quietHours || null,
      noWorker: [...(await findNoWorker(ctx))],
    };
  },
  render: ({ jobs, builtIn, quietHours, noWorker }) =>
    [
      jobs.length === 0 ? "There is no job yet." : jobs.map(formatJob).join("\n"),
      ...(quietHours === null ? [] : ["", formatQuietHours(quietHours)]),
      ...formatNoWorker(noWorker),
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
  summary:
    "Adds a job: a command, or one that comes with oldhand, at the times of a cron expression. `oldhand run` runs it.",
  effect: "write",
  label: "Add a job",
  input: z.object({
    name,
    cron: z
      .string()
      .min(1)
      .optional()
      .describe(
        "when it is due: minute, hour, day, month, weekday, such as `0 9 * * 1-5`; a job that comes with oldhand has its usual times",
      ),
    command: z.string().min(1).optional().describe("what to run; without it, the built-in job of that name"),
    folder: z.string().min(1).optional().describe("where to run the command (default: the current folder)"),
    seconds: z.coerce.number<number>().int().min(1).max(86_400).optional().describe("time limit of the command"),
    zone: z.string().min(1).optional().describe("time zone of the cron expression (default: this machine's)"),
    late: z
      .enum(latePolicies)
      .default("once")
      .describe("what happens to slots that nobody could run in time: left out, run once, or run all"),
    model: z.string().min(1).optional().describe("model that the job uses; it stays even if the default changes"),
    machine,
    anywhere,
  }),
  positional: ["name"],
  shownFirst: ["cron", "command"],
  output: placed,
  example: 'oldhand job add tests --cron "0 6 * * 1-5" --command "npm test"',
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const job = makeJob(ctx, input);
    await requireFreeName(ctx, job.name);
    const change = await applyChange(ctx.db, { noun: jobNoun, id: job.id }, makeProvenance(ctx, "job add"), () => job);
    return {
      job: (await newJobView(ctx))(job, null),
      change: change === null ? null : changeOut(change),
      warnings: [...(await warnOfOtherMachine(ctx, job))],
    };
  },
  notes: ({ warnings }) => warnings,
  render: ({ job, change }) =>
    [
      formatJob(job),
      "It runs while `oldhand run` runs; `oldhand run --install` starts that with your system.",
      ...(change === null ? [] : [formatUndoHint([change.id])]),
    ].join("\n"),
});

const edit = defineOperation({
  name: "job edit",
  summary:
    "Changes a job: when it is due, its command, folder, time limit, model or machine, and what happens to late slots.",
  effect: "write",
  label: "Edit the job",
  input: z.object({
    name,
    cron: z.string().min(1).optional().describe("when it is due"),
    zone: z.string().min(1).optional().describe("time zone of the cron expression"),
    late: z.enum(latePolicies).optional().describe("what happens to slots that nobody could run in time"),
    command: z.string().min(1).optional().describe("what to run"),
    folder: z.string().min(1).optional().describe("where to run the command"),
    seconds: z.coerce.number<number>().int().min(1).max(86_400).optional().describe("time limit of the command"),
    model: z.string().min(1).optional().describe("model that the job uses"),
    machine: machine.describe("the only machine of a team that runs the command"),
    anywhere,
  }),
  positional: ["name"],
  shownFirst: ["cron", "command", "folder"],
  output: placed,
  example: 'oldhand job edit tests --cron "0 7 * * *"',
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const { name: _name, ...edit } = input;
    const before = await requireJob(ctx, input.name);
    const after = editJob(ctx, before, edit);
    const made = await decide(ctx, before, "job edit", (job) => editJob(ctx, job, edit));
    // A slot that waits for workers of the old machine would keep all later ones from running.
    if (machineOf(before) !== machineOf(after))
      await missWaitingSlots(ctx.db, before.id, {
        ...{ reason: "asleep", detail: "the job moved to another machine before it began", now: ctx.clock.now() },
      });
    const isMoved = input.machine !== undefined || input.folder !== undefined;
    return { ...made, warnings: isMoved ? [...(await warnOfOtherMachine(ctx, after))] : [] };
  },
  notes: ({ warnings }) => warnings,
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
    await noteAction(ctx.db, makeProvenance(ctx, "job reset"), `job ${job.name}: breaker reset`);
    return { job: (await newJobView(ctx))(job, await readJobState(ctx.db, job.id)), wasOpen };
  },
  render: ({ job, wasOpen }) =>
    [
      wasOpen ? `${job.name} may run again.` : `${job.name} was not held back. Its count of failures is 0.`,
      ...formatNext(job),
    ].join("\n"),
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
    const shown = (await newSlotView(ctx, [slot]))(slot);
    return { slot: shown, job: (await newJobView(ctx))(job, await readJobState(ctx.db, job.id)) };
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
  output: z.object({
    slots: z.array(slotShape),
    job: jobShape.nullable(),
    unrecorded: z
      .array(z.object({ job: z.string(), times: z.number() }))
      .describe(
        "how often jobs were due since a worker looked last, at most 1000; empty while a worker is there and has recorded any",
      ),
    noWorker: z.array(z.string()).describe("jobs that are due and that no worker runs, one sentence for each machine"),
  }),
  example: "oldhand job why backup",
  run: async (ctx, input) => {
    const { job, ids } = await findJobs(ctx, input.name);
    const now = ctx.clock.now();
    const noWorker = await findNoWorker(ctx);
    const range = {
      since: parseTime(input.since) ?? now - 7 * DAY,
      until: parseTime(input.until) ?? Number.MAX_SAFE_INTEGER,
    };
    const slots = await listSlots(ctx.db, { jobs: ids, ...range, limit: input.limit });
    return {
      slots: slots.map(await newSlotView(ctx, slots)),
      job: job === null ? null : (await newJobView(ctx))(job, await readJobState(ctx.db, job.id)),
      unrecorded: noWorker.length === 0 && slots.length > 0 ? [] : await listUnrecorded(ctx, ids, range),
      noWorker: [...noWorker],
    };
  },
  render: ({ slots, job, unrecorded, noWorker }) =>
    [
      ...unrecorded.map(formatUnrecorded),
      ...(slots.length === 0 && unrecorded.length === 0 ? ["No slot was due in this time."] : []),
      ...slots.map(formatSlot),
      ...(job === null ? [] : formatNext(job)),
      ...(job === null || job.machine === null ? [] : [`It runs only on ${job.machine}.`]),
      ...formatNoWorker(noWorker),
    ].join("\n"),
});

export const jobOperations = [list, add, edit, enable, disable, run, reset, remove, why] as const;

/** The job of a name, or removed ones that had it; undefined: all. */
async function findJobs(
  ctx: Context,
  named: string | undefined,
): Promise<{ readonly job: Job | null; readonly ids: readonly string[] | undefined }> {
  if (named === undefined) return { job: null, ids: undefined };
  const removed = (await listRemovedJobs(ctx, named)).map(({ id }) => id);
  const job = (await listJobs(ctx.db)).find((one) => one.name === named) ?? null;
  if (job === null && removed.length === 0) await requireJob(ctx, named);
  return { job, ids: [...(job === null ? [] : [job.id]), ...removed] };
}

/** Due times that have no row, because no worker is there to write it. */
async function listUnrecorded(
  ctx: Context,
  ids: readonly string[] | undefined,
  range: { readonly since: number; readonly until: number },
): Promise<{ job: string; times: number }[]> {
  const states = await listJobStates(ctx.db);
  const until = Math.min(ctx.clock.now(), range.until);
  const jobs = (await listJobs(ctx.db)).filter(({ id, enabled }) => enabled && (ids?.includes(id) ?? true));
  const counted: { job: string; times: number }[] = [];
  for (const job of jobs) {
    const changes = await listChangesOf(ctx.db, jobNoun, job.id);
    const after = Math.max(states.get(job.id)?.plannedUntil ?? job.madeAt, range.since - 1);
    const found = listJobSpans(job, changes, { after, until }).flatMap((span) =>
      span.job === null ? [] : listDueTimes(span.job, { ...span, limit: MOST_COUNTED }),
    );
    if (found.length > 0) counted.push({ job: job.name, times: Math.min(found.length, MOST_COUNTED) });
  }
  return counted;
}

const MOST_COUNTED = 1_000;

function formatUnrecorded({ job, times }: { readonly job: string; readonly times: number }): string {
  if (times === 1) return `${job} was due once; no worker has recorded it yet.`;
  return `${job} was due ${times === MOST_COUNTED ? "1000 times or more" : `${times} times`}; no worker has recorded them yet.`;
}

function formatNoWorker(texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? [] : ["", ...texts.map(formatAlert)];
}

async function decide(ctx: Context, job: Job, verb: string, next: (job: Job) => Job): Promise<z.input<typeof decided>> {
  const made = await applyChange(ctx.db, { noun: jobNoun, id: job.id }, makeProvenance(ctx, verb), (before) =>
    before === null ? null : next(before),
  );
  const after = await requireJob(ctx, job.name);
  return {
    job: (await newJobView(ctx))(after, await readJobState(ctx.db, job.id)),
    change: made === null ? null : changeOut(made),
  };
}

function renderDecision({ job, change }: z.output<typeof decided>): string {
  return [formatJob(job), change === null ? "Nothing changed." : formatUndoHint([change.id])].join("\n");
}
