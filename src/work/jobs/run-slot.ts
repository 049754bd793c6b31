import { isCapUsedUp, spendingDay } from "../../domain/model/caps.ts";
import { type Job, machineOf, runsOn } from "../../domain/work/job.ts";
import { explainHold } from "../../domain/work/pause.ts";
import {
  addJobFailure,
  closedBreaker,
  explainJobFailures,
  isBreakerOpen,
  type JobBreaker,
  type JobBreakerPolicy,
} from "../../domain/work/job-breaker.ts";
import { explainOpenBreaker, formatMissReason, type MissReason } from "../../domain/work/slot.ts";
import { findNextRun } from "../../domain/work/next-run.ts";
import { fixedClock, iso, MINUTE, SECOND } from "../../lib/clock.ts";
import { isProcessGone } from "../../lib/process-ref.ts";
import { plural } from "../../lib/text.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Claim, Queue } from "../../store/engine/queue.ts";
import { listCapUsage } from "../../store/models/cap-usage.ts";
import { insertAlert, markAlertsSeen, rewriteAlert } from "../../store/work/alerts.ts";
import { lockJobState, writeJobBreaker } from "../../store/work/job-states.ts";
import { readJob } from "../../store/nouns/jobs.ts";
import { endSlot, hasSlotBefore, readSlot, type Slot, startSlot } from "../../store/work/slots.ts";
import type { Performed } from "../work-queue.ts";
import { findHolds, findHoldsByJob, newLeftTest, teamMachineName, type WorkContext } from "./find-pauses.ts";
import { parseSlotItem } from "./slot-items.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";

/** The result of a slot's work. */
export type WorkResult =
  | { readonly kind: "ran"; readonly detail: string }
  | { readonly kind: "failed"; readonly detail: string }
  /** The money for it is used up. */
  | { readonly kind: "capped"; readonly detail: string }
  /** It was stopped on the way by the owner: a pause, or the worker's end. */
  | { readonly kind: "stopped"; readonly detail: string };

export interface SlotRunner {
  readonly ctx: Pick<WorkContext, "db" | "config">;
  /** Its clock gives all times of a slot. */
  readonly queue: Pick<Queue, "now">;
  /** The name of this worker. */
  readonly worker: string;
  /** Does the work of a job. It never throws. */
  work(job: Job, slot: Slot, signal: AbortSignal): Promise<WorkResult>;
  /** Tells a person what was missed, and that a job is held back. */
  say?(line: string): void;
  /** Ends the processes on this machine that a worker left running when it lost the slot. */
  endLeftoverProcesses?(slot: Slot): void;
}

type SlotRecorder = Pick<SlotRunner, "ctx" | "queue" | "say">;

/** After this time, a slot that waits for an earlier one of its job is tried again. */
const WAIT_MS = 2 * SECOND;

/** Runs one claimed slot, or records why it is not run. Only the first worker that begins a slot does its work. */
export async function runSlot(runner: SlotRunner, claim: Claim, signal: AbortSignal): Promise<Performed> {
  const begun = await beginSlot(runner, claim);
  if (begun.kind === "over") return { settlement: { kind: "done" } };
  if (begun.kind === "wait") return { settlement: { kind: "again", afterMs: WAIT_MS } };
  const { slot } = begun;
  const ended = await workOrEnd(runner, begun, signal);
  return { settlement: { kind: "done" }, record: (tx) => recordEnd(tx, runner, slot, ended) };
}

async function workOrEnd(
  runner: SlotRunner,
  begun: Exclude<BeginResult, { readonly kind: "over" | "wait" }>,
  signal: AbortSignal,
): Promise<SlotEnd> {
  switch (begun.kind) {
    case "end":
      return begun.end;
    case "left":
      // Before the end is recorded: after that, the next slot of this job may start.
      runner.endLeftoverProcesses?.(begun.slot);
      return unknownEnd(begun.slot, runner.ctx);
    case "run":
      return noteQuiet(endOf(await runner.work(begun.job, begun.slot, signal)), begun.isQuiet);
  }
}

type BeginResult =
  | { readonly kind: "over" }
  | { readonly kind: "wait" }
  /** `isQuiet`: the owner runs it by hand in a quiet hour. */
  | { readonly kind: "run"; readonly job: Job; readonly slot: Slot; readonly isQuiet: boolean }
  /** Its worker lost it in the middle. */
  | { readonly kind: "left"; readonly slot: Slot }
  | { readonly kind: "end"; readonly slot: Slot; readonly end: SlotEnd };

interface SlotEnd {
  readonly fate: "ran" | "failed" | "missed";
  readonly reason: MissReason | null;
  readonly detail: string;
  /** False if the job itself neither succeeded nor failed. */
  readonly countsForBreaker: boolean;
}

function noteQuiet(end: SlotEnd, isQuiet: boolean): SlotEnd {
  return isQuiet ? { ...end, detail: `${end.detail} (in a quiet hour)` } : end;
}

function unknownEnd({ worker }: Pick<Slot, "worker">, { config }: Pick<WorkContext, "config">): SlotEnd {
  const what =
    worker !== null && isProcessGone(worker)
      ? "its worker was killed"
      : `its worker gave no sign of life for ${plural(config.policy.work.leaseSeconds, "second")}`;
  const detail = `${what}; how far it got is not known, so it was not run again`;
  // A job that takes its worker down with it must be held back, too.
  return { fate: "failed", reason: null, detail, countsForBreaker: true };
}

function beginSlot({ ctx, queue, worker }: SlotRunner, claim: Claim): Promise<BeginResult> {
  const item = parseSlotItem(claim.item);
  return ctx.db.tx(async (tx): Promise<BeginResult> => {
    const job = await readJob(tx, item.job);
    // Locks the job, so that two of its slots never begin at the same time.
    const breaker = job === null ? closedBreaker : (await lockJobState(tx, job.id, job.madeAt)).breaker;
    const slot = await readSlot(tx, item.job, item.slot);
    if (slot === null || (slot.fate !== "due" && slot.fate !== "running")) return { kind: "over" };
    if (slot.fate === "running") return { kind: "left", slot };
    if (job === null) return missed(slot, "disabled", "the job was removed before it began");
    const now = await queue.now(tx);
    const machine = ownMachineName(ctx.config);
    if (!runsOn(job, machine))
      return missed(
        slot,
        "asleep",
        `the job belongs to ${machineOf(job) ?? ""}, and a worker on ${machine} took its slot`,
      );
    const holdAt = await findHolds({ db: tx, config: ctx.config }, now);
    const hold = holdAt(now);
    if (!slot.isByHand && newLeftTest({ db: tx, config: ctx.config }, job, { now, holdAt })(now))
      return { kind: "wait" };
    // Quiet hours are for what begins by itself.
    const isQuiet = hold?.kind === "quiet" && slot.isByHand;
    if (hold !== null && !isQuiet)
      return missed(slot, "paused", explainHold(hold, teamMachineName({ db: tx, config: ctx.config })));
    if (!job.enabled && !slot.isByHand) return missed(slot, "disabled", "the job was disabled before it began");
    // It may have opened since the slot was planned.
    const breakerPolicy = breakerPolicyOf(ctx.config);
    if (isBreakerOpen(breaker, now, breakerPolicy) && !slot.isByHand)
      return missed(slot, "disabled", explainOpenBreaker(breaker, breakerPolicy));
    const cap = await findUsedCap(tx, job, now);
    if (cap !== null) return missed(slot, "cap", cap);
    if (await hasSlotBefore(tx, slot)) return { kind: "wait" };
    const started = await startSlot(tx, slot, { worker, attempt: claim.attempt, now });
    return started ? { kind: "run", job, slot: { ...slot, attempt: claim.attempt }, isQuiet } : { kind: "over" };
  });
}

/** The job's own cap. The caps of the day and of agents are checked at each call of a model. */
async function findUsedCap(tx: Db, { name }: Job, now: number): Promise<string | null> {
  const used = (await listCapUsage(tx, now)).find(
    ({ cap, ...budget }) => cap.kind === "job" && cap.name === name && isCapUsedUp(cap, budget, spendingDay(now)),
  );
  return used === undefined ? null : `the cap of this job is used up; oldhand models caps extend job ${name} AMOUNT`;
}

function missed(slot: Slot, reason: MissReason, detail: string): BeginResult {
  return { kind: "end", slot, end: { fate: "missed", reason, detail, countsForBreaker: false } };
}

function endOf(result: WorkResult): SlotEnd {
  switch (result.kind) {
    case "ran":
      return { fate: "ran", reason: null, detail: result.detail, countsForBreaker: true };
    case "failed":
      return { fate: "failed", reason: null, detail: result.detail, countsForBreaker: true };
    case "capped":
      return { fate: "missed", reason: "cap", detail: result.detail, countsForBreaker: false };
    case "stopped":
      return { fate: "failed", reason: null, detail: result.detail, countsForBreaker: false };
  }
}

/** Records the end of a slot whose worker is gone, if nobody on its machine is there to do it. */
export function recordUnknownEnd(tx: Db, recorder: SlotRecorder, slot: Slot): Promise<void> {
  return recordEnd(tx, recorder, slot, unknownEnd(slot, recorder.ctx));
}

/** In the transaction that settles the claim. */
async function recordEnd(tx: Db, { ctx, queue, say }: SlotRecorder, slot: Slot, ended: SlotEnd): Promise<void> {
  const now = await queue.now(tx);
  const wasOpen = await endSlot(tx, slot, { ...ended, now });
  if (!wasOpen) return;
  const job = await readJob(tx, slot.job);
  if (ended.reason !== null)
    say?.(`${job?.name ?? slot.job}: missed (${formatMissReason(ended) ?? ended.reason}): ${shorten(ended.detail)}`);
  if (!ended.countsForBreaker) return;
  // It was removed while its slot ran.
  if (job === null) return;
  const { breaker } = await lockJobState(tx, job.id, job.madeAt);
  const subject = alertSubject(job);
  if (ended.fate === "ran") {
    if (breaker.failures === 0) return;
    await writeJobBreaker(tx, job.id, closedBreaker);
    await markAlertsSeen(tx, subject, now);
    return;
  }
  // The owner sees it fail, and may try as often as needed.
  if (slot.isByHand) return;
  const next = addJobFailure(breaker, now, breakerPolicyOf(ctx.config));
  await writeJobBreaker(tx, job.id, next.breaker);
  if (next.breaker.openedAt === null) return;
  say?.(`${job.name}: held back, because ${explainJobFailures(next.breaker.failures)}`);
  const text = await composeBreakerAlert({ db: tx, config: ctx.config }, job, { ...next, now, detail: ended.detail });
  if (next.alerts) await insertAlert(tx, { subject, text, now });
  else await rewriteAlert(tx, subject, text);
}

/** With the same count and the same next time as the job has elsewhere. */
async function composeBreakerAlert(
  ctx: Pick<WorkContext, "db" | "config">,
  job: Job,
  { breaker, now, detail }: { readonly breaker: JobBreaker; readonly now: number; readonly detail: string },
): Promise<string> {
  const holdAt = (await findHoldsByJob({ ...ctx, clock: fixedClock(now) }, now))(job);
  const machine = teamMachineName(ctx);
  const { at, waits } = findNextRun(job, { now, breaker, breakerPolicy: breakerPolicyOf(ctx.config), holdAt, machine });
  const when = at === null ? `It waits${waits === null ? "" : `: ${waits}`}` : `It is tried again at ${iso(at)}`;
  return `Job ${job.name} failed ${breaker.failures} times in a row, last: ${shorten(detail)}. ${when}; \`oldhand job reset ${job.name}\` allows it now, \`oldhand job why ${job.name}\` shows the output.`;
}

function breakerPolicyOf({ policy: { work } }: WorkContext["config"]): JobBreakerPolicy {
  return { failures: work.breakerFailures, openMs: work.breakerMinutes * MINUTE };
}

/** For the middle of a sentence: the output of a command may have many lines. */
function shorten(detail: string): string {
  const [first = ""] = detail.split("\n");
  return first.length === detail.length && first.length <= MOST_ALERT_CHARACTERS
    ? first
    : `${first.slice(0, MOST_ALERT_CHARACTERS)} …`;
}

const MOST_ALERT_CHARACTERS = 120;

/** The subject of a job's alerts. */
export function alertSubject({ name }: Pick<Job, "name">): string {
  return `job ${name}`;
}
