import type { Db } from "../engine/db.ts";

/** What a check or a person said last about each of these calls. A check goes before a person; guesses are left out. */
export async function listFeedback(
  db: Db,
  calls: readonly string[],
): Promise<ReadonlyMap<string, { readonly quality: number; readonly note: string | null }>> {
  if (calls.length === 0) return new Map();
  const rows = await db.all<{ call: string; quality: number; note: string | null }>(
    `select call, quality, note from model_quality
     where call in (${calls.map(() => "?").join(", ")}) and source <> 'heuristic'
     order by case source when 'verified' then 1 else 0 end, id`,
    calls,
  );
  return new Map(rows.map(({ call, quality, note }) => [call, { quality, note }]));
}

/** Whether this agent made this call. */
export async function hasAgentCall(db: Db, agent: string, call: string): Promise<boolean> {
  return (await db.get("select 1 as one from model_calls where id = ? and agent = ?", [call, agent])) !== undefined;
}
