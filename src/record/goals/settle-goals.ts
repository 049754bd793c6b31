import type { Context } from "../../context.ts";
import { type Goal, hasEnded } from "../../domain/goal/goal.ts";
import { settleGoal } from "../../domain/goal/settle.ts";
import { applyChange, makeProvenance } from "../../store/journal/journal.ts";
import { goalNoun, listGoals } from "../../store/nouns/goals.ts";
import { listTasks } from "../../store/nouns/tasks.ts";

/** Sets what a goal, and then each goal above it, has become by its tasks and parts. */
export async function settleGoals({ db, clock }: Pick<Context, "db" | "clock">, first: string): Promise<void> {
  const tasks = await listTasks(db);
  for (let id: string | null = first; id !== null;) {
    const goals = await listGoals(db);
    const goal: Goal | undefined = goals.find((one) => one.id === id);
    if (goal === undefined) return;
    const become = settleGoal(goal, { goals, tasks });
    if (become === null) return;
    // Nobody's decision: it follows from what became of the tasks.
    const by = makeProvenance({ actor: { kind: "maintenance" }, clock }, "goal settle");
    await applyChange(db, { noun: goalNoun, id }, by, (now) => {
      if (now === null || now.status !== goal.status) return now;
      const settled = { ...now, ...become };
      return { ...settled, endedAt: hasEnded(settled) ? clock.now() : null };
    });
    id = goal.parent;
  }
}
