import type { Db } from "../engine/db.ts";
import { makeTombstoneHash } from "./purged.ts";

/**
 * Sessions that were purged, by a hash of their name alone, each up to a time. What happened in them up to then does not come
 * back by itself: not from a transcript that is read on, not from the next import.
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

/** Whoever asks for them by name may have them again. */
export async function liftTombstones(db: Db, events: readonly Pick<Tombstone, "host" | "session">[]): Promise<void> {
  const hashes = [...new Set(events.map(makeTombstoneHash))];
  if (hashes.length > 0)
    await db.run(`delete from purged where session in (${hashes.map(() => "?").join(", ")})`, hashes);
}
