import { randomUUID } from "node:crypto";
import type { Db } from "../engine/db.ts";
import type { Claim, Queue, QueueWatch, WorkItems } from "../engine/queue.ts";

export interface QueueSurroundings {
  /** True only if it is certain that the worker no longer runs. */
  isGone(worker: string): boolean;
  watch(queues: readonly string[], onWork: () => void): Promise<QueueWatch>;
  close(): Promise<void>;
}

/** Claims, leases and fences, written once for both databases. */
export function makeQueue(db: Db, items: WorkItems, around: QueueSurroundings): Queue {
  /** Queues that gave work the last time: there may be more. */
  const busy = new Set<string>();
  return {
    enqueue: (tx, work) => items.add(tx, work),
    claim: async (queue, worker) => {
      // Outside of a transaction: an idle worker must not lock the database for writing.
      if (!busy.has(queue) && !(await items.hasDue(db, queue))) return null;
      const claim = await db.tx((tx) => claimNext(tx, items, queue, worker));
      if (claim === null) busy.delete(queue);
      else busy.add(queue);
      return claim;
    },
    beat: async (claim) => {
      const now = items.now();
      const changed = await db.run(`update claims set until = ${now.sql} + lease_ms where ${ITS_CLAIM}`, [
        ...now.values,
        ...valuesOf(claim),
      ]);
      return changed === 1;
    },
    settle: async (tx, claim, settlement) => {
      // The row of the claim is the fence: whoever deletes it, a worker or `recover`, decides about the attempt.
      const sql = `delete from claims where ${ITS_CLAIM} ${items.limitedTo(claim.leaseMs)}`;
      if ((await tx.get(sql, valuesOf(claim))) === undefined) return false;
      return items.finish(tx, claim, settlement);
    },
    now: async (on) => {
      const now = items.now();
      const row = await on.get<{ now: number }>(`select cast(${now.sql} as bigint) as now`, now.values);
      return Number(row?.now);
    },
    recover: () => recoverLost(db, items, around),
    counts: (queue) => items.counts(db, queue),
    prune: (before) => items.prune(db, before),
    clear: async (tx) => {
      await tx.run("delete from claims");
      await items.clear(tx);
    },
    watch: around.watch,
    close: around.close,
  };
}

/** True if some worker holds work, or held it when it died. */
export async function hasClaims(db: Db): Promise<boolean> {
  return (await db.get("select 1 as one from claims limit 1")) !== undefined;
}

/** True if a worker holds this piece of work. */
export async function hasClaim(db: Db, item: string): Promise<boolean> {
  return (await db.get("select 1 as one from claims where item = ? limit 1", [item])) !== undefined;
}

/** Work that is held now, and by whom; for a person. */
export async function listClaims(
  db: Db,
): Promise<readonly (Omit<Claim, "token" | "leaseMs"> & { readonly until: number })[]> {
  return db.all("select queue, item, attempt, worker, until from claims order by until, item");
}

const ITS_CLAIM = "queue = ? and item = ? and attempt = ? and token = ?";

function valuesOf(claim: Claim): readonly (string | number)[] {
  return [claim.queue, claim.item, claim.attempt, claim.token];
}

async function claimNext(
  tx: Db,
  items: WorkItems,
  queue: string,
  worker: { readonly id: string; readonly leaseMs: number },
): Promise<Claim | null> {
  const taken = await items.take(tx, queue);
  if (taken === null) return null;
  const claim = { ...taken, queue, token: randomUUID(), worker: worker.id, leaseMs: worker.leaseMs };
  const now = items.now();
  await tx.get(
    `insert into claims (queue, item, attempt, token, worker, lease_ms, claimed_at, until)
     values (?, ?, ?, ?, ?, ?, ${now.sql}, ${now.sql} + ?)
     on conflict (queue, item) do update set attempt = excluded.attempt, token = excluded.token,
       worker = excluded.worker, lease_ms = excluded.lease_ms, claimed_at = excluded.claimed_at, until = excluded.until
     ${items.limitedTo(worker.leaseMs)}`,
    [...valuesOf(claim), worker.id, worker.leaseMs, ...now.values, ...now.values, worker.leaseMs],
  );
  return claim;
}

interface HeldClaim extends Omit<Claim, "leaseMs"> {
  readonly is_over: number;
  readonly is_ahead: number;
}

async function recoverLost(db: Db, items: WorkItems, around: QueueSurroundings): Promise<number> {
  const now = items.now();
  const held = await db.all<HeldClaim>(
    `select queue, item, attempt, token, worker, case when until <= ${now.sql} then 1 else 0 end as is_over,
       case when until > ${now.sql} + lease_ms then 1 else 0 end as is_ahead
     from claims order by until`,
    [...now.values, ...now.values],
  );
  if (held.some((one) => one.is_ahead === 1)) await shortenLeases(db, items);
  let recovered = 0;
  for (const one of held) {
    const isGone = one.is_over === 0 && around.isGone(one.worker);
    if (one.is_over === 1 || isGone) recovered += await db.tx((tx) => giveBack(tx, items, one, isGone));
  }
  return recovered;
}

/** The clock went back: no lease may last longer than it would from now on. */
function shortenLeases(db: Db, items: WorkItems): Promise<number> {
  return db.tx((tx) => {
    // Read under the lock: a process that was stopped read the time before it was stopped.
    const now = items.now();
    return tx.run(`update claims set until = ${now.sql} + lease_ms where until > ${now.sql} + lease_ms`, [
      ...now.values,
      ...now.values,
    ]);
  });
}

async function giveBack(tx: Db, items: WorkItems, lost: HeldClaim, isGone: boolean): Promise<number> {
  const now = items.now();
  const its = valuesOf({ ...lost, leaseMs: 0 });
  // Read again under a lock: its worker may have beaten or settled meanwhile. If it settles now, there is nothing to do.
  const still = await tx.get(
    `select 1 as one from claims where ${ITS_CLAIM} and (until <= ${now.sql} or ? = 1) ${tx.dialect.skipLocked}`,
    [...its, ...now.values, isGone ? 1 : 0],
  );
  if (still === undefined) return 0;
  await tx.run(`delete from claims where ${ITS_CLAIM}`, its);
  const reason = isGone ? "its worker is gone" : "its lease ended";
  return (await items.finish(tx, lost, { kind: "again", reason })) ? 1 : 0;
}
