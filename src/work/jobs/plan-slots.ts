import type { Context } from "../../context.ts";
import type { Job } from "../../domain/work/job.ts";
import { decideSlots, type SlotDecision } from "../../domain/work/slot.ts";
import { DAY, MINUTE, SECOND } from "../../lib/clock.ts";
import { listDueTimes } from "../../lib/cron.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Queue } from "../../store/engine/queue.ts";
import { lockJobState, writePlannedUntil } from "../../store/work/job-states.ts";
import { deleteFutureSlots, findUnfinishedSlot, insertSlot } from "../../store/work/slots.ts";
import { findPauses } from "./find-pauses.ts";

/** The queue of slots that are due. */
export const SLOT_QUEUE = "slots";

/**
 * A slot is begun once: nobody knows how far a worker got that died. Later attempts only record its end, so there is no
 * last one.
 */
const LAST_ATTEMPT = 1_000_000;

/** How many slots one transaction decides about. */
const BATCH = 200;

/** A clock this far behind the newest row was ahead before, or another machine's is. */
const CLOCK_TOLERANCE = 5 * MINUTE;

type PlanContext = Pick<Context, "db" | "clock" | "config">;

/**
 * Gives every slot of a job up to now its row, and queues those that are to be run. Safe to call from many processes at
 * once: each slot gets one row. Returns the number of new rows.
 */
export async function planSlots(ctx: PlanContext, queue: Queue, job: Job): Promise<number> {
  for (let planned = 0; ; ) {
    const batch = await planBatch(ctx, queue, job);
    planned += batch.rows;
    if (!batch.moreFollow) return planned;
  }
}

function planBatch(
  ctx: PlanContext,
  queue: Queue,
  job: Job,
): Promise<{ readonly rows: number; readonly moreFollow: boolean }> {
  const { work } = ctx.config.policy;
  return ctx.db.tx(async (tx) => {
    const state = await lockJobState(tx, job.id, job.madeAt);
    const now = ctx.clock.now();
    const plannedUntil = await mendPlan(tx, job, state.plannedUntil, now);
    const after = Math.max(plannedUntil, now - work.slotDays * DAY);
    const found = listDueTimes(job, { after, until: now, limit: BATCH + 1 });
    const slots = found.slice(0, BATCH);
    const moreFollow = found.length > BATCH;
    if (slots.length === 0) return { rows: 0, moreFollow: false };
    const decisions = decideSlots(job, slots, {
      now,
      lateAfterMs: work.lateSeconds * SECOND,
      breaker: state.breaker,
      breakerPolicy: { failures: work.breakerFailures, openMs: work.breakerMinutes * MINUTE },
      moreFollow,
      unfinished: await findUnfinishedSlot(tx, job.id),
      pausedAt: await findPauses({ db: tx, config: ctx.config }, slots[0] ?? now),
    });
    let rows = 0;
    for (const decision of decisions) if (await writeDecision(tx, queue, job, decision)) rows++;
    await writePlannedUntil(tx, job.id, slots.at(-1) ?? now);
    return { rows, moreFollow };
  });
}

/** A clock that was ahead made rows of slots that are not due yet: those that nobody ran are due at their time again. */
async function mendPlan(tx: Db, job: Job, plannedUntil: number, now: number): Promise<number> {
  if (plannedUntil <= now + CLOCK_TOLERANCE) return plannedUntil;
  await deleteFutureSlots(tx, job.id, now);
  await writePlannedUntil(tx, job.id, now);
  return now;
}

async function writeDecision(tx: Db, queue: Queue, job: Job, decision: SlotDecision): Promise<boolean> {
  const { slot } = decision;
  if (decision.kind === "missed") {
    const { reason, detail } = decision;
    return insertSlot(tx, { job: job.id, slot, fate: "missed", reason, detail, isLate: false });
  }
  const isNew = await insertSlot(tx, {
    ...{ job: job.id, slot, fate: "due", reason: null, detail: null, isLate: decision.isLate },
  });
  if (isNew)
    await queue.enqueue(tx, { queue: SLOT_QUEUE, item: slotItem(job.id, slot), attempt: 1, lastAttempt: LAST_ATTEMPT });
  return isNew;
}

export function slotItem(job: string, slot: number): string {
  return `${job}@${slot}`;
}

export function parseSlotItem(item: string): { readonly job: string; readonly slot: number } {
  const at = item.lastIndexOf("@");
  return { job: item.slice(0, at), slot: Number(item.slice(at + 1)) };
}
