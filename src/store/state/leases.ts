import { isProcessGone } from "../../lib/process-ref.ts";
import type { Db } from "../engine/db.ts";

export interface Lease {
  readonly name: string;
  readonly owner: string;
  /** Proves ownership; a lease that is taken over gets another. */
  readonly token: string;
  readonly until: number;
}

export type LeaseResult =
  | { readonly kind: "held"; readonly lease: Lease }
  | { readonly kind: "taken"; readonly by: string; readonly until: number };

export interface LeaseRequest {
  readonly owner: string;
  readonly now: number;
  readonly ttlMs: number;
}

/** One holder at a time, across machines. It ends when it expires, or at once if its process is known to be dead. */
export function acquireLease(db: Db, name: string, request: LeaseRequest): Promise<LeaseResult> {
  return db.tx(async (tx) => {
    const lease: Lease = { name, owner: request.owner, token: crypto.randomUUID(), until: request.now + request.ttlMs };
    // The insert serialises two concurrent first callers; the loser waits here for the other's commit.
    const fresh = await tx.run(
      "insert into leases (name, owner, token, until) values (?, ?, ?, ?) on conflict (name) do nothing",
      [name, lease.owner, lease.token, lease.until],
    );
    if (fresh === 1) return { kind: "held", lease };
    const current = await tx.get<Lease>("select name, owner, token, until from leases where name = ?", [name]);
    if (current && current.until > request.now && !isProcessGone(current.owner))
      return { kind: "taken", by: current.owner, until: current.until };
    const taken = await tx.run("update leases set owner = ?, token = ?, until = ? where name = ? and token = ?", [
      lease.owner,
      lease.token,
      lease.until,
      name,
      current?.token ?? "",
    ]);
    return taken === 1
      ? { kind: "held", lease }
      : { kind: "taken", by: current?.owner ?? "another", until: current?.until ?? request.now };
  });
}

/** The lease that somebody holds now; null if the next one would get it. */
export async function findLease(db: Db, name: string, now: number): Promise<Lease | null> {
  const lease = await findAnyLease(db, name);
  return lease !== null && lease.until > now && !isProcessGone(lease.owner) ? lease : null;
}

/** The lease that was taken last and not given back, also if it has expired. */
export async function findAnyLease(db: Db, name: string): Promise<Lease | null> {
  return (await db.get<Lease>("select name, owner, token, until from leases where name = ?", [name])) ?? null;
}

/** False if it was lost: stop the guarded work. */
export async function renewLease(db: Db, lease: Lease, until: number): Promise<boolean> {
  return (
    (await db.run("update leases set until = ? where name = ? and token = ?", [until, lease.name, lease.token])) === 1
  );
}

export async function releaseLease(db: Db, lease: Lease): Promise<boolean> {
  return (await db.run("delete from leases where name = ? and token = ?", [lease.name, lease.token])) === 1;
}

/** Deletes leases that are expired or whose process is gone. Returns how many. */
export async function clearLeases(db: Db, now: number): Promise<number> {
  let cleared = 0;
  for (const lease of await db.all<Lease>("select name, owner, token, until from leases"))
    if (lease.until <= now || isProcessGone(lease.owner)) cleared += (await releaseLease(db, lease)) ? 1 : 0;
  return cleared;
}
