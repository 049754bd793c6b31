import { type CycleChoice, chooseAction } from "../../../domain/goal/choose-action.ts";
import type { Cycle } from "../../../domain/goal/cycle.ts";
import { newId } from "../../../lib/ids.ts";
import { describeProcess } from "../../../lib/process-ref.ts";
import { insertCycle } from "../../../store/goals/cycles.ts";
import { blockSpent } from "./block-spent.ts";
import { CycleLost, holdCycleLease, newCycleRow } from "./cycle-fence.ts";
import type { CycleContext, CycleParts } from "./agent/cycle-parts.ts";
import { decomposeGoal } from "./decompose-goal.ts";
import { doTask } from "./do-task.ts";
import { type Orientation, orient } from "./orient.ts";
import { failCycle } from "./fail-cycle.ts";
import { recoverLost } from "./recover-lost.ts";
import { type CycleOptions, recordEnd, type RunningCycle } from "./running-cycle.ts";
import { writeSnapshot } from "./write-snapshot.ts";

/** How a cycle ended. Null: another one is running, whose holder is named. */
export type CycleEnd =
  | { readonly kind: "ended"; readonly cycle: Cycle; readonly problems: readonly string[] }
  | { readonly kind: "busy"; readonly by: string };

/** Orient, decide, prepare, execute, commit, verify, record, snapshot: one cycle, with exactly one task. */
export async function runCycle(ctx: CycleContext, parts: CycleParts, options: CycleOptions): Promise<CycleEnd> {
  const held = await holdCycleLease(ctx, parts, async (lost) => {
    await recoverLost(ctx, parts);
    const beganAt = ctx.clock.now();
    const begun = await insertCycle(ctx.db, { id: newId("cycle", beganAt), beganAt, worker: parts.worker });
    const row = newCycleRow(ctx, begun, lost);
    const running: RunningCycle = { ctx: { ...ctx, signal: AbortSignal.any([ctx.signal, lost]) }, parts, row, options };
    return takeSteps(running)
      .catch(async (error: unknown): Promise<CycleEnd> => {
        if (error instanceof CycleLost) throw error;
        return { kind: "ended", cycle: await failCycle(ctx, row, error), problems: [] };
      })
      .catch((error: unknown) => {
        if (error instanceof CycleLost) return endedLost(row.now());
        throw error;
      });
  });
  return held.kind === "busy" ? { kind: "busy", by: describeProcess(held.by) } : held.result;
}

async function takeSteps(running: RunningCycle): Promise<CycleEnd> {
  const { ctx, parts, row } = running;
  await row.enter("orient");
  const oriented = await orient(ctx);
  await row.enter("decide");
  const reflection = await parts.findReflection();
  const choice = chooseAction(oriented.board, {
    attempts: oriented.attempts,
    plans: oriented.plans,
    mostAttempts: ctx.config.policy.goals.mostAttempts,
    reflection,
  });
  const { action, rule, goal, task, reason } = choice;
  await row.write({ action, rule, goal: goal?.id ?? null, task: task?.id ?? null, reason });
  const problems = await act(running, choice, oriented);
  await row.enter("snapshot");
  await writeSnapshot(ctx, parts.keepCopy, oriented.gap);
  await row.write({ endedAt: ctx.clock.now() });
  return { kind: "ended", cycle: row.now(), problems };
}

/** Does what was chosen, and records it. Returns what the owner must know besides. */
async function act(running: RunningCycle, choice: CycleChoice, oriented: Orientation): Promise<readonly string[]> {
  const { ctx, row, parts } = running;
  switch (choice.action) {
    case "execute":
      return doTask(running, choice, oriented);
    case "decompose":
      return decomposeGoal(running, choice, oriented);
    case "blocked":
      return blockSpent(running, choice);
    case "reflect": {
      await row.enter("execute");
      const { summary, cost, model } = await parts.reflect(row.now());
      await recordEnd(running, { outcome: "reflected", reason: summary, cost, model }, { summary });
      return [];
    }
    case "idle":
      // A cycle that finds nothing to do leaves its row, and no line in the log.
      await row.write({ step: "record", outcome: "nothing", reason: choice.reason });
      ctx.report({ text: choice.reason });
      return [];
  }
}

function endedLost(cycle: Cycle): CycleEnd {
  const reason = "another cycle took over, so nothing more of this one was written";
  return { kind: "ended", cycle: { ...cycle, outcome: "lost", reason }, problems: [] };
}
