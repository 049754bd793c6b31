import type { Context } from "../../context.ts";
import { closedBreaker } from "../../domain/work/job-breaker.ts";
import { type Job, machineOf } from "../../domain/work/job.ts";
import { findNextRun } from "../../domain/work/next-run.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";
import { iso, MINUTE } from "../../lib/clock.ts";
import { listDueTimes } from "../../lib/cron.ts";
import { groupBy } from "../../lib/group-by.ts";
import { machineOfProcess } from "../../lib/process-ref.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { jobNoun, listJobs } from "../../store/nouns/jobs.ts";
import { type JobState, listJobStates } from "../../store/work/job-states.ts";
import { findLastStart, listUnfinishedSlots } from "../../store/work/slots.ts";
import { listWorkers, type Worker } from "../../store/work/workers.ts";
import { findHoldsByJob } from "./find-pauses.ts";
import { findStrandedJobs, explainStrandedJobs } from "./stranded-jobs.ts";
import { workerState } from "./worker-state.ts";

/** How long a due slot may wait for a worker before the owner is told. */
const PATIENCE_MS = 2 * MINUTE;
const MOST_NAMED = 5;
const MOST_COUNTED = 1_000;

type NoWorkerContext = Pick<Context, "db" | "clock" | "config">;

/** A job that is due and that no worker can run. `times`: how often, if that is known; `since`: the last sign of a worker. */
interface UnservedJob {
  readonly job: Job;
  readonly times: number | null;
  readonly since: number | null;
}

/**
 * Sentences for the owner: one for the jobs that are due and that no worker anywhere runs, and one for each machine that
 * has no worker for its own jobs. Empty if all is well.
 */
export async function findNoWorker(ctx: NoWorkerContext): Promise<readonly string[]> {
  const all = (await listJobs(ctx.db)).filter(({ enabled }) => enabled);
  if (all.length === 0) return [];
  const here = ownMachineName(ctx.config);
  const stranded = findStrandedJobs(ctx.db, all, here);
  const jobs = all.filter((job) => !stranded.includes(job));
  const now = ctx.clock.now();
  const workers = await listWorkers(ctx.db);
  const unserved = jobs.filter((job) => !workersOf(job, workers).some((one) => workerState(one, now) === "lives"));
  const overdue = unserved.length === 0 ? [] : await findOverdue(ctx, unserved, workers);
  // Without a worker anywhere, this machine is concerned as everybody is.
  const isNobodyThere = overdue.some(({ job }) => machineOf(job) === null);
  const groups = groupBy(overdue, ({ job }) => {
    const machine = machineOf(job) ?? "";
    return isNobodyThere && machine === here ? "" : machine;
  });
  return [
    ...explainStrandedJobs(stranded, here),
    ...[...groups].map(([machine, some]) => explainGroup(machine === "" ? null : machine, some, here)),
  ];
}

function workersOf(job: Job, workers: readonly Worker[]): readonly Worker[] {
  const machine = machineOf(job);
  return machine === null ? workers : workers.filter(({ process }) => machineOfProcess(process) === machine);
}

function explainGroup(machine: string | null, jobs: readonly UnservedJob[], here: string): string {
  const signs = jobs.flatMap(({ since }) => (since === null ? [] : [since]));
  const isHere = machine === null || machine === here;
  const where = machine === null ? "" : isHere ? " on this machine" : ` on ${machine}`;
  return [
    `no worker has run${where}${signs.length === 0 ? " yet" : ` since ${iso(Math.max(...signs))}`},`,
    `and ${explainDue(jobs)}:`,
    `\`oldhand run\`${isHere ? "" : " there"}, or \`oldhand run --install\` to start it with your system`,
  ].join(" ");
}

function explainDue(jobs: readonly UnservedJob[]): string {
  const [first] = jobs;
  if (jobs.length === 1 && first !== undefined && first.times !== null)
    return `${first.job.name} was due ${formatTimes(first.times)}`;
  const shown = jobs.slice(0, MOST_NAMED);
  const names = shown.map(({ job, times }) => (times === null ? job.name : `${job.name} (${formatTimes(times)})`));
  const more = jobs.length > shown.length ? ` and ${jobs.length - shown.length} more` : "";
  return `${names.join(", ")}${more} ${jobs.length === 1 ? "is" : "are"} due`;
}

function formatTimes(times: number): string {
  if (times > MOST_COUNTED) return `more than ${MOST_COUNTED} times`;
  return times === 1 ? "once" : `${times} times`;
}

async function findOverdue(
  ctx: NoWorkerContext,
  jobs: readonly Job[],
  workers: readonly Worker[],
): Promise<readonly UnservedJob[]> {
  const { breakerFailures, breakerMinutes } = ctx.config.policy.work;
  const breakerPolicy = { failures: breakerFailures, openMs: breakerMinutes * MINUTE };
  const now = ctx.clock.now();
  const latest = now - PATIENCE_MS;
  const states = await listJobStates(ctx.db);
  const holdsOf = await findHoldsByJob(ctx, 0);
  const waiting = (await listUnfinishedSlots(ctx.db)).filter(({ fate, slot }) => fate === "due" && slot <= latest);
  const found: UnservedJob[] = [];
  for (const job of jobs) {
    const breaker = states.get(job.id)?.breaker ?? closedBreaker;
    const beats = workersOf(job, workers).map(({ beatAt }) => beatAt);
    // Its schedule holds only since its last change.
    const changedAt = (await listChangesOf(ctx.db, jobNoun, job.id)).at(-1)?.at ?? job.madeAt;
    // Workers of other machines plan what its own missed, so only what ran there is a sign.
    const isBound = machineOf(job) !== null;
    const sign = isBound ? await findLastStart(ctx.db, job.id) : findLastPlan(job, states);
    const signs = [...beats, ...(sign === null ? [] : [sign])];
    const since = signs.length === 0 ? null : Math.max(...signs);
    const seen = Math.max(changedAt, isBound ? (since ?? 0) : (states.get(job.id)?.plannedUntil ?? job.madeAt));
    const next = findNextRun(job, { now: seen, breaker, breakerPolicy, holdAt: holdsOf(job), machine: null }).at;
    const isOverdue = next !== null && next <= latest;
    if (!isOverdue && !waiting.some((slot) => slot.job === job.id)) continue;
    const due = isOverdue ? listDueTimes(job, { after: next - 1, until: now, limit: MOST_COUNTED + 1 }) : [];
    const times = due.filter((time) => holdsOf(job)(time) === null).length;
    found.push({ job, since, times: isBound && times > 0 ? times : null });
  }
  return found;
}

/** The last time at which a worker planned slots of a job. */
function findLastPlan({ id, madeAt }: Job, states: ReadonlyMap<string, JobState>): number | null {
  const until = states.get(id)?.plannedUntil ?? 0;
  return until > madeAt ? until : null;
}
