import { hasCallWorked } from "../../domain/fact/fact-tracker.ts";
import { type Fact, refutesFact } from "../../domain/fact/fact.ts";
import { findCallNeeds } from "../../domain/fact/call-needs.ts";
import { readCall } from "../../domain/event/reading.ts";
import { tryParseJson } from "../../lib/json.ts";
import { cursors, readCursor } from "../state/cursors.ts";
import type { Db } from "../engine/db.ts";

/** So many calls that nobody has digested yet are looked at. */
const MOST = 500;

/**
 * Whether a program that was missing has worked in its workspace since. What is digested was looked at then: a success there has
 * dropped the fact.
 */
export async function hasProgramWorked(db: Db, fact: Fact): Promise<boolean> {
  const after = Math.max(fact.event, await readCursor(db, cursors.digested));
  const rows = await db.all<{
    host: string;
    tool: string;
    input: string | null;
    cwd: string | null;
    text: string | null;
    exit_code: number | null;
  }>(
    `select host, tool, input, cwd, text, exit_code from events
     where id > ? and kind = 'call' and workspace = ? and ok = 1 and tool is not null order by id desc limit ?`,
    [after, fact.workspace, MOST],
  );
  return rows.some((row) => {
    if (row.input === null || !row.input.includes(fact.name)) return false;
    const call = { ...row, input: tryParseJson(row.input), ok: true, exitCode: row.exit_code, error: null };
    const read = { ...call, ...readCall(call), workspace: fact.workspace, at: 0 };
    return hasCallWorked(read) && refutesFact(fact, findCallNeeds(call));
  });
}
