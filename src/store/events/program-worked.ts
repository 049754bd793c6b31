import { hasCallWorked } from "../../domain/fact/fact-tracker.ts";
import { type Fact, refutesFact } from "../../domain/fact/fact.ts";
import { findCallNeeds } from "../../domain/fact/call-needs.ts";
import { readCall } from "../../domain/cause/read-call.ts";
import { tryParseJson } from "../../lib/json.ts";
import { cursors, readCursor } from "../state/cursors.ts";
import type { Db } from "../engine/db.ts";

/** Maximum number of undigested calls that are read. */
const MOST = 500;

/**
 * True if a missing program has since worked in its workspace. Only undigested calls are read: the digest
 * drops the fact when a call refutes it.
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
