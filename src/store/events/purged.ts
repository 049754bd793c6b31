import { hashText } from "../../lib/hash.ts";
import type { Db } from "../engine/db.ts";

interface SessionTime {
  readonly host: string;
  readonly session: string;
  readonly at: number;
}

/** All that remains of a purged session: a hash of its name (`tombstones.ts`). */
export function makeTombstoneHash({ host, session }: Pick<SessionTime, "host" | "session">): string {
  return hashText(JSON.stringify([host, session]));
}

/** Drops purged events. One query for all; none if there are no events. */
export async function filterOutPurged<T extends SessionTime>(db: Db, events: readonly T[]): Promise<readonly T[]> {
  const hashes = [...new Set(events.map(makeTombstoneHash))];
  if (hashes.length === 0) return events;
  const rows = await db.all<{ session: string; up_to: number }>(
    `select session, up_to from purged where session in (${hashes.map(() => "?").join(", ")})`,
    hashes,
  );
  const upTo = new Map(rows.map((row) => [row.session, row.up_to]));
  return rows.length === 0 ? events : events.filter((one) => one.at > (upTo.get(makeTombstoneHash(one)) ?? -Infinity));
}
