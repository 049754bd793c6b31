import { openContext } from "../../src/mind.ts";
import { insertCycle, updateOpenCycle } from "../../src/store/goals/cycles.ts";
import { addSnapshot } from "../../src/store/goals/snapshots.ts";
import type { Place } from "../program.ts";

/** A cycle that failed at a task, and the snapshot after it. */
export async function storeCycle(
  { home }: Place,
  { goal, task, words }: { readonly goal: string; readonly task: string; readonly words: string },
): Promise<void> {
  const mind = await openContext({ home, env: {} });
  try {
    const at = mind.clock.now();
    const cycle = await insertCycle(mind.db, { id: "cy_1", beganAt: at - 60_000, worker: "w" });
    await updateOpenCycle(mind.db, {
      ...cycle,
      ...{ endedAt: at, step: "snapshot", action: "execute", rule: "next-task", goal, task, outcome: "failed" },
      ...{ model: "ollama/scripted", cost: 0.02, reason: words },
    });
    await addSnapshot(mind.db, {
      ...{ id: "sn_1", at, cycleCount: 1, content: `It stands so: ${words}`, currentFocus: words, source: null },
      activeGoals: [{ id: goal, title: words, status: "active", verifiedPercent: 50, claimedPercent: 0 }],
      recentOutcomes: [{ summary: words, at, success: false }],
      openBlockers: [{ goal, description: words }],
      keyLearnings: [{ content: words, confidence: 0.5, category: "meta" }],
    });
  } finally {
    await mind.close();
  }
}
