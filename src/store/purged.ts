import { hashText } from "../lib/hash.ts";
import type { Db } from "./engine/db.ts";

/**
 * Sessions that were purged, by a hash of their name alone, each up to a time. What happened in them up to then does not come
 * back by itself: not from a transcript that is read on, not from the next import.
 */
export interface Tombstone {
  readonly host: string;
  readonly session: string;
  readonly upTo: number;
}

interface Happened {
  readonly host: string;
  readonly session: string;
  readonly at: number;
}

export function tombstoneOf({ host, session }: Pick<Happened, "host" | "session">): string {
  return hashText(JSON.stringify([host, session]));
}

export async function putTombstones(tx: Db, tombstones: readonly Tombstone[]): Promise<void> {
  await tx.insertMany(
    {
      table: "purged",
      columns: ["session", "up_to"],
      tail: "on conflict (session) do update set up_to = case when excluded.up_to > purged.up_to then excluded.up_to else purged.up_to end",
    },
    tombstones.map((one) => [tombstoneOf(one), one.upTo]),
  );
}

/** Without those that were purged. One question for all, and none where there are no events. */
export async function notPurged<T extends Happened>(db: Db, events: readonly T[]): Promise<readonly T[]> {
  const names = new Map(events.map((event) => [`${event.host} ${event.session}`, tombstoneOf(event)]));
  const hashes = [...new Set(names.values())];
  if (hashes.length === 0) return events;
  const rows = await db.all<{ session: string; up_to: number }>(
    `select session, up_to from purged where session in (${hashes.map(() => "?").join(", ")})`,
    hashes,
  );
  if (rows.length === 0) return events;
  const upTo = new Map(rows.map((row) => [row.session, row.up_to]));
  return events.filter(
    (event) => event.at > (upTo.get(names.get(`${event.host} ${event.session}`) ?? "") ?? -Infinity),
  );
}

/** Whoever asks for them by name may have them again. */
export async function liftTombstones(db: Db, events: readonly Happened[]): Promise<void> {
  const hashes = [...new Set(events.map(tombstoneOf))];
  if (hashes.length > 0)
    await db.run(`delete from purged where session in (${hashes.map(() => "?").join(", ")})`, hashes);
}
