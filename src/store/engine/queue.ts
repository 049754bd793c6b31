import type { WorkState } from "../../domain/work/queue.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db, SqlValue } from "./db.ts";

/**
 * The queue of work, the same on both databases. What is to be done stays in a table of its own; the queue has only
 * its id and the number of the attempt. An item has at most one row in a queue.
 */
export interface Queue {
  /**
   * In the caller's transaction, and rolled back with it. False if the item waits or is held, or if this attempt or a
   * later one has ended and was not pruned.
   */
  enqueue(tx: Db, work: QueuedWork): Promise<boolean>;
  /** The next due piece of work, exclusively, until its lease ends; null if there is none. */
  claim(queue: string, worker: { readonly id: string; readonly leaseMs: number }): Promise<Claim | null>;
  /** Extends the lease. False if the claim was lost: the caller stops. */
  beat(claim: Claim): Promise<boolean>;
  /**
   * In the caller's transaction, together with the record of the work. False if the claim was lost: the caller rolls
   * back. `again` after the last attempt is `dead`.
   */
  settle(tx: Db, claim: Claim, settlement: Settlement): Promise<boolean>;
  /** The time that leases are measured by: one clock for all machines. */
  now(db: Db): Promise<number>;
  /** Returns work to its queue, with the next attempt, if its worker died or its lease ended. Returns how many pieces. */
  recover(): Promise<number>;
  counts(queue: string): Promise<QueueCounts>;
  /** Deletes what ended before this time. Returns how many rows. */
  prune(before: number): Promise<number>;
  /** Empties all queues, for a restore. Whoever holds work loses its claim. */
  clear(tx: Db): Promise<void>;
  /** Calls back soon after work may be in one of the queues. */
  watch(queues: readonly string[], onWork: () => void): Promise<QueueWatch>;
  close(): Promise<void>;
}

export interface QueuedWork {
  readonly queue: string;
  readonly item: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** No attempt is made after this one. Two more by default. */
  readonly lastAttempt?: number | undefined;
  /** The highest first; 0 by default. */
  readonly priority?: number | undefined;
  /** Not before this time of the queue's clock. */
  readonly notBefore?: number | undefined;
}

/** Fenced by item, attempt and token: whatever a worker writes after it lost its claim is refused. */
export interface Claim {
  readonly queue: string;
  readonly item: string;
  readonly attempt: number;
  readonly token: string;
  readonly worker: string;
  readonly leaseMs: number;
}

export type Settlement =
  | { readonly kind: "done" }
  /** `afterMs`: not before so much time has passed by the queue's clock. */
  | { readonly kind: "again"; readonly afterMs?: number | undefined; readonly reason?: string | undefined }
  | { readonly kind: "dead"; readonly reason: string };

export type QueueCounts = Readonly<Record<WorkState, number>>;

export interface QueueWatch {
  close(): Promise<void>;
}

export interface QueueOptions {
  /** All queues that will be used; PostgreSQL creates them when the queue opens. */
  readonly queues: readonly string[];
  /** Measures leases on SQLite. PostgreSQL uses the server's clock, so that machines need not agree. */
  readonly clock: Clock;
}

/** How a database keeps the pieces of work. Claims are the same on both (`make-queue.ts`). */
export interface WorkItems {
  /** The time that leases and due times are compared with, as SQL with its values. */
  now(): { readonly sql: string; readonly values: readonly SqlValue[] };
  /**
   * The end of a statement on `claims` that returns one row. On PostgreSQL it also bounds the transaction: the server
   * ends it if its process is stopped inside it, and the lock on the claim with it.
   */
  limitedTo(leaseMs: number): string;
  add(tx: Db, work: QueuedWork): Promise<boolean>;
  hasDue(db: Db, queue: string): Promise<boolean>;
  /** Marks the next due item as held. */
  take(tx: Db, queue: string): Promise<Pick<Claim, "item" | "attempt"> | null>;
  /** Ends the attempt of a held item. False if it is not held. */
  finish(tx: Db, held: Pick<Claim, "queue" | "item" | "attempt">, settlement: Settlement): Promise<boolean>;
  counts(db: Db, queue: string): Promise<QueueCounts>;
  prune(db: Db, before: number): Promise<number>;
  clear(tx: Db): Promise<void>;
}
