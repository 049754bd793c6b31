import type { Context } from "../../../context.ts";
import type { Cycle } from "../../../domain/goal/cycle.ts";
import { decide } from "../../../domain/goal/decide.ts";
import {
  FEWEST_EXECUTIONS,
  findReflectionDue,
  type ReflectionDue,
  type ReflectionHistory,
} from "../../../domain/goal/reflection-gate.ts";
import { ownMachineName } from "../../../domain/work/own-machine.ts";
import { errorMessage, OldhandError } from "../../../lib/errors.ts";
import { newId } from "../../../lib/ids.ts";
import { describeProcess, isProcessGone, nameProcess, ownProcessRef } from "../../../lib/process-ref.ts";
import { oneLine } from "../../../lib/text.ts";
import { insertCycle, listOpenCycles, updateOpenCycle } from "../../../store/goals/cycles.ts";
import { readReflectionCycles } from "../../../store/goals/reflections.ts";
import { withJournalLock } from "../../../store/journal/journal.ts";
import { listGoals } from "../../../store/nouns/goals.ts";
import { listTasks } from "../../../store/nouns/tasks.ts";
import { reflect, type ReflectionWish } from "./reflect.ts";
import type { ReflectionReport } from "./report.ts";

type HandContext = Pick<Context, "db" | "clock" | "config" | "models" | "signal">;

/** Reflects outside of the cycle that works on tasks. It is a cycle of its own, so that the gate counts it. */
export async function reflectByHand(
  ctx: HandContext,
  { model }: Pick<ReflectionWish, "model">,
): Promise<ReflectionReport> {
  const cycle = await beginReflection(ctx);
  const end = (more: Pick<Cycle, "outcome" | "reason" | "model" | "cost">) =>
    updateOpenCycle(ctx.db, { ...cycle, ...more, step: "record", endedAt: ctx.clock.now() });
  try {
    const report = await reflect(ctx, { cycle: cycle.id, model });
    await end({ outcome: "reflected", reason: null, model: report.model, cost: report.cost });
    return report;
  } catch (error) {
    await end({ outcome: "failed", reason: oneLine(errorMessage(error), 500), model: null, cost: 0 });
    throw error;
  }
}

/** For a job. Returns what was done, or why nothing was. */
export async function reflectIfDue(ctx: HandContext): Promise<string> {
  const { due, why } = await isReflectionDue(ctx);
  if (!due) return `no reflection is due: ${why}`;
  try {
    return (await reflectByHand(ctx, {})).summary;
  } catch (error) {
    // Somebody works on a task now: nothing is wrong, and the next slot looks again.
    if (error instanceof OldhandError && error.code === "conflict") return `nothing yet: ${error.message}`;
    throw error;
  }
}

/** Whether the next cycle should reflect, by what the tables say now. */
export async function isReflectionDue({
  db,
  clock,
  config,
}: Pick<Context, "db" | "clock" | "config">): Promise<ReflectionDue> {
  return findReflectionDue(await readReflectionHistory({ db, config }), config.policy.goals, clock.now());
}

export async function readReflectionHistory({
  db,
  config,
}: Pick<Context, "db" | "config">): Promise<ReflectionHistory> {
  const most = Math.max(config.policy.goals.reflectExecutions, FEWEST_EXECUTIONS);
  const board = { goals: await listGoals(db), tasks: await listTasks(db) };
  return { ...(await readReflectionCycles(db, { most })), isWorkPending: decide(board).action !== "idle" };
}

/** Only one cycle is open at a time, whoever began it. */
function beginReflection({ db, clock, config }: HandContext): Promise<Cycle> {
  return withJournalLock(db, async (tx) => {
    for (const open of await listOpenCycles(tx)) await endIfLost({ db: tx, clock }, open);
    const now = clock.now();
    const begun = await insertCycle(tx, {
      id: newId("cycle", now),
      beganAt: now,
      worker: nameProcess(ownProcessRef(), ownMachineName(config)),
    });
    const cycle: Cycle = { ...begun, step: "execute", action: "reflect" };
    await updateOpenCycle(tx, cycle);
    return cycle;
  });
}

/** A reflection whose process is gone leaves nothing behind but its row. What else is open is still worked on, or not ours to end. */
async function endIfLost({ db, clock }: Pick<Context, "db" | "clock">, open: Cycle): Promise<void> {
  if (open.action !== "reflect" || !isProcessGone(open.worker))
    throw new OldhandError("conflict", `cycle ${open.number} is open: ${describeProcess(open.worker)} works on it`, {
      hint: "wait until it has ended; two cycles at once would do the same work twice",
    });
  await updateOpenCycle(db, {
    ...open,
    endedAt: clock.now(),
    outcome: "lost",
    reason: "its process ended without a word",
  });
}
