import type { CommentKind, GoalComment } from "../../domain/goal/comment.ts";
import type { Db } from "../engine/db.ts";

const columns = "id, at, goal, kind, author, text, acknowledged_at, acknowledged_by, answer";

/** Once for each id. False if it is there already. */
export async function insertComment(db: Db, comment: GoalComment): Promise<boolean> {
  const { id, at, goal, kind, author, text, acknowledgedAt, acknowledgedBy, answer } = comment;
  const added = await db.run(
    `insert into goal_comments (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
    [id, at, goal, kind, author, text, acknowledgedAt, acknowledgedBy, answer],
  );
  return added === 1;
}

export async function readComment(db: Db, id: string): Promise<GoalComment | null> {
  const row = await db.get<CommentRow>(`select ${columns} from goal_comments where id = ?`, [id]);
  return row ? fromRow(row) : null;
}

/** Oldest first. */
export async function listComments(
  db: Db,
  { goal, isOpen }: { readonly goal?: string | undefined; readonly isOpen?: boolean | undefined },
): Promise<GoalComment[]> {
  const conditions = [
    ...(goal === undefined ? [] : ["goal = ?"]),
    ...(isOpen === true ? ["acknowledged_at is null"] : []),
  ];
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const rows = await db.all<CommentRow>(
    `select ${columns} from goal_comments ${where} order by at, id`,
    goal === undefined ? [] : [goal],
  );
  return rows.map(fromRow);
}

/** False if somebody was first. */
export async function acknowledgeComment(
  db: Db,
  id: string,
  { by, at, answer }: { readonly by: string; readonly at: number; readonly answer: string | null },
): Promise<boolean> {
  const changed = await db.run(
    `update goal_comments set acknowledged_at = ?, acknowledged_by = ?, answer = ?
     where id = ? and acknowledged_at is null`,
    [at, by, answer, id],
  );
  return changed === 1;
}

interface CommentRow {
  readonly id: string;
  readonly at: number;
  readonly goal: string;
  readonly kind: string;
  readonly author: string;
  readonly text: string;
  readonly acknowledged_at: number | null;
  readonly acknowledged_by: string | null;
  readonly answer: string | null;
}

function fromRow(row: CommentRow): GoalComment {
  return {
    id: row.id,
    at: row.at,
    goal: row.goal,
    kind: row.kind as CommentKind,
    author: row.author,
    text: row.text,
    acknowledgedAt: row.acknowledged_at,
    acknowledgedBy: row.acknowledged_by,
    answer: row.answer,
  };
}
