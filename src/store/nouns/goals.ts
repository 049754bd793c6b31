import type { Actor } from "../../domain/actor.ts";
import type { Goal, GoalStatus } from "../../domain/goal/goal.ts";
import { plural } from "../../lib/text.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

const columns =
  "id, title, description, status, priority, created_by, parent, depends_on, folder, reason, metadata, made_at, ended_at";

/** The most urgent first, then the oldest. */
export async function listGoals(db: Db): Promise<Goal[]> {
  return (await db.all<GoalRow>(`select ${columns} from goals order by priority, made_at, id`)).map(fromRow);
}

export async function readGoal(db: Db, id: string): Promise<Goal | null> {
  const row = await db.get<GoalRow>(`select ${columns} from goals where id = ?`, [id]);
  return row ? fromRow(row) : null;
}

/** Only the journal calls these. */
export const goalNoun: Noun<Goal> = {
  name: "goal",
  read: readGoal,
  write: async (db, id, goal) => {
    if (goal === null) {
      await db.run("delete from goals where id = ?", [id]);
      return;
    }
    await db.run(
      `insert into goals (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do update set title = excluded.title, description = excluded.description,
         status = excluded.status, priority = excluded.priority, created_by = excluded.created_by,
         parent = excluded.parent, depends_on = excluded.depends_on, folder = excluded.folder,
         reason = excluded.reason, metadata = excluded.metadata, made_at = excluded.made_at,
         ended_at = excluded.ended_at`,
      [
        id,
        goal.title,
        goal.description,
        goal.status,
        goal.priority,
        goal.createdBy,
        goal.parent,
        JSON.stringify(goal.dependsOn),
        goal.folder,
        goal.reason,
        JSON.stringify(goal.metadata),
        goal.madeAt,
        goal.endedAt,
      ],
    );
  },
  all: listGoals,
  dependants: listDependants,
  refuses: refuseAgent,
};

async function listDependants(db: Db, id: string): Promise<readonly string[]> {
  const row = await db.get<{ count: number }>("select count(*) as count from tasks where goal = ?", [id]);
  const tasks = Number(row?.count ?? 0);
  const children = (await listGoals(db)).filter(({ parent, dependsOn }) => parent === id || dependsOn.includes(id));
  return [...(tasks === 0 ? [] : [plural(tasks, "task")]), ...children.map((one) => `goal ${one.id}`)];
}

/** What an agent wants to reach costs money and runs programs, so a person approves it first. */
function refuseAgent(before: Goal | null, after: Goal | null, actor: Actor): string | null {
  if (actor.kind !== "agent" || (before === null && after?.status === "proposed")) return null;
  return before === null ? "an agent can only propose a goal" : "only the owner changes a goal";
}

interface GoalRow {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: string;
  readonly priority: number;
  readonly created_by: string;
  readonly parent: string | null;
  readonly depends_on: string;
  readonly folder: string | null;
  readonly reason: string | null;
  readonly metadata: string;
  readonly made_at: number;
  readonly ended_at: number | null;
}

function fromRow(row: GoalRow): Goal {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    status: row.status as GoalStatus,
    priority: row.priority,
    createdBy: row.created_by,
    parent: row.parent,
    dependsOn: JSON.parse(row.depends_on) as string[],
    folder: row.folder,
    reason: row.reason,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    madeAt: row.made_at,
    endedAt: row.ended_at,
  };
}
