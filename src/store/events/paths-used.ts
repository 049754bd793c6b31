import { tryParseJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";

/** The parts of a successful call that may contain paths. */
export interface PathRecord {
  readonly input: string | null;
  readonly text: string | null;
  readonly cwd: string | null;
  readonly isOwn: boolean;
}

/**
 * Successful calls of a workspace's latest sessions, and of this one, whose input or result contains one of
 * the words; newest first. The cost is limited by the size of those sessions.
 */
export async function listCallsNaming(
  db: Db,
  at: { readonly workspace: string; readonly host: string; readonly session: string },
  words: readonly string[],
): Promise<readonly PathRecord[]> {
  if (words.length === 0) return [];
  const patterns = words.map((word) => `%${word.toLowerCase().replace(/[!%_]/g, "!$&")}%`);
  const holds = (column: string) => patterns.map(() => `lower(${column}) like ? escape '!'`).join(" or ");
  const wentWell = "kind = 'call' and (outcome = 'ok' or (outcome is null and ok <> 0))";
  const select = `select e.input, e.text, e.cwd, e.id, case when e.session = ? and e.host = ? then 1 else 0 end as own`;
  const rows = await db.all<PathRecord & { own: number }>(
    `${select} from (select id, host from sessions where workspace = ? and not (id = ? and host = ?) order by last_at desc limit ?) s
     join events e on e.session = s.id and e.host = s.host where ${wentWell} and (${holds("e.input")} or ${holds("e.text")})
     union all ${select} from events e where e.session = ? and e.host = ? and ${wentWell}
       and (${holds("e.input")} or ${holds("e.text")}) order by 4 desc limit ?`,
    [
      ...[at.session, at.host, at.workspace, at.session, at.host, MAX_SESSIONS, ...patterns, ...patterns],
      ...[at.session, at.host, at.session, at.host, ...patterns, ...patterns, MAX_CALLS],
    ],
  );
  return rows.map(({ input, text, cwd, own }) => ({ input, text, cwd, isOwn: own === 1 }));
}

/** Older sessions say nothing about the workspace now. */
const MAX_SESSIONS = 20;
const MAX_CALLS = 300;

/** The successful calls of one session whose input contains a text, newest first. */
export async function listSessionCallsNaming(
  db: Db,
  { host, session }: { readonly host: string; readonly session: string },
  text: string,
): Promise<readonly { readonly tool: string; readonly input: unknown; readonly cwd: string | null }[]> {
  const rows = await db.all<{ tool: string; input: string; cwd: string | null }>(
    `select tool, input, cwd from events where session = ? and host = ? and kind = 'call' and tool is not null
       and (outcome = 'ok' or (outcome is null and ok <> 0)) and input like ? escape '!' order by id desc limit ?`,
    [session, host, `%${text.replace(/[!%_]/g, "!$&")}%`, MAX_CALLS],
  );
  return rows.map((row) => ({ ...row, input: tryParseJson(row.input) }));
}
