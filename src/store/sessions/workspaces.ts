import type { Db } from "../engine/db.ts";

/** A folder in which sessions worked. */
export interface WorkspaceRow {
  readonly workspace: string;
  readonly sessions: number;
  readonly lastAt: number;
}

/** The folders in which sessions worked, the latest first. */
export async function listWorkspaces(db: Db, limit: number): Promise<readonly WorkspaceRow[]> {
  const rows = await db.all<{ workspace: string; sessions: number; last_at: number }>(
    `select workspace, count(*) as sessions, max(last_at) as last_at from sessions
     where workspace is not null group by workspace order by max(last_at) desc, workspace limit ?`,
    [limit],
  );
  return rows.map(({ last_at, ...row }) => ({ ...row, lastAt: last_at }));
}
