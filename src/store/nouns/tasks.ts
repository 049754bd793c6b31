import type { Actor } from "../../domain/actor.ts";
import type { Check } from "../../domain/goal/check.ts";
import type { TaskProof, Task, TaskStatus, TaskTier } from "../../domain/goal/task.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

const columns =
  "id, goal, title, description, status, proof, bound_check, check_hash, base, position, depends_on, tier, created_by, result, reason, metadata, made_at, ended_at";

/** In the order of their goals and their places in them. */
export async function listTasks(db: Db): Promise<Task[]> {
  return (await db.all<TaskRow>(`select ${columns} from tasks order by goal, position, id`)).map(fromRow);
}

export async function listTasksOf(db: Db, goal: string): Promise<Task[]> {
  return (await db.all<TaskRow>(`select ${columns} from tasks where goal = ? order by position, id`, [goal])).map(
    fromRow,
  );
}

/** Those of one status; of those that ended, only the ones of this time. The oldest first. */
export async function listTasksWith(db: Db, { status }: { readonly status: TaskStatus }): Promise<Task[]> {
  const rows = await db.all<TaskRow>(
    `select ${columns} from tasks where status = ? order by coalesce(ended_at, made_at), id`,
    [status],
  );
  return rows.map(fromRow);
}

export async function readTask(db: Db, id: string): Promise<Task | null> {
  const row = await db.get<TaskRow>(`select ${columns} from tasks where id = ?`, [id]);
  return row ? fromRow(row) : null;
}

/** Only the journal calls these. */
export const taskNoun: Noun<Task> = {
  name: "task",
  read: readTask,
  write: async (db, id, task) => {
    if (task === null) {
      await db.run("delete from tasks where id = ?", [id]);
      return;
    }
    await db.run(
      `insert into tasks (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do update set goal = excluded.goal, title = excluded.title, description = excluded.description,
         status = excluded.status, proof = excluded.proof, bound_check = excluded.bound_check,
         check_hash = excluded.check_hash, base = excluded.base, position = excluded.position, depends_on = excluded.depends_on,
         tier = excluded.tier, created_by = excluded.created_by, result = excluded.result, reason = excluded.reason,
         metadata = excluded.metadata, made_at = excluded.made_at, ended_at = excluded.ended_at`,
      [
        id,
        task.goal,
        task.title,
        task.description,
        task.status,
        task.proof,
        JSON.stringify(task.check),
        task.checkHash,
        task.base,
        task.position,
        JSON.stringify(task.dependsOn),
        task.tier,
        task.createdBy,
        task.result,
        task.reason,
        JSON.stringify(task.metadata),
        task.madeAt,
        task.endedAt,
      ],
    );
  },
  all: listTasks,
  dependants: async (db, id) =>
    (await listTasks(db)).filter(({ dependsOn }) => dependsOn.includes(id)).map((one) => `task ${one.id}`),
  refuses: refuseAgent,
};

/** Who does the work must not decide that it is done. */
function refuseAgent(before: Task | null, after: Task | null, actor: Actor): string | null {
  if (actor.kind !== "agent") return null;
  if (after === null) return "only the owner removes a task";
  if (before !== null && before.checkHash !== after.checkHash) return "only the owner changes the check of a task";
  if (before !== null && before.base !== after.base) return "the commit at which a task began stays";
  return after.proof === "verified" && before?.proof !== "verified"
    ? "an agent can only claim that a task is done; its check verifies it"
    : null;
}

interface TaskRow {
  readonly id: string;
  readonly goal: string;
  readonly title: string;
  readonly description: string;
  readonly status: string;
  readonly proof: string | null;
  readonly bound_check: string;
  readonly check_hash: string;
  readonly base: string | null;
  readonly position: number;
  readonly depends_on: string;
  readonly tier: string;
  readonly created_by: string;
  readonly result: string | null;
  readonly reason: string | null;
  readonly metadata: string;
  readonly made_at: number;
  readonly ended_at: number | null;
}

function fromRow(row: TaskRow): Task {
  return {
    id: row.id,
    goal: row.goal,
    title: row.title,
    description: row.description,
    status: row.status as TaskStatus,
    proof: row.proof as TaskProof | null,
    check: JSON.parse(row.bound_check) as Check,
    checkHash: row.check_hash,
    base: row.base,
    position: row.position,
    dependsOn: JSON.parse(row.depends_on) as string[],
    tier: row.tier as TaskTier,
    createdBy: row.created_by,
    result: row.result,
    reason: row.reason,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    madeAt: row.made_at,
    endedAt: row.ended_at,
  };
}
