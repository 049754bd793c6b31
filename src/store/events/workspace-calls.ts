import { tryParseJson } from "../../lib/json.ts";
import type { Db, SqlValue } from "../engine/db.ts";

/** A recorded call of a workspace, with the fields for a matcher and its outcome. */
export interface WorkspaceCall {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string | null;
  readonly workspace: string;
  readonly at: number;
  readonly failed: boolean;
  /** The start of the output of a call that its host reports as a success. */
  readonly text: string | null;
}

/** Selects calls of one tool, or shell calls with one of these heads. */
export interface WorkspaceCallFilter {
  readonly tool: string | null;
  readonly heads: readonly string[];
}

/** Older sessions say nothing about the workspace now. */
const MAX_SESSIONS = 50;
const MAX_CALLS = 200;

/**
 * The latest finished calls in a workspace. A hook may ask before the digest: then the head is unknown, and
 * the exit code gives the outcome, or the host's own flag. Some hosts report a call with another exit code than 0 as a
 * success.
 */
export async function listWorkspaceCalls(
  db: Db,
  workspace: string,
  { tool, heads }: WorkspaceCallFilter,
): Promise<readonly WorkspaceCall[]> {
  const [which, values]: [string, SqlValue[]] =
    tool === null
      ? [
          heads.length === 0 ? "1 = 1" : `(e.head is null or e.head in (${heads.map(() => "?").join(", ")}))`,
          [...heads],
        ]
      : ["e.tool = ?", [tool]];
  const rows = await db.all<CallRow>(
    `select e.at, e.tool, e.input, e.cwd, e.outcome, e.ok, e.exit_code, e.benign,
       case when e.ok <> 0 and (e.outcome is null or e.outcome = 'ok') then substr(e.text, 1, 1000) end as text
     from (select id, host from sessions where workspace = ? order by last_at desc limit ?) s
     join events e on e.session = s.id and e.host = s.host
     where e.kind = 'call' and ${which} and (e.outcome in ('ok', 'failed') or (e.outcome is null and e.ok is not null))
     order by e.id desc limit ?`,
    [workspace, MAX_SESSIONS, ...values, MAX_CALLS],
  );
  return rows.map((row) => ({
    tool: row.tool ?? "",
    input: row.input === null ? null : tryParseJson(row.input),
    cwd: row.cwd,
    workspace,
    at: row.at,
    text: row.text,
    failed:
      row.outcome === null ? row.ok === 0 || (row.exit_code ?? 0) !== 0 : row.outcome === "failed" && row.benign === 0,
  }));
}

interface CallRow {
  at: number;
  tool: string | null;
  input: string | null;
  cwd: string | null;
  outcome: string | null;
  ok: number | null;
  exit_code: number | null;
  benign: number;
  text: string | null;
}
