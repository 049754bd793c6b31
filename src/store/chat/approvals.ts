import { type Approval, type ApprovalReach, type ApprovalStatus, isStanding } from "../../domain/approval/approval.ts";
import type { ToolEffect } from "../../domain/approval/tool-effect.ts";
import type { Db, SqlValue } from "../engine/db.ts";

export async function insertApproval(db: Db, approval: Approval): Promise<void> {
  await db.insertMany({ table: "approvals", columns: columns.split(", ") }, [toRow(approval)]);
}

export async function getApproval(db: Db, id: string): Promise<Approval | null> {
  const row = await db.get<ApprovalRow>(`select ${columns} from approvals where id = ?`, [id]);
  return row === undefined ? null : fromRow(row);
}

/** Whether it still waits; without its text, which may be long. Null if there is none. */
export async function findApprovalState(db: Db, id: string): Promise<Pick<Approval, "status" | "until"> | null> {
  const row = await db.get<Pick<ApprovalRow, "status" | "until">>("select status, until from approvals where id = ?", [
    id,
  ]);
  return row === undefined ? null : { status: row.status as ApprovalStatus, until: row.until };
}

/** Newest first. */
export async function listApprovals(
  db: Db,
  {
    statuses,
    sessions,
    limit,
  }: {
    readonly statuses: readonly ApprovalStatus[];
    readonly sessions?: readonly string[] | undefined;
    readonly limit: number;
  },
): Promise<readonly Approval[]> {
  const rows = await db.all<ApprovalRow>(
    `select ${columns} from approvals where status in (${marks(statuses)}) ${ofSessions(sessions)} order by at desc, id desc limit ?`,
    [...statuses, ...(sessions ?? []), limit],
  );
  return rows.map(fromRow);
}

/** The questions that can still be answered, the oldest first. */
export async function listWaitingApprovals(
  db: Db,
  now: number,
  sessions?: readonly string[],
): Promise<readonly Approval[]> {
  const rows = await db.all<ApprovalRow>(
    `select ${columns} from approvals where status = 'waiting' and until > ? ${ofSessions(sessions)} order by at, id`,
    [now, ...(sessions ?? [])],
  );
  return rows.map(fromRow);
}

function ofSessions(sessions: readonly string[] | undefined): string {
  return sessions === undefined ? "" : `and session in (${marks(sessions)})`;
}

function marks(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}

export interface EqualAction {
  readonly action: string;
  readonly effect: ToolEffect;
  readonly agent: string;
  readonly session: string;
  readonly workspace: string;
  /** Which of several yeses: the one that reaches furthest (default), or the last one. */
  readonly prefer?: "widest" | "newest" | undefined;
}

/** A yes that covers an equal action: one for always of the same workspace (or of none), or one for this session. */
export async function findStandingApproval(
  db: Db,
  { action, effect, agent, session, workspace, prefer = "widest" }: EqualAction,
): Promise<Approval | null> {
  const rows = await db.all<ApprovalRow>(
    `select ${columns} from approvals
     where status = 'approved' and action = ? and effect = ? and agent = ?
       and ((grants = 'always' and (workspace is null or workspace = ?)) or (grants = 'session' and session = ?))
     order by case when grants = 'always' and ? = 'widest' then 0 else 1 end, at desc limit 1`,
    [action, effect, agent, workspace, session, prefer],
  );
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

export interface ApprovalAnswer {
  readonly status: Extract<ApprovalStatus, "approved" | "rejected">;
  readonly reach: ApprovalReach | null;
  readonly by: string;
  readonly now: number;
}

/** False if it was answered before, or is expired. */
export async function storeAnswer(db: Db, id: string, { status, reach, by, now }: ApprovalAnswer): Promise<boolean> {
  const changed = await db.run(
    "update approvals set status = ?, grants = ?, answered_at = ?, answered_by = ? where id = ? and status = 'waiting' and until > ?",
    [status, reach, now, by, id, now],
  );
  return changed === 1;
}

/** Ends a question that nobody waits for any more. `by`: what ended it, if that was not its time. */
export async function expireApproval(db: Db, id: string, by: string | null): Promise<void> {
  await db.run("update approvals set status = 'expired', answered_by = ? where id = ? and status = 'waiting'", [
    by,
    id,
  ]);
}

/**
 * Nobody waits for the answers of this session and its sub-agents any more. Returns how many questions were its own. A yes
 * that came too late to be used counts: its call has not begun.
 */
export async function expireQuestionsOf(db: Db, session: string): Promise<number> {
  const expire = `update approvals set status = 'expired'
    where (status = 'waiting' or (status = 'approved' and grants = 'once' and used_at is null))`;
  await db.run(`${expire} and session in (select id from chat_sessions where parent = ?)`, [session]);
  return db.run(`${expire} and session = ?`, [session]);
}

/** Notes that the approved action began. False if it began before: a yes to one call is used once. */
export async function useApproval(db: Db, id: string, now: number): Promise<boolean> {
  const changed = await db.run(
    "update approvals set used_at = ? where id = ? and status = 'approved' and used_at is null",
    [now, id],
  );
  return changed === 1;
}

/** False if it is no yes that covers later calls. */
export async function revokeApproval(db: Db, id: string): Promise<boolean> {
  const changed = await db.run(
    "update approvals set status = 'revoked' where id = ? and status = 'approved' and grants in ('session', 'always')",
    [id],
  );
  return changed === 1;
}

/** The yeses that cover later calls. */
export async function listStandingApprovals(
  db: Db,
  { sessions, limit }: { readonly sessions?: readonly string[] | undefined; readonly limit: number },
): Promise<readonly Approval[]> {
  const rows = await db.all<ApprovalRow>(
    `select ${columns} from approvals where status = 'approved' and grants in ('session', 'always') ${ofSessions(sessions)} order by at desc, id desc limit ?`,
    [...(sessions ?? []), limit],
  );
  return rows.map(fromRow).filter(isStanding);
}

const columns =
  "id, at, until, session, agent, workspace, action, effect, summary, detail, reason, status, grants, answered_at, answered_by, used_at";

interface ApprovalRow extends Readonly<Record<string, SqlValue>> {
  readonly id: string;
  readonly at: number;
  readonly until: number;
  readonly session: string | null;
  readonly agent: string;
  readonly workspace: string | null;
  readonly action: string;
  readonly effect: string;
  readonly summary: string;
  readonly detail: string;
  readonly reason: string;
  readonly status: string;
  readonly grants: string | null;
  readonly answered_at: number | null;
  readonly answered_by: string | null;
  readonly used_at: number | null;
}

function toRow(approval: Approval): readonly SqlValue[] {
  const { id, at, until, session, agent, workspace, action, effect, summary, detail, reason } = approval;
  const { status, reach, answeredAt, answeredBy, usedAt } = approval;
  const asked = [id, at, until, session, agent, workspace, action, effect, summary, detail, reason];
  return [...asked, status, reach, answeredAt, answeredBy, usedAt];
}

function fromRow(row: ApprovalRow): Approval {
  return {
    id: row.id,
    at: row.at,
    until: row.until,
    session: row.session,
    agent: row.agent,
    workspace: row.workspace,
    action: row.action,
    effect: row.effect as ToolEffect,
    summary: row.summary,
    detail: row.detail,
    reason: row.reason,
    status: row.status as ApprovalStatus,
    reach: row.grants as ApprovalReach | null,
    answeredAt: row.answered_at,
    answeredBy: row.answered_by,
    usedAt: row.used_at,
  };
}
