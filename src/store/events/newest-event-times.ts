import type { Db } from "../engine/db.ts";

/** The time of the newest event in each workspace. */
export async function readNewestEventTimes(db: Db): Promise<ReadonlyMap<string | null, number>> {
  const rows = await db.all<{ workspace: string | null; at: number }>(
    "select workspace, max(last_at) as at from sessions group by workspace",
  );
  return new Map(rows.map((row) => [row.workspace, row.at]));
}
