import type { Context } from "../../context.ts";
import { formatActor } from "../../domain/actor.ts";
import { findLoop, type Goal, hasEnded } from "../../domain/goal/goal.ts";
import type { Change } from "../../domain/journal.ts";
import { redact } from "../../domain/redact/redact.ts";
import { OldhandError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { applyChange, makeProvenance } from "../../store/journal/journal.ts";
import { goalNoun, listGoals, readGoal } from "../../store/nouns/goals.ts";

export type GoalContext = Pick<Context, "db" | "clock" | "actor">;

export interface NewGoal extends Pick<
  Goal,
  "title" | "description" | "priority" | "parent" | "dependsOn" | "folder" | "metadata"
> {
  /** For a goal that must not be made twice. */
  readonly id?: string;
}

/** A goal of an agent is only proposed: reaching it costs money and runs programs. */
export async function addGoal(ctx: GoalContext, given: NewGoal): Promise<{ goal: Goal; change: Change<Goal> }> {
  const now = ctx.clock.now();
  const goal: Goal = {
    ...given,
    title: redact(given.title),
    description: redact(given.description),
    id: given.id ?? newId("goal", now),
    status: ctx.actor.kind === "agent" ? "proposed" : "active",
    createdBy: formatActor(ctx.actor),
    reason: null,
    madeAt: now,
    endedAt: null,
  };
  await requireSoundLinks(ctx, goal);
  const change = await applyChange(
    ctx.db,
    { noun: goalNoun, id: goal.id },
    makeProvenance(ctx, "goal add"),
    () => goal,
  );
  if (change === null) throw new Error("a new goal changed nothing");
  return { goal, change };
}

/** `next` gets the goal as it is under the lock. Null: nothing changed. */
export async function changeGoal(
  ctx: GoalContext,
  { id, operation, note }: { readonly id: string; readonly operation: string; readonly note?: string | undefined },
  next: (goal: Goal) => Goal,
): Promise<{ goal: Goal; change: Change<Goal> | null }> {
  const change = await applyChange(
    ctx.db,
    { noun: goalNoun, id },
    makeProvenance(ctx, operation, note ?? null),
    (before) => {
      if (before === null) throw new OldhandError("not-found", `there is no goal ${id}`);
      return next(before);
    },
  );
  const goal = await readGoal(ctx.db, id);
  if (goal === null) throw new OldhandError("not-found", `there is no goal ${id}`);
  return { goal, change };
}

/** What the owner can set on a goal that exists. */
export type GoalEdit = Partial<Omit<NewGoal, "id" | "metadata">>;

export async function editGoal(
  ctx: GoalContext,
  goal: Goal,
  edit: GoalEdit,
): Promise<{ goal: Goal; change: Change<Goal> | null }> {
  await requireSoundLinks(ctx, { ...goal, ...edit });
  return changeGoal(ctx, { id: goal.id, operation: "goal edit" }, (before) => ({ ...before, ...edit }));
}

/** What the owner can do with a goal, and from which statuses. */
const moves = {
  approve: { from: ["proposed"], to: "active" },
  pause: { from: ["active", "blocked"], to: "paused" },
  resume: { from: ["paused", "blocked", "done", "dropped"], to: "active" },
  finish: { from: ["active", "paused", "blocked"], to: "done" },
  drop: { from: ["proposed", "active", "paused", "blocked"], to: "dropped" },
} as const;

export type GoalMove = keyof typeof moves;

export async function moveGoal(
  ctx: GoalContext,
  { id, move, reason }: { readonly id: string; readonly move: GoalMove; readonly reason: string | null },
): Promise<{ goal: Goal; change: Change<Goal> | null }> {
  const { from, to } = moves[move];
  return changeGoal(ctx, { id, operation: `goal ${move}`, note: reason ?? undefined }, (goal) => {
    if (goal.status === to) return goal;
    if (!from.some((one) => one === goal.status))
      throw new OldhandError("conflict", `goal ${id} is ${goal.status}`, { hint: findMoveHint(goal) });
    const ended = { ...goal, status: to };
    return { ...ended, reason: to === "active" ? null : reason, endedAt: hasEnded(ended) ? ctx.clock.now() : null };
  });
}

function findMoveHint({ id, status }: Goal): string {
  if (status === "proposed") return `oldhand goal approve ${id} makes it active, oldhand goal drop ${id} ends it`;
  return status === "active" ? "it is worked on already" : `oldhand goal resume ${id} takes it up again`;
}

/** Parents and dependencies must be there, and lead to no circle. */
async function requireSoundLinks({ db }: Pick<Context, "db">, goal: Goal): Promise<void> {
  const goals = new Map([...(await listGoals(db)), goal].map((one) => [one.id, one]));
  const unknown = [...goal.dependsOn, ...(goal.parent === null ? [] : [goal.parent])].find((id) => !goals.has(id));
  if (unknown !== undefined) throw new OldhandError("not-found", `there is no goal ${unknown}`);
  const ownParent = findLoop(goal.id, (id) => [goals.get(id)?.parent ?? []].flat());
  if (ownParent !== null) throw new OldhandError("usage", `a goal cannot be its own parent: ${ownParent.join(" in ")}`);
  const circle = findLoop(goal.id, (id) => goals.get(id)?.dependsOn ?? []);
  if (circle !== null)
    throw new OldhandError("usage", `these goals would wait for each other: ${circle.join(" waits for ")}`);
}
