import { tryParseJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";

/** A recorded call, as matchers see it. */
export interface RecentCall {
  readonly host: string;
  readonly session: string;
  readonly seq: number;
  readonly at: number;
  readonly workspace: string | null;
  readonly cwd: string | null;
  readonly tool: string;
  readonly input: unknown;
}

/** The calls among the latest `events` whose input contains a text, newest first. The cost is limited by `events`. */
export async function listRecentCallsHolding(
  db: Db,
  query: { readonly text: string; readonly events: number; readonly limit: number },
): Promise<readonly RecentCall[]> {
  const newest = await db.get<{ id: number | null }>("select max(id) as id from events");
  const rows = await db.all<RecentRow>(
    `select host, session, coalesce(seq, id) as seq, at, workspace, cwd, tool, input from events
     where id > ? and kind = 'call' and tool is not null and input like ? escape '!' order by id desc limit ?`,
    [(newest?.id ?? 0) - query.events, `%${query.text.replace(/[!%_]/g, "!$&")}%`, query.limit],
  );
  return rows.map((row) => ({ ...row, input: row.input === null ? null : tryParseJson(row.input) }));
}

interface RecentRow extends Omit<RecentCall, "input"> {
  readonly input: string | null;
}
