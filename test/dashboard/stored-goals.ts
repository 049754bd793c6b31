import type { TaskAttempt } from "../../src/domain/goal/attempt.ts";
import { insertTaskAttempt, updateOpenAttempt } from "../../src/store/goals/attempts.ts";
import { insertCycle, updateOpenCycle } from "../../src/store/goals/cycles.ts";
import { openContext } from "../../src/mind.ts";
import { addGoal } from "../../src/record/goals/goals.ts";
import type { Place } from "../program.ts";

/** A goal as an agent proposes it. Returns its id. */
export async function storeProposedGoal({ home }: Place, title: string): Promise<string> {
  const mind = await openContext({ home, env: {} });
  try {
    const given = { title, description: "", priority: 5, parent: null, dependsOn: [], folder: null, metadata: {} };
    const { goal } = await addGoal({ ...mind, actor: { kind: "agent", name: "codex" } }, given);
    return goal.id;
  } finally {
    await mind.close();
  }
}

/** Attempts at a task that failed, each with what it tried. */
export async function storeFailedAttempts(
  { home }: Place,
  of: { readonly task: string; readonly goal: string },
  strategies: readonly string[],
): Promise<void> {
  const { clock, db, close } = await openContext({ home, env: {} });
  try {
    for (const [at, strategy] of strategies.entries()) {
      const attempt: TaskAttempt = {
        ...{ ...of, id: `attempt_${at}`, number: at + 1, cycle: `cycle_${at}`, state: "open", strategy, reason: null },
        ...{ base: null, branch: null, folder: null, session: null, commit: null, model: null, cost: 0 },
        ...{ beganAt: clock.now(), endedAt: null },
      };
      const cycle = await insertCycle(db, { id: attempt.cycle, beganAt: clock.now(), worker: "test" });
      await updateOpenCycle(db, { ...cycle, action: "execute", outcome: "failed", endedAt: clock.now() });
      await insertTaskAttempt(db, attempt);
      await updateOpenAttempt(db, { ...attempt, state: "failed", endedAt: clock.now() });
    }
  } finally {
    await close();
  }
}
