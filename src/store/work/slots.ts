import type { MissReason, SlotFate } from "../../domain/work/slot.ts";
import type { Db } from "../engine/db.ts";

/** One due time of a job, and what became of it. */
export interface Slot {
  readonly job: string;
  /** Its due time. */
  readonly slot: number;
  readonly fate: SlotFate;
  /** Only of a missed slot. */
  readonly reason: MissReason | null;
  /** In words: why it was missed, how it failed, or what it did. */
  readonly detail: string | null;
  readonly isLate: boolean;
  /** The owner ran it, outside of the schedule. */
  readonly isByHand: boolean;
  readonly attempt: number;
  readonly worker: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** False if the slot has a row already. */
export async function insertSlot(
  tx: Db,
  slot: Pick<Slot, "job" | "slot" | "fate" | "reason" | "detail" | "isLate" | "isByHand">,
): Promise<boolean> {
  return (
    (await tx.run(
      `insert into job_slots (job, slot, fate, reason, detail, late, by_hand, attempt) values (?, ?, ?, ?, ?, ?, ?, 0)
       on conflict (job, slot) do nothing`,
      [slot.job, slot.slot, slot.fate, slot.reason, slot.detail, slot.isLate ? 1 : 0, slot.isByHand ? 1 : 0],
    )) === 1
  );
}

export async function readSlot(db: Db, job: string, slot: number): Promise<Slot | null> {
  const row = await db.get<SlotRow>(`select ${columns} from job_slots where job = ? and slot = ?`, [job, slot]);
  return row ? fromRow(row) : null;
}

/** Adds slots with what became of them. One that has a row keeps it, unless that has no last fate. */
export async function storeSlots(tx: Db, slots: readonly Slot[]): Promise<void> {
  if (slots.length === 0) return;
  await tx.insertMany(
    {
      table: "job_slots",
      columns: columns.split(", "),
      tail: `on conflict (job, slot) do update set fate = excluded.fate, reason = excluded.reason, detail = excluded.detail,
        late = excluded.late, by_hand = excluded.by_hand, attempt = excluded.attempt, worker = excluded.worker,
        started_at = excluded.started_at, ended_at = excluded.ended_at
        where job_slots.fate in ('due', 'running')`,
    },
    slots.map((one) => [
      ...[one.job, one.slot, one.fate, one.reason, one.detail, one.isLate ? 1 : 0, one.isByHand ? 1 : 0],
      ...[one.attempt, one.worker, one.startedAt, one.endedAt],
    ]),
  );
}

/** Newest first. */
export async function listSlots(
  db: Db,
  of: {
    readonly jobs?: readonly string[] | undefined;
    readonly since: number;
    readonly until: number;
    readonly limit: number;
  },
): Promise<Slot[]> {
  const rows = await db.all<SlotRow>(
    `select ${columns} from job_slots where slot >= ? and slot <= ? ${of.jobs === undefined ? "" : `and job in (${of.jobs.map(() => "?").join(", ")})`}
     order by slot desc, job limit ?`,
    [of.since, of.until, ...(of.jobs ?? []), of.limit],
  );
  return rows.map(fromRow);
}

/** The oldest slot of a job that is due or running; null if there is none. */
export async function findUnfinishedSlot(
  db: Db,
  job: string,
): Promise<{ readonly slot: number; readonly isRunning: boolean; readonly isByHand: boolean } | null> {
  const row = await db.get<Pick<SlotRow, "slot" | "fate" | "by_hand">>(
    "select slot, fate, by_hand from job_slots where job = ? and fate in ('due', 'running') order by slot limit 1",
    [job],
  );
  return row === undefined ? null : { slot: row.slot, isRunning: row.fate === "running", isByHand: row.by_hand === 1 };
}

/** When a slot of a job's schedule began last; null if none did, as far as slots are kept. */
export async function findLastStart(db: Db, job: string): Promise<number | null> {
  const row = await db.get<{ at: number | null }>(
    "select max(started_at) as at from job_slots where job = ? and by_hand = 0",
    [job],
  );
  return row?.at == null ? null : Number(row.at);
}

/** All slots that are due or running, oldest first. */
export async function listUnfinishedSlots(db: Db): Promise<Slot[]> {
  const rows = await db.all<SlotRow>(
    `select ${columns} from job_slots where fate in ('due', 'running') order by slot, job`,
  );
  return rows.map(fromRow);
}

export async function hasAnySlot(db: Db): Promise<boolean> {
  return (await db.get("select slot from job_slots limit 1")) !== undefined;
}

/** True if another slot of the job runs now, or an earlier one is due: late ones go first. */
export async function hasSlotBefore(
  db: Db,
  { job, slot, isByHand }: Pick<Slot, "job" | "slot" | "isByHand">,
): Promise<boolean> {
  const row = await db.get(
    `select slot from job_slots where job = ?
       and (fate = 'running' and slot <> ? or fate = 'due' and by_hand = 0 and slot < ?) limit 1`,
    // What a person waits for does not wait for late slots.
    [job, slot, isByHand ? 0 : slot],
  );
  return row !== undefined;
}

/** A due slot begins. False if it is not due any more: another process has it. */
export async function startSlot(
  tx: Db,
  slot: Pick<Slot, "job" | "slot">,
  by: { readonly worker: string; readonly attempt: number; readonly now: number },
): Promise<boolean> {
  return (
    (await tx.run(
      `update job_slots set fate = 'running', worker = ?, attempt = ?, started_at = ?
       where job = ? and slot = ? and fate = 'due'`,
      [by.worker, by.attempt, by.now, slot.job, slot.slot],
    )) === 1
  );
}

/** The last fate of a slot. False if it has one already, or if another attempt runs it. */
export async function endSlot(
  tx: Db,
  slot: Pick<Slot, "job" | "slot" | "attempt">,
  end: {
    readonly fate: "ran" | "failed" | "missed";
    readonly reason: MissReason | null;
    readonly detail: string | null;
    readonly now: number;
  },
): Promise<boolean> {
  return (
    (await tx.run(
      `update job_slots set fate = ?, reason = ?, detail = ?, ended_at = ?
       where job = ? and slot = ? and attempt = ? and fate in ('due', 'running')`,
      [end.fate, end.reason, end.detail, end.now, slot.job, slot.slot, slot.attempt],
    )) === 1
  );
}

/** The slots of a job that nobody began are missed. */
export function missWaitingSlots(
  db: Db,
  job: string,
  end: { readonly reason: MissReason; readonly detail: string; readonly now: number },
): Promise<number> {
  return db.run(
    "update job_slots set fate = 'missed', reason = ?, detail = ?, ended_at = ? where job = ? and fate = 'due'",
    [end.reason, end.detail, end.now, job],
  );
}

/**
 * Slots after `now` that nobody ran: a clock that was ahead made their rows. They are deleted, so that they are due
 * again at their time.
 */
export function deleteFutureSlots(tx: Db, job: string, now: number): Promise<number> {
  return tx.run("delete from job_slots where job = ? and slot > ? and fate = 'missed' and started_at is null", [
    job,
    now,
  ]);
}

export function pruneJobSlots(db: Db, before: number): Promise<number> {
  return db.run("delete from job_slots where slot < ? and fate not in ('due', 'running')", [before]);
}

const columns = "job, slot, fate, reason, detail, late, by_hand, attempt, worker, started_at, ended_at";

interface SlotRow {
  readonly job: string;
  readonly slot: number;
  readonly fate: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly late: number;
  readonly by_hand: number;
  readonly attempt: number;
  readonly worker: string | null;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

function fromRow(row: SlotRow): Slot {
  return {
    job: row.job,
    slot: row.slot,
    fate: row.fate as SlotFate,
    reason: row.reason as MissReason | null,
    detail: row.detail,
    isLate: row.late === 1,
    isByHand: row.by_hand === 1,
    attempt: row.attempt,
    worker: row.worker,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}
