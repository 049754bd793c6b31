import type { Context } from "../../context.ts";
import { type Goal, hasEnded } from "../../domain/goal/goal.ts";
import { settleGoal } from "../../domain/goal/settle.ts";
import { applyChange, makeProvenance } from "../../store/journal/journal.ts";
import { goalNoun, listGoals, readGoal } from "../../store/nouns/goals.ts";
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
    await applyChange(db, { noun: goalNoun, id }, settling({ clock }), (now) => {
      if (now === null || now.status !== goal.status) return now;
      const settled = { ...now, ...become };
      return { ...settled, endedAt: hasEnded(settled) ? clock.now() : null };
    });
    id = goal.parent;
  }
}

/** A goal is not done if a task of it is open again, and neither is what it is a part of. */
export async function reopenGoals(ctx: Pick<Context, "db" | "clock">, first: string): Promise<void> {
  for (let id: string | null = first; id !== null;) {
    const goal: Goal | null = await readGoal(ctx.db, id);
    if (goal?.status !== "done") return;
    await applyChange(ctx.db, { noun: goalNoun, id }, settling(ctx), (now) =>
      now?.status === "done" ? { ...now, status: "active" as const, endedAt: null } : now,
    );
    id = goal.parent;
  }
}

/** Nobody's decision: it follows from what became of the tasks. */
function settling({ clock }: Pick<Context, "clock">) {
  return makeProvenance({ actor: { kind: "maintenance" }, clock }, "goal settle");
}
