import { z } from "zod";
import type { Context } from "../../context.ts";
import { type Cycle, cycleActions, cycleOutcomes } from "../../domain/goal/cycle.ts";
import type { Goal } from "../../domain/goal/goal.ts";
import type { OldhandError } from "../../lib/errors.ts";
import { iso } from "../../lib/clock.ts";
import { formatDollars } from "../../domain/model/money.ts";
import { explainOff } from "../../converse/session/require-on.ts";
import { requireModelRef } from "../../models/providers/named-model.ts";
import { defineOperation } from "../../operation.ts";
import { listTasksOf, readTask } from "../../store/nouns/tasks.ts";
import { readGoal } from "../../store/nouns/goals.ts";
import { ownParts } from "../../work/goals/cycle/own-parts.ts";
import { findUnmergedBranch } from "../../work/goals/cycle/places/find-branch.ts";
import { previewCycle } from "../../work/goals/cycle/preview-cycle.ts";
import { runCycle } from "../../work/goals/cycle/run-cycle.ts";
import { readSnapshotCopy } from "../../work/goals/cycle/write-snapshot.ts";
import { goalOut, goalShape, taskOut, taskShape } from "./goal-shapes.ts";

const output = z
  .object({
    cycle: z.string().nullable().describe("its id; null if none was begun"),
    action: z.enum(cycleActions),
    goal: goalShape.nullable(),
    task: taskShape.nullable(),
    outcome: z.enum(cycleOutcomes).nullable().describe("null: nothing was done"),
    verified: z.boolean(),
    reason: z.string().nullable(),
    rule: z.string().nullable().describe("the rule that made the choice"),
    model: z.string().nullable(),
    tier: z.string().nullable().describe("what the choice asks of a model"),
    place: z.object({ folder: z.string(), branch: z.string().nullable() }).nullable(),
    cost: z.number().describe("US dollars"),
    branch: z.string().nullable().describe("the goal's branch, if it has commits that its folder does not have"),
    problems: z.array(z.string()),
    dryRun: z.boolean(),
  })
  .meta({ id: "CycleReport" });

type CycleReport = z.infer<typeof output>;

const cycle = defineOperation({
  name: "cycle",
  summary: "Does one task of the most urgent goal: chooses it, works on a branch of its own, checks it and records it.",
  effect: "spends",
  on: "goal",
  label: "Run a cycle",
  input: z.object({
    dryRun: z.boolean().default(false).describe("only show what would be done, and the rule that decides it"),
    model: z.string().min(1).optional().describe("PROVIDER/MODEL, for tasks and goals that name none"),
  }),
  output,
  example: "oldhand cycle --dry-run",
  isOwnerOnly: () => true,
  run: async (ctx, { dryRun, model: typed }) => {
    const model = typed ?? null;
    if (model !== null) requireModelRef(model, ctx.config.providers);
    const off = explainOff(ctx.config, null);
    if (off !== null) return { ...nothing, reason: off };
    const parts = ownParts(ctx);
    if (dryRun) return preview(ctx, model);
    const end = await runCycle(ctx, parts, { model });
    if (end.kind === "busy")
      return { ...nothing, reason: `another cycle is running: ${end.by}. One at a time works on the goals.` };
    return reportOf(ctx, end.cycle, end.problems);
  },
  withoutStore: async ({ config }, error) => ({ ...nothing, reason: explainOutage(config.home, error) }),
  render: (out) => (out.dryRun ? formatPreview(out) : formatReport(out)),
  notes: ({ problems }) => problems,
  isNegative: ({ dryRun, cycle: id, outcome }) => !dryRun && (id === null || !GOOD.has(outcome ?? "")),
});

const GOOD: ReadonlySet<string> = new Set(["verified", "claimed", "planned", "reflected", "nothing"]);

const nothing: CycleReport = {
  ...{ cycle: null, action: "idle", goal: null, task: null, outcome: null, verified: false, reason: null },
  ...{ rule: null, model: null, tier: null, place: null, cost: 0, branch: null, problems: [], dryRun: false },
};

function explainOutage(home: string, error: OldhandError): string {
  const copy = readSnapshotCopy(home);
  const last =
    copy === null ? "there is no copy of a snapshot" : `the last snapshot (${iso(copy.at)}) says: ${copy.content}`;
  return `${error.message}. Nothing is done without the database; ${last}`;
}

async function preview(ctx: Context, given: string | null): Promise<CycleReport> {
  const { choice, tier, model, place } = await previewCycle(ctx, ownParts(ctx), { model: given });
  const { action, rule, goal, task, reason } = choice;
  return {
    ...{ ...nothing, action, rule, reason, tier, model, place, dryRun: true },
    goal: await showGoal(ctx, goal),
    task: task === null ? null : taskOut(ctx, task),
  };
}

async function reportOf(ctx: Context, of: Cycle, problems: readonly string[]): Promise<CycleReport> {
  const { id, action, outcome, reason, rule, model, cost } = of;
  const goal = of.goal === null ? null : await readGoal(ctx.db, of.goal);
  const task = of.task === null ? null : await readTask(ctx.db, of.task);
  return {
    ...{ ...nothing, cycle: id, action: action ?? "idle", outcome, verified: outcome === "verified", reason },
    ...{ rule, model, cost, problems: [...problems], tier: task?.tier ?? null },
    goal: await showGoal(ctx, goal),
    task: task === null ? null : taskOut(ctx, task),
    branch: goal === null ? null : await findUnmergedBranch(goal),
  };
}

async function showGoal(ctx: Context, goal: Goal | null): Promise<CycleReport["goal"]> {
  return goal === null ? null : goalOut(ctx, goal, await listTasksOf(ctx.db, goal.id));
}

function formatPreview({ action, goal, task, reason, rule, tier, model, place }: CycleReport): string {
  if (goal === null)
    return `A cycle would ${action === "reflect" ? "reflect" : "do nothing"}: ${reason ?? ""} (rule ${rule ?? ""}).`;
  const what = {
    execute: `do ${task?.title ?? ""} (${task?.id ?? ""})`,
    decompose: "make tasks",
    blocked: task === null ? "block the goal" : `block ${task.title} (${task.id})`,
    reflect: "reflect",
    idle: "do nothing",
  }[action];
  return [
    `A cycle would ${what}, for "${goal.title}" (${goal.id})`,
    `  because ${reason ?? ""} (rule ${rule ?? ""})`,
    ...(task === null || action === "blocked" ? [] : [`  done when ${task.check.says}`]),
    ...(tier === null
      ? []
      : [`  model: ${model ?? "none can be used (oldhand models add PROVIDER/MODEL)"}, for work of the kind ${tier}`]),
    ...(place === null
      ? []
      : [`  in ${place.folder}${place.branch === null ? "" : `, on the branch ${place.branch}`}`]),
  ].join("\n");
}

function formatReport({ cycle: id, action, goal, task, outcome, reason, model, cost, branch }: CycleReport): string {
  if (id === null) return `Nothing was done: ${reason ?? ""}`;
  if (outcome === "nothing") return `Nothing to do: ${reason ?? ""}.`;
  const said = {
    verified: "Verified",
    claimed: "Only claimed",
    failed: "Not done",
    deferred: "Put off",
    blocked: "Blocked",
  };
  const head =
    said[outcome as keyof typeof said] ??
    { planned: "Planned", reflected: "Reflected", lost: "Lost" }[outcome as string] ??
    action;
  const what = task === null ? "" : `: ${task.title} (${task.id})`;
  return [
    `${head}${what}`,
    ...(goal === null ? [] : [`  for "${goal.title}" (${goal.id}), ${goal.status}`]),
    ...(reason === null ? [] : [`  ${reason}`]),
    ...(model === null ? [] : [`  by ${model}, ${formatDollars(cost)}`]),
    ...(branch === null ? [] : [`  the work on this goal: git merge ${branch}`]),
  ].join("\n");
}

export const cycleOperations = [cycle] as const;
