import { type Job, machineOf, runsOn } from "../../domain/work/job.ts";
import { type JobSpan, listJobSpans } from "../../domain/work/job-spans.ts";
import {
  decideForeignSlots,
  decideSlots,
  formatMissReason,
  SUPERSEDED,
  type SlotDecision,
  type SlotSituation,
} from "../../domain/work/slot.ts";
import { explainHold } from "../../domain/work/pause.ts";
import { DAY, MINUTE, SECOND } from "../../lib/clock.ts";
import { groupBy } from "../../lib/group-by.ts";
import { listDueTimes, nextDueTime } from "../../lib/cron.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Queue } from "../../store/engine/queue.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { listJobStates, lockJobState, writePlannedUntil } from "../../store/work/job-states.ts";
import { jobNoun, listJobs, readJob } from "../../store/nouns/jobs.ts";
import { deleteFutureSlots, endSlot, findUnfinishedSlot, insertSlot } from "../../store/work/slots.ts";
import { findHolds, newLeftTest, teamMachineName, type WorkContext } from "./find-pauses.ts";
import type { Lookout } from "./lookout.ts";
import { enqueueSlot } from "./slot-items.ts";

/** How many slots one transaction decides about. */
const BATCH = 200;

/** A clock this far behind the newest row was ahead before. All machines plan by one clock, the queue's. */
const CLOCK_TOLERANCE = 5 * MINUTE;

type PlanContext = Pick<WorkContext, "db" | "config">;

/** Who plans. */
export interface Planner {
  readonly queue: Queue;
  /** The name of its machine. */
  readonly machine: string;
  /** What it knows of times in which it could not look. */
  readonly lookout?: Lookout;
  /** Tells a person what was missed. */
  say?(line: string): void;
  /** Aborted: it stops after the current batch. A clock that is far ahead makes very many slots due. */
  readonly signal?: AbortSignal;
}

/** True if there is a slot of another machine's job that it cannot run any more. Needs no store. */
function isForeignPlanDue(
  job: Job,
  plannedUntil: number,
  { now, lateMs }: { readonly now: number; readonly lateMs: number },
): boolean {
  const first = job.late === "all" ? null : nextDueTime(job, plannedUntil);
  if (first === null || now - first <= lateMs) return false;
  return job.late === "skip" || (nextDueTime(job, first) ?? Number.POSITIVE_INFINITY) <= now;
}

/** True if a slot of the job may have no row yet. Needs no store. */
function isPlanDue(job: Job, plannedUntil: number, now: number): boolean {
  if (plannedUntil > now + CLOCK_TOLERANCE) return true;
  const next = nextDueTime(job, plannedUntil);
  return next !== null && next <= now;
}

/** Plans the slots of every job that may have a new one. Writes nothing if none has. */
export async function planDueJobs(ctx: PlanContext, on: Planner): Promise<void> {
  const jobs = await listJobs(ctx.db);
  if (jobs.length === 0) return;
  const states = await listJobStates(ctx.db);
  const now = await on.queue.now(ctx.db);
  const lateMs = ctx.config.policy.work.lateSeconds * SECOND;
  const holdAt = await findHolds(ctx, now - lateMs);
  for (const job of jobs) {
    const plannedUntil = states.get(job.id)?.plannedUntil ?? job.madeAt;
    const isDue = runsOn(job, on.machine)
      ? isPlanDue(job, plannedUntil, now)
      : isForeignPlanDue(job, plannedUntil, { now, lateMs });
    const first = nextDueTime(job, plannedUntil) ?? now;
    if (isDue && !newLeftTest(ctx, job, { now, holdAt })(first)) await planSlots(ctx, on, job);
  }
  on.lookout?.looked(now);
}

/**
 * Gives every slot of a job up to now its row, and queues those that are to be run. Safe to call from many processes at
 * once: each slot gets one row. Returns the number of new rows.
 */
async function planSlots(ctx: PlanContext, on: Planner, job: Pick<Job, "id">): Promise<number> {
  for (let planned = 0; ;) {
    const batch = await planBatch(ctx, on, job.id);
    planned += batch.rows;
    for (const line of batch.told) on.say?.(line);
    if (!batch.moreFollow || on.signal?.aborted === true) return planned;
  }
}

interface PlannedBatch {
  readonly rows: number;
  readonly moreFollow: boolean;
  /** What was missed, one line for each reason. */
  readonly told: readonly string[];
}

const nothing: PlannedBatch = { rows: 0, moreFollow: false, told: [] };

function planBatch(ctx: PlanContext, { queue, machine, lookout }: Planner, id: string): Promise<PlannedBatch> {
  const { work } = ctx.config.policy;
  return ctx.db.tx(async (tx) => {
    // Read here: it may have been removed or changed since the caller saw it.
    const job = await readJob(tx, id);
    if (job === null) return nothing;
    const state = await lockJobState(tx, id, job.madeAt);
    const now = await queue.now(tx);
    const plannedUntil = await mendPlan(tx, id, state.plannedUntil, now);
    const after = Math.max(plannedUntil, now - work.slotDays * DAY);
    if (after >= now) return nothing;
    const spans = listJobSpans(job, await listChangesOf(tx, jobNoun, id), { after, until: now });
    const found = listDue(spans, BATCH + 1);
    const all = found.slice(0, BATCH);
    const holdAt = await findHolds({ db: tx, config: ctx.config }, all[0] ?? now);
    const left = all.findIndex(newLeftTest({ db: tx, config: ctx.config }, job, { now, holdAt }));
    const slots = left === -1 ? all : all.slice(0, left);
    const moreFollow = found.length > BATCH;
    const unfinished = await findUnfinishedSlot(tx, id);
    const situation: SlotSituation = {
      now,
      lateAfterMs: work.lateSeconds * SECOND,
      breaker: state.breaker,
      breakerPolicy: { failures: work.breakerFailures, openMs: work.breakerMinutes * MINUTE },
      moreFollow,
      unfinished,
      enabledAt: (time) => spans.some((span) => covers(span, time) && span.job?.enabled === true),
      pausedAt: (time) => {
        const hold = holdAt(time);
        return hold === null ? null : explainHold(hold, teamMachineName({ db: tx, config: ctx.config }));
      },
      absenceAt: (time) => lookout?.absenceAt(time) ?? null,
      wasBlindAt: (time) => lookout?.wasBlind(time, now) === true,
      wasAway: lookout?.wasAway(now) === true,
    };
    const isOurs = runsOn(job, machine);
    const owner = machineOf(job);
    const decisions =
      isOurs || owner === null
        ? decideSlots(job.late, slots, situation)
        : decideForeignSlots(job.late, owner, slots, situation);
    // What its machine, or another one, still may run is left to it.
    const isCut = decisions.length < all.length;
    if (job.late !== "all" && decisions.some(({ kind }) => kind === "run")) await supersede(tx, id, unfinished, now);
    const made: SlotDecision[] = [];
    for (const decision of decisions) if (await writeDecision(tx, queue, job, decision)) made.push(decision);
    const rows = made.length;
    const last = decisions.at(-1)?.slot ?? plannedUntil;
    await writePlannedUntil(tx, id, isCut || moreFollow ? last : now);
    return { rows, moreFollow: moreFollow && !isCut, told: describeMissed(job, made) };
  });
}

function describeMissed({ name }: Job, decisions: readonly SlotDecision[]): readonly string[] {
  const missed = decisions.flatMap((one) => (one.kind === "missed" ? [one] : []));
  return [...groupBy(missed, (one) => `missed (${formatMissReason(one) ?? one.reason}): ${one.detail}`)].map(
    ([what, some]) => `${name}: ${some.length === 1 ? "" : `${some.length} slots `}${what}`,
  );
}

/** A slot that nobody began gives way to a newer one. Those that a person waits for stay. */
async function supersede(
  tx: Db,
  job: string,
  unfinished: Awaited<ReturnType<typeof findUnfinishedSlot>>,
  now: number,
): Promise<void> {
  if (unfinished === null || unfinished.isRunning || unfinished.isByHand) return;
  const { slot } = unfinished;
  await endSlot(tx, { job, slot, attempt: 0 }, { fate: "missed", reason: "asleep", detail: SUPERSEDED, now });
}

/** A clock that was ahead made rows of slots that are not due yet: those that nobody ran are due at their time again. */
async function mendPlan(tx: Db, job: string, plannedUntil: number, now: number): Promise<number> {
  if (plannedUntil <= now + CLOCK_TOLERANCE) return plannedUntil;
  await deleteFutureSlots(tx, job, now);
  await writePlannedUntil(tx, job, now);
  return now;
}

function listDue(spans: readonly JobSpan[], limit: number): readonly number[] {
  const found: number[] = [];
  for (const { job, after, until } of spans)
    if (job !== null) found.push(...listDueTimes(job, { after, until, limit: limit - found.length }));
  return found;
}

function covers({ after, until }: JobSpan, time: number): boolean {
  return after < time && time <= until;
}

async function writeDecision(tx: Db, queue: Queue, { id: job, work }: Job, decision: SlotDecision): Promise<boolean> {
  const { slot } = decision;
  if (decision.kind === "missed") {
    const { reason, detail } = decision;
    return insertSlot(tx, { job, slot, fate: "missed", reason, detail, isLate: false, isByHand: false });
  }
  const { isLate } = decision;
  const isNew = await insertSlot(tx, { job, slot, fate: "due", reason: null, detail: null, isLate, isByHand: false });
  if (isNew) await enqueueSlot(tx, queue, { job, slot, machine: machineOf({ work }) });
  return isNew;
}
