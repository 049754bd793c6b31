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
