import type { CycleChoice } from "../../../domain/goal/choose-action.ts";
import type { Goal } from "../../../domain/goal/goal.ts";
import { plural } from "../../../lib/text.ts";
import { addTask } from "../../../record/goals/tasks.ts";
import type { Db } from "../../../store/engine/db.ts";
import { listTasksOf } from "../../../store/nouns/tasks.ts";
import { choosePhaseModel } from "./choose-phase-model.ts";
import type { PlannedTask } from "./agent/cycle-parts.ts";
import type { Orientation } from "./orient.ts";
import { recordEnd, type RunningCycle } from "./running-cycle.ts";

type DecomposeChoice = Extract<CycleChoice, { readonly action: "decompose" }>;

/** Makes the tasks of a goal that has none. The checks are bound now, before anybody works. */
export async function decomposeGoal(
  running: RunningCycle,
  { goal }: DecomposeChoice,
  { letter, comments }: Orientation,
): Promise<readonly string[]> {
  const { ctx, parts, row, options } = running;
  await row.enter("execute");
  const model = choosePhaseModel({ goal, task: null }, options.model);
  const of = { model, letter, comments: comments.filter((one) => one.goal === goal.id) };
  const planned = await parts.plan(goal, of, ctx.signal);
  const spent = { cost: planned.cost, model: planned.model };
  const details = { ...spent, calls: planned.calls };
  if (planned.deferred !== null) {
    const end = { ...spent, outcome: "deferred", reason: planned.deferred } as const;
    await recordEnd(running, end, { summary: `Put off the plan of "${goal.title}": ${planned.deferred}`, details });
    return [];
  }
  if (planned.tasks === null) {
    const reason = planned.problem ?? "the plan could not be used";
    await recordEnd(
      running,
      { ...spent, outcome: "failed", reason },
      { summary: `No plan of "${goal.title}": ${reason}`, details },
    );
    return [];
  }
  const { tasks } = planned;
  const reason = `${plural(tasks.length, "task")} for "${goal.title}"`;
  await recordEnd(running, { ...spent, outcome: "planned", reason }, { summary: `Planned ${reason}`, details }, (tx) =>
    addTasks(running, tx, goal, tasks),
  );
  return [];
}

/** In the transaction of the record: a goal gets all of its tasks, once. */
async function addTasks({ ctx }: RunningCycle, db: Db, goal: Goal, tasks: readonly PlannedTask[]): Promise<void> {
  if ((await listTasksOf(db, goal.id)).some(({ status }) => status !== "dropped")) return;
  const ids: string[] = [];
  for (const { title, description, check, after, tier } of tasks) {
    const dependsOn = after.flatMap((number) => ids[number - 1] ?? []);
    const on = { db, clock: ctx.clock, actor: { kind: "agent", name: "oldhand" } as const };
    const { task } = await addTask(on, { goal: goal.id, title, description, check, dependsOn, tier, metadata: {} });
    ids.push(task.id);
  }
}
