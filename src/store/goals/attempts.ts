import type { TaskAttempt, TaskAttemptState } from "../../domain/goal/attempt.ts";
import type { Db } from "../engine/db.ts";

const columns =
  "id, task, goal, number, cycle, state, strategy, base, branch, folder, session, commit_id, model, cost, reason, began_at, ended_at";

/** False if the task has an open attempt, or one with this number: somebody was first. */
export async function insertTaskAttempt(db: Db, attempt: TaskAttempt): Promise<boolean> {
  const added = await db.run(
    `insert into task_attempts (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    toValues(attempt),
  );
  return added === 1;
}

/** Changes an attempt that is open. False if it is not: whoever works on it has lost it, and must write nothing more. */
export async function updateOpenAttempt(db: Db, attempt: TaskAttempt): Promise<boolean> {
  const changed = await db.run(
    `update task_attempts set state = ?, strategy = ?, base = ?, branch = ?, folder = ?, session = ?, commit_id = ?,
       model = ?, cost = ?, reason = ?, ended_at = ? where id = ? and state = 'open'`,
    [
      attempt.state,
      attempt.strategy,
      attempt.base,
      attempt.branch,
      attempt.folder,
      attempt.session,
      attempt.commit,
      attempt.model,
      attempt.cost,
      attempt.reason,
      attempt.endedAt,
      attempt.id,
    ],
  );
  return changed === 1;
}

/** Its worktree was removed, or its branch. */
export async function clearAttemptPlaces(db: Db, id: string, what: "folder" | "branch"): Promise<void> {
  await db.run(`update task_attempts set ${what === "folder" ? "folder" : "branch"} = null where id = ?`, [id]);
}

/** Of one task or goal, or all of them; the oldest first. */
export async function listTaskAttempts(
  db: Db,
  filter: {
    readonly task?: string | undefined;
    readonly goal?: string | undefined;
    readonly state?: TaskAttemptState | undefined;
  } = {},
): Promise<TaskAttempt[]> {
  const given = [
    ...(filter.task === undefined ? [] : [["task", filter.task] as const]),
    ...(filter.goal === undefined ? [] : [["goal", filter.goal] as const]),
    ...(filter.state === undefined ? [] : [["state", filter.state] as const]),
  ];
  const where = given.length === 0 ? "" : `where ${given.map(([column]) => `${column} = ?`).join(" and ")}`;
  const rows = await db.all<AttemptRow>(
    `select ${columns} from task_attempts ${where} order by began_at, number, id`,
    given.map(([, value]) => value),
  );
  return rows.map(fromRow);
}

/** Attempts that ended in this time in one of these states; the oldest first. */
export async function listAttemptsEnded(
  db: Db,
  {
    since,
    until,
    states,
  }: { readonly since: number; readonly until: number; readonly states: readonly TaskAttemptState[] },
): Promise<TaskAttempt[]> {
  const rows = await db.all<AttemptRow>(
    `select ${columns} from task_attempts where ended_at > ? and ended_at <= ?
       and state in (${states.map(() => "?").join(", ")}) order by ended_at, id`,
    [since, until, ...states],
  );
  return rows.map(fromRow);
}

/** The attempt that a session worked on at a time; null if it worked on none. */
export async function findAttemptOfSession(db: Db, session: string, at: number): Promise<TaskAttempt | null> {
  const row = await db.get<AttemptRow>(
    `select ${columns} from task_attempts where session = ? and began_at <= ? order by began_at desc, number desc limit 1`,
    [session, at],
  );
  return row === undefined ? null : fromRow(row);
}

interface AttemptRow {
  readonly id: string;
  readonly task: string;
  readonly goal: string;
  readonly number: number;
  readonly cycle: string;
  readonly state: string;
  readonly strategy: string | null;
  readonly base: string | null;
  readonly branch: string | null;
  readonly folder: string | null;
  readonly session: string | null;
  readonly commit_id: string | null;
  readonly model: string | null;
  readonly cost: number;
  readonly reason: string | null;
  readonly began_at: number;
  readonly ended_at: number | null;
}

function toValues(one: TaskAttempt): (string | number | null)[] {
  return [
    ...[one.id, one.task, one.goal, one.number, one.cycle, one.state, one.strategy, one.base, one.branch, one.folder],
    ...[one.session, one.commit, one.model, one.cost, one.reason, one.beganAt, one.endedAt],
  ];
}

function fromRow({ commit_id, began_at, ended_at, state, ...row }: AttemptRow): TaskAttempt {
  return { ...row, state: state as TaskAttemptState, commit: commit_id, beganAt: began_at, endedAt: ended_at };
}
