import type { Context } from "../../context.ts";
import type { Job } from "../../domain/work/job.ts";
import { addJobFailure, closedBreaker, type JobBreakerPolicy } from "../../domain/work/job-breaker.ts";
import type { MissReason } from "../../domain/work/slot.ts";
import { iso, MINUTE, SECOND } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Claim } from "../../store/engine/queue.ts";
import { insertAlert } from "../../store/work/alerts.ts";
import { lockJobState, writeJobBreaker } from "../../store/work/job-states.ts";
import { readJob } from "../../store/work/jobs.ts";
import { endSlot, hasRunningSlot, readSlot, type Slot, startSlot } from "../../store/work/slots.ts";
import type { Performed } from "../work-queue.ts";
import { findPauses } from "./find-pauses.ts";
import { parseSlotItem } from "./plan-slots.ts";

/** What the work of a slot came to. */
export type WorkResult =
  | { readonly kind: "ran"; readonly detail: string }
  | { readonly kind: "failed"; readonly detail: string }
  /** It did not begin, because the money for it is used up. */
  | { readonly kind: "capped"; readonly detail: string }
  /** It was stopped on the way by the owner: a pause, or the worker's end. */
  | { readonly kind: "stopped"; readonly detail: string };

export interface SlotWorld {
  readonly ctx: Pick<Context, "db" | "clock" | "config">;
  /** The name of this worker. */
  readonly worker: string;
  /** Does the work of a job. It never throws. */
  work(job: Job, slot: number, signal: AbortSignal): Promise<WorkResult>;
}

/** How long a slot waits for an earlier one of the same job. */
const WAIT_MS = 2 * SECOND;

/** Runs one claimed slot, or records why it is not run. Only the first worker that begins a slot does its work. */
export async function runSlot(on: SlotWorld, claim: Claim, signal: AbortSignal): Promise<Performed> {
  const begun = await beginSlot(on, claim);
  if (begun.kind === "over") return { settlement: { kind: "done" } };
  if (begun.kind === "wait") return { settlement: { kind: "again", notBefore: on.ctx.clock.now() + WAIT_MS } };
  const { job, slot } = begun;
  const end: SlotEnd = begun.kind === "end" ? begun.end : endOf(await on.work(job, slot.slot, signal));
  return {
    settlement: { kind: "done" },
    record: (tx) => recordEnd(tx, { ...on.ctx, job, slot, end }),
  };
}

type Begun =
  | { readonly kind: "over" | "wait" }
  | { readonly kind: "run"; readonly job: Job; readonly slot: Slot }
  | { readonly kind: "end"; readonly job: Job; readonly slot: Slot; readonly end: SlotEnd };

interface SlotEnd {
  readonly fate: "ran" | "failed" | "missed";
  readonly reason: MissReason | null;
  readonly detail: string;
  /** False for an end that says nothing about the job. */
  readonly counts: boolean;
}

function beginSlot({ ctx, worker }: SlotWorld, claim: Claim): Promise<Begun> {
  const of = parseSlotItem(claim.item);
  return ctx.db.tx(async (tx): Promise<Begun> => {
    const job = await readJob(tx, of.job);
    // Locks the job, so that two of its slots never begin at the same time.
    if (job !== null) await lockJobState(tx, job.id, job.madeAt);
    const slot = await readSlot(tx, of.job, of.slot);
    if (slot === null || job === null || slot.endedAt !== null || slot.fate === "missed") return { kind: "over" };
    if (slot.fate === "running")
      return end(job, slot, "failed", null, "its worker stopped; how far it got is not known, so it was not run again", true);
    const now = ctx.clock.now();
    const pause = (await findPauses({ db: tx, config: ctx.config }, now))(now);
    if (pause !== null) return end(job, slot, "missed", "paused", pause, false);
    if (!job.enabled) return end(job, slot, "missed", "disabled", "the job was disabled before it began", false);
    if (await hasRunningSlot(tx, job.id, slot.slot)) return { kind: "wait" };
    const started = await startSlot(tx, slot, { worker, attempt: claim.attempt, now });
    return started ? { kind: "run", job, slot: { ...slot, attempt: claim.attempt } } : { kind: "over" };
  });
}

function end(
  job: Job,
  slot: Slot,
  fate: SlotEnd["fate"],
  reason: MissReason | null,
  detail: string,
  counts: boolean,
): Begun {
  return { kind: "end", job, slot, end: { fate, reason, detail, counts } };
}

function endOf(result: WorkResult): SlotEnd {
  switch (result.kind) {
    case "ran":
      return { fate: "ran", reason: null, detail: result.detail, counts: true };
    case "failed":
      return { fate: "failed", reason: null, detail: result.detail, counts: true };
    case "capped":
      return { fate: "missed", reason: "cap", detail: result.detail, counts: false };
    case "stopped":
      return { fate: "failed", reason: null, detail: result.detail, counts: false };
  }
}

interface EndedSlot extends Pick<Context, "clock" | "config"> {
  readonly job: Job;
  readonly slot: Slot;
  readonly end: SlotEnd;
}

async function recordEnd(tx: Db, { clock, config, job, slot, end: ended }: EndedSlot): Promise<void> {
  const now = clock.now();
  const wasOpen = await endSlot(tx, slot, { ...ended, now });
  if (!wasOpen || !ended.counts) return;
  const { breaker } = await lockJobState(tx, job.id, job.madeAt);
  if (ended.fate === "ran") {
    if (breaker.failures > 0) await writeJobBreaker(tx, job.id, closedBreaker);
    return;
  }
  const { work } = config.policy;
  const policy: JobBreakerPolicy = { failures: work.breakerFailures, openMs: work.breakerMinutes * MINUTE };
  const next = addJobFailure(breaker, now, policy);
  await writeJobBreaker(tx, job.id, next.breaker);
  if (next.alerts)
    await insertAlert(tx, {
      subject: `job ${job.name}`,
      text: `Job ${job.name} failed ${next.breaker.failures} times in a row, last: ${ended.detail}. It is tried again at ${iso(now + policy.openMs)}; \`oldhand job reset ${job.name}\` allows it now.`,
      now,
    });
}
