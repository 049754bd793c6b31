import type { Context } from "../../context.ts";
import { closedBreaker } from "../../domain/work/job-breaker.ts";
import { type Job, machineOf } from "../../domain/work/job.ts";
import { findNextRun } from "../../domain/work/next-run.ts";
import { iso, MINUTE } from "../../lib/clock.ts";
import { machineOfProcess } from "../../lib/process-ref.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { jobNoun, listJobs } from "../../store/nouns/jobs.ts";
import { type JobState, listJobStates } from "../../store/work/job-states.ts";
import { listUnfinishedSlots } from "../../store/work/slots.ts";
import { listWorkers, type Worker } from "../../store/work/workers.ts";
import { findHoldsByJob } from "./find-pauses.ts";
import { workerState } from "./worker-state.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";

/** How long a due slot may wait for a worker before the owner is told. */
const PATIENCE_MS = 2 * MINUTE;
const MOST_NAMED = 5;

/** A sentence for the owner if jobs are due and no worker is there to run them; null if all is well. */
export async function findNoWorker(ctx: Pick<Context, "db" | "clock" | "config">): Promise<string | null> {
  const jobs = (await listJobs(ctx.db)).filter(({ enabled }) => enabled);
  if (jobs.length === 0) return null;
  const now = ctx.clock.now();
  const workers = await listWorkers(ctx.db);
  const unserved = jobs.filter((job) => !workersOf(job, workers).some((one) => workerState(one, now) === "lives"));
  if (unserved.length === 0) return null;
  const states = await listJobStates(ctx.db);
  const isOverdue = await newOverdueTest(ctx, states);
  const overdue: Job[] = [];
  for (const job of unserved) if (await isOverdue(job)) overdue.push(job);
  const [first] = overdue;
  if (first === undefined) return null;
  // One sentence: jobs for any machine concern everybody, those of one machine only that.
  const machine = overdue.some((job) => machineOf(job) === null) ? null : machineOf(first);
  const concerned = overdue.filter((job) => machineOf(job) === machine);
  const since = findLastSign(concerned, workersOf(concerned[0] ?? first, workers), states);
  const names = concerned.slice(0, MOST_NAMED).map(({ name }) => name);
  const more = concerned.length > names.length ? ` and ${concerned.length - names.length} more` : "";
  const isHere = machine === null || machine === ownMachineName(ctx.config);
  const where = machine === null ? "" : isHere ? " on this machine" : ` on ${machine}`;
  return [
    `no worker has run${where}${since === null ? " yet" : ` since ${iso(since)}`},`,
    `and ${names.join(", ")}${more} ${concerned.length === 1 ? "is" : "are"} due:`,
    `\`oldhand run\`${isHere ? "" : " there"}, or \`oldhand run --install\` to start it with your system`,
  ].join(" ");
}

function workersOf(job: Job, workers: readonly Worker[]): readonly Worker[] {
  const machine = machineOf(job);
  return machine === null ? workers : workers.filter(({ process }) => machineOfProcess(process) === machine);
}

async function newOverdueTest(
  ctx: Pick<Context, "db" | "clock" | "config">,
  states: ReadonlyMap<string, JobState>,
): Promise<(job: Job) => Promise<boolean>> {
  const { breakerFailures, breakerMinutes } = ctx.config.policy.work;
  const breakerPolicy = { failures: breakerFailures, openMs: breakerMinutes * MINUTE };
  const latest = ctx.clock.now() - PATIENCE_MS;
  const holdsOf = await findHoldsByJob(ctx, 0);
  const waiting = (await listUnfinishedSlots(ctx.db)).filter(({ fate, slot }) => fate === "due" && slot <= latest);
  return async (job) => {
    if (waiting.some((slot) => slot.job === job.id)) return true;
    const breaker = states.get(job.id)?.breaker ?? closedBreaker;
    // Its schedule holds only since its last change.
    const changedAt = (await listChangesOf(ctx.db, jobNoun, job.id)).at(-1)?.at ?? job.madeAt;
    const since = Math.max(changedAt, states.get(job.id)?.plannedUntil ?? job.madeAt);
    const { at } = findNextRun(job, { now: since, breaker, breakerPolicy, holdAt: holdsOf(job), machine: null });
    return at !== null && at <= latest;
  };
}

/** The last time at which a worker gave a sign of life, or planned a slot. */
function findLastSign(
  jobs: readonly Job[],
  workers: readonly Worker[],
  states: ReadonlyMap<string, JobState>,
): number | null {
  const planned = jobs.map((job) => ({ job, until: states.get(job.id)?.plannedUntil ?? 0 }));
  const signs = [
    ...workers.map(({ beatAt }) => beatAt),
    ...planned.filter(({ job, until }) => until > job.madeAt).map(({ until }) => until),
  ];
  return signs.length === 0 ? null : Math.max(...signs);
}
