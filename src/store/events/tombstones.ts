import type { Db } from "../engine/db.ts";
import { makeTombstoneHash } from "./purged.ts";

/**
 * Purged sessions, stored as a hash of their name, each up to a time. Their events up to then are not stored
 * again, neither from a transcript that is still being read nor by the next import.
 */
export interface Tombstone {
  readonly host: string;
  readonly session: string;
  readonly upTo: number;
}

export async function putTombstones(tx: Db, tombstones: readonly Tombstone[]): Promise<void> {
  await tx.insertMany(
    {
      table: "purged",
      columns: ["session", "up_to"],
      tail: "on conflict (session) do update set up_to = case when excluded.up_to > purged.up_to then excluded.up_to else purged.up_to end",
    },
    tombstones.map((one) => [makeTombstoneHash(one), one.upTo]),
  );
}

/** An explicit import by name may bring them back. */
export async function liftTombstones(db: Db, events: readonly Pick<Tombstone, "host" | "session">[]): Promise<void> {
  const hashes = [...new Set(events.map(makeTombstoneHash))];
  if (hashes.length > 0)
    await db.run(`delete from purged where session in (${hashes.map(() => "?").join(", ")})`, hashes);
}
