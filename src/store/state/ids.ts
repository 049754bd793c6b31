import type { Db } from "../engine/db.ts";

/** Tables whose rows a person names by an id. */
export type TableWithIds =
  | "rules"
  | "memories"
  | "identity_proposals"
  | "mistakes"
  | "wins"
  | "approvals"
  | "messages"
  | "goals"
  | "tasks"
  | "goal_comments";

/** The ids with this prefix, in order, limited. */
export async function listIdsByPrefix(
  db: Db,
  table: TableWithIds,
  start: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db.all<{ id: string }>(`select id from ${table} where substr(id, 1, ?) = ? order by id limit ?`, [
    start.length,
    start,
    limit,
  ]);
  return rows.map((row) => row.id);
}
