import type { Context } from "../../../context.ts";
import { listOwnLearnings } from "../../../recall/memory/goal-memories.ts";
import { ownMachineName } from "../../../domain/work/own-machine.ts";
import { nameProcess, ownProcessRef } from "../../../lib/process-ref.ts";
import { sleep } from "../../../lib/sleep.ts";
import { gatewayOf } from "../../../models/gateway/gateway-of.ts";
import { findFittingMemories } from "../../../recall/memory/fitting-memories.ts";
import { actOnMarkers } from "../../../record/markers/act-on-markers.ts";
import { listFailingStrategies } from "../../../store/goals/strategies.ts";
import { runTaskCheck } from "../proof/verify-task.ts";
import { reflect } from "../reflect/reflect.ts";
import { isReflectionDue } from "../reflect/reflect-by-hand.ts";
import { planGoal } from "./agent/plan-goal.ts";
import { workOnTask } from "./agent/work-on-task.ts";
import type { CycleParts } from "./agent/cycle-parts.ts";
import { commitWork } from "./places/commit-work.ts";
import { openGoalRepository } from "./places/goal-repository.ts";
import { joinWork } from "./places/join-work.ts";
import { openPlace, placeOf } from "./places/open-place.ts";
import { copySnapshot } from "./write-snapshot.ts";

/** The deeds of a real cycle. */
export function ownParts(ctx: Context): CycleParts {
  const { home } = ctx.config;
  return {
    worker: nameProcess(ownProcessRef(), ownMachineName(ctx.config)),
    sleep,
    findReflection: async () => {
      const { due, why } = await isReflectionDue(ctx);
      return due ? why : null;
    },
    reflect: (cycle) => reflect(ctx, { cycle: cycle.id }),
    // Two questions: what is known of the goal, and what is known that fits.
    recall: async (goal, task) => {
      const memories = await listOwnLearnings(ctx.db, goal.id, MOST_OWN);
      const text = `${task.title}\n${task.description}`;
      const fitting = await findFittingMemories(ctx, {
        text,
        workspace: goal.folder,
        session: null,
        limit: MOST_FITTING,
      });
      return {
        memories,
        fitting: fitting.filter(({ id }) => !memories.some((one) => one.id === id)),
        failing: await listFailingStrategies(ctx.db, goal.id, ctx.config.policy.memory),
      };
    },
    namePlace: (goal, attempt) => placeOf(home, goal, attempt),
    openPlace: (goal, attempt, earlier) => openPlace(home, goal, attempt, earlier),
    work: (assignment, signal) => workOnTask(ctx, assignment, signal),
    plan: (goal, request, signal) => planGoal(ctx, goal, request, signal),
    commit: async (goal, place, message) =>
      goal.folder === null
        ? { commit: null, leftOut: [] }
        : commitWork(await openGoalRepository(goal.folder), place, message),
    check: (task, { commit, base }) => runTaskCheck(ctx, { task, commit, since: base }),
    join: async (goal, attempts) =>
      goal.folder === null ? [] : joinWork(await openGoalRepository(goal.folder), goal.id, attempts),
    learn: async ({ calls }, quality) => {
      await actOnMarkers(ctx);
      if (quality === null) return;
      for (const call of calls) await gatewayOf(ctx).recordQuality(call, { quality, source: "verified" });
    },
    keepCopy: (snapshot) => copySnapshot(home, snapshot),
  };
}

const MOST_OWN = 10;
const MOST_FITTING = 5;
