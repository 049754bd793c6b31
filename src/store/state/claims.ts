import { isProcessGone } from "../../lib/process-ref.ts";
import type { Db } from "../engine/db.ts";

/** A piece of work in a queue; its claimer has it exclusively until the lease ends. */
export interface WorkItem {
  readonly queue: string;
  readonly item: string;
  readonly payload: string | null;
  readonly attempts: number;
}

export interface Claim extends WorkItem {
  readonly token: string;
}

export type ClaimResult = { readonly kind: "claimed"; readonly claim: Claim } | { readonly kind: "none" };

/** False if the queue has the item already. */
export async function enqueueWork(
  db: Db,
  work: {
    readonly queue: string;
    readonly item: string;
    readonly payload?: string;
    readonly priority?: number;
    readonly maxAttempts: number;
    readonly now: number;
  },
): Promise<boolean> {
  const changed = await db.run(
    `insert into claims (queue, item, state, priority, payload, max_attempts, created_at)
     values (?, ?, 'open', ?, ?, ?, ?) on conflict (queue, item) do nothing`,
    [work.queue, work.item, work.priority ?? 0, work.payload ?? null, work.maxAttempts, work.now],
  );
  return changed === 1;
}

/** The next open item (lowest priority number first), or one whose holder died or ran out of time. */
export function claimNextWork(
  db: Db,
  queue: string,
  claimant: { readonly owner: string; readonly now: number; readonly leaseMs: number },
): Promise<ClaimResult> {
  return db.tx(async (tx) => {
    await recoverQueue(tx, queue, claimant.now);
    const token = crypto.randomUUID();
    const row = await tx.get<WorkItem>(
      `update claims set state = 'held', owner = ?, token = ?, until = ?, attempts = attempts + 1
       where queue = ? and item = (
         select item from claims where queue = ? and state = 'open' order by priority, created_at, item limit 1 ${tx.dialect.skipLocked}
       ) returning queue, item, payload, attempts`,
      [claimant.owner, token, claimant.now + claimant.leaseMs, queue, queue],
    );
    return row ? { kind: "claimed", claim: { ...row, token } } : { kind: "none" };
  });
}

/** False if the claim was lost: someone else has the work now. */
export async function extendClaim(db: Db, claim: Claim, until: number): Promise<boolean> {
  return (
    (await db.run("update claims set until = ? where queue = ? and item = ? and token = ? and state = 'held'", [
      until,
      claim.queue,
      claim.item,
      claim.token,
    ])) === 1
  );
}

export async function finishClaim(db: Db, claim: Claim): Promise<boolean> {
  return (
    (await db.run(
      "update claims set state = 'done', until = null where queue = ? and item = ? and token = ? and state = 'held'",
      [claim.queue, claim.item, claim.token],
    )) === 1
  );
}

/** Back to the queue, or dead if all attempts are used up. */
export async function failClaim(db: Db, claim: Claim, reason: string): Promise<boolean> {
  const changed = await db.run(
    `update claims set state = case when attempts >= max_attempts then 'dead' else 'open' end, reason = ?, until = null
     where queue = ? and item = ? and token = ? and state = 'held'`,
    [reason, claim.queue, claim.item, claim.token],
  );
  return changed === 1;
}

export function countClaims(db: Db, queue: string): Promise<{ state: string; count: number }[]> {
  return db.all("select state, count(*) as count from claims where queue = ? group by state order by state", [queue]);
}

/** Returns the work of dead holders to its queue, in all queues. Returns how many items. */
export function recoverClaims(db: Db, now: number): Promise<number> {
  return db.tx(async (tx) => {
    let recovered = 0;
    const queues = await tx.all<{ queue: string }>("select distinct queue from claims where state = 'held'");
    for (const { queue } of queues) recovered += await recoverQueue(tx, queue, now);
    return recovered;
  });
}

async function recoverQueue(tx: Db, queue: string, now: number): Promise<number> {
  let recovered = 0;
  const heldItems = await tx.all<{ item: string; owner: string; token: string; until: number }>(
    `select item, owner, token, until from claims where queue = ? and state = 'held' ${tx.dialect.skipLocked}`,
    [queue],
  );
  for (const one of heldItems) {
    if (one.until > now && !isProcessGone(one.owner)) continue;
    recovered += await tx.run(
      `update claims set state = case when attempts >= max_attempts then 'dead' else 'open' end,
         reason = 'its holder stopped', until = null
       where queue = ? and item = ? and token = ? and state = 'held'`,
      [queue, one.item, one.token],
    );
  }
  return recovered;
}
