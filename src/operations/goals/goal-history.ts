import { z } from "zod";
import type { Context } from "../../context.ts";
import { type Cycle, cycleActions, cycleOutcomes } from "../../domain/goal/cycle.ts";
import { formatDollars } from "../../domain/model/money.ts";
import { iso } from "../../lib/clock.ts";
import { oneLine } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { listCycles } from "../../store/goals/cycles.ts";
import { readGoal } from "../../store/nouns/goals.ts";
import { readTask } from "../../store/nouns/tasks.ts";
import { limitInput } from "../shared/shapes.ts";
import { goalOut, taskOut } from "./goal-shapes.ts";

const subjectShape = z.object({ id: z.string(), title: z.string() }).nullable();

const cycleShape = z
  .object({
    id: z.string(),
    number: z.number(),
    beganAt: z.string(),
    endedAt: z.string().nullable().describe("null: it runs, or it ended without a word"),
    ms: z.number().nullable(),
    step: z.string().describe("the last step that it began"),
    action: z.enum(cycleActions).nullable(),
    rule: z.string().nullable().describe("the rule that decided what was done"),
    goal: subjectShape,
    task: subjectShape,
    outcome: z.enum(cycleOutcomes).nullable(),
    model: z.string().nullable(),
    cost: z.number().describe("dollars"),
    reason: z.string().nullable(),
  })
  .meta({ id: "PastCycle" });

const cycles = defineOperation({
  name: "goal cycles",
  summary: "Lists past cycles, newest first: what each did for which task, the rule that decided it, what came of it.",
  effect: "read",
  input: z.object({ limit: limitInput(20) }),
  output: z.object({ cycles: z.array(cycleShape) }),
  run: async (ctx, { limit }) => {
    const found = await listCycles(ctx.db, { limit });
    return { cycles: await Promise.all(found.map((one) => cycleOut(ctx, one))) };
  },
  render: ({ cycles: found }) => (found.length === 0 ? "No cycle has run yet." : found.map(formatCycle).join("\n")),
});

export const goalHistoryOperations = [cycles] as const;

async function cycleOut(ctx: Context, cycle: Cycle): Promise<z.infer<typeof cycleShape>> {
  const { attempt: _attempt, session: _session, worker: _worker, beganAt, endedAt, ...rest } = cycle;
  const goal = cycle.goal === null ? null : await readGoal(ctx.db, cycle.goal);
  const task = cycle.task === null ? null : await readTask(ctx.db, cycle.task);
  return {
    ...rest,
    beganAt: iso(beganAt),
    endedAt: endedAt === null ? null : iso(endedAt),
    ms: endedAt === null ? null : endedAt - beganAt,
    goal: goal === null ? null : { id: goal.id, title: goalOut(ctx, goal, []).title },
    task: task === null ? null : { id: task.id, title: taskOut(ctx, task).title },
  };
}

function formatCycle({ number, beganAt, action, outcome, task, goal, rule, cost, reason }: z.infer<typeof cycleShape>) {
  const what = task === null ? goal : task;
  const about = what === null ? "" : `: ${oneLine(what.title, 80)} (${what.id})`;
  const by = rule === null ? "" : `, by the rule ${rule}`;
  const because = reason === null ? "" : `\n    ${oneLine(reason, 200)}`;
  return `${String(number).padStart(5)}  ${beganAt}  ${action ?? "began"}, ${outcome ?? "no outcome"}${about}${by}, ${formatDollars(cost)}${because}`;
}
