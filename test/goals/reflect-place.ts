import type { TaskAttempt } from "../../src/domain/goal/attempt.ts";
import type { Cycle } from "../../src/domain/goal/cycle.ts";
import type { Memory } from "../../src/domain/memory/memory.ts";
import { owner } from "../../src/domain/actor.ts";
import { HOUR } from "../../src/lib/clock.ts";
import type { OperationMap } from "../../src/operations.ts";
import { insertTaskAttempt, updateOpenAttempt } from "../../src/store/goals/attempts.ts";
import { insertCycle, updateOpenCycle } from "../../src/store/goals/cycles.ts";
import { makeProvenance } from "../../src/store/journal/journal.ts";
import { remember } from "../../src/store/journal/remember.ts";
import { readTask } from "../../src/store/nouns/tasks.ts";
import { getMemory } from "../../src/store/nouns/memories.ts";
import { changeTask } from "../../src/record/goals/tasks.ts";
import type { TestStore } from "../stores.ts";
import { type GoalPlace, type GoalSettings, withGoals } from "./goal-place.ts";

export type Reflected = OperationMap["reflect"]["output"];

/** A mind in which work was done, without doing it. */
export interface ReflectPlace extends GoalPlace {
  reflect(input?: OperationMap["reflect"]["input"]): Promise<Reflected>;
  /** Stores a learning of an agent. Returns its id. */
  learning(text: string, more?: Partial<Pick<Memory, "category" | "scope" | "confidence" | "tags">>): Promise<string>;
  confidence(id: string): Promise<number | undefined>;
  memory(id: string): Promise<Memory | null>;
  /** A cycle that worked on a task, with its attempt; an hour later. Returns the id of the attempt. */
  attempt(
    task: string,
    ended: { readonly state: TaskAttempt["state"]; readonly strategy?: string; readonly reason?: string },
  ): Promise<string>;
  /** A cycle that ended so. */
  cycle(ended: Pick<Cycle, "action" | "outcome">): Promise<void>;
  /** The check of a task said yes. */
  verified(task: string, result?: string): Promise<void>;
  claimed(task: string): Promise<void>;
  blocked(task: string, reason: string): Promise<void>;
}

export function withReflections(
  kind: TestStore,
  act: (place: ReflectPlace) => Promise<void>,
  settings?: GoalSettings,
): Promise<void> {
  return withGoals(kind, (place) => act(openPlace(place)), settings);
}

function openPlace(place: GoalPlace): ReflectPlace {
  const { ctx, clock, run } = place;
  let count = 0;
  const worker = { db: ctx.db, clock, actor: { kind: "worker", id: "proof" } as const };
  const cycle = async (ended: Pick<Cycle, "action" | "outcome"> & Partial<Cycle>) => {
    const begun = await insertCycle(ctx.db, { id: `cycle_${++count}`, beganAt: clock.now(), worker: "host/1/2" });
    await updateOpenCycle(ctx.db, { ...begun, step: "record", endedAt: clock.now(), ...ended });
    return begun.id;
  };
  const became = async (id: string, more: Parameters<typeof changeTask>[2]) => {
    await changeTask(worker, { id, operation: "task verify" }, more);
  };
  return {
    ...place,
    reflect: (input = {}) => run("reflect", input),
    learning: async (text, more = {}) => {
      const made = await remember(
        ctx.db,
        {
          ...{ text, kind: "learning", category: "strategy", scope: { kind: "global" }, origin: "agent", anyway: true },
          ...more,
        },
        { ...makeProvenance({ actor: owner, clock }, "remember"), policy: ctx.config.policy.memory },
      );
      return made.memory.id;
    },
    confidence: async (id) => (await getMemory(ctx.db, id))?.confidence,
    memory: (id) => getMemory(ctx.db, id),
    attempt: async (task, { state, strategy = null, reason = null }) => {
      clock.advance(HOUR);
      const outcome = state === "open" ? null : state;
      const of = await cycle({ action: "execute", outcome, task });
      const found = await readTask(ctx.db, task);
      const id = `attempt_${++count}`;
      const attempt: TaskAttempt = {
        ...{
          id,
          task,
          goal: found?.goal ?? "",
          number: count,
          cycle: of,
          state: "open",
          strategy,
          reason: null,
          cost: 0,
        },
        ...{ base: null, branch: null, folder: null, session: null, commit: null, model: null },
        ...{ beganAt: clock.now(), endedAt: null },
      };
      await insertTaskAttempt(ctx.db, attempt);
      await updateOpenAttempt(ctx.db, { ...attempt, state, reason, endedAt: clock.now() });
      return id;
    },
    cycle: async (ended) => {
      await cycle(ended);
    },
    verified: (task, result = "it was checked") =>
      became(task, (now) => ({ ...now, status: "done", proof: "verified", result, endedAt: clock.now() })),
    claimed: (task) => became(task, (now) => ({ ...now, status: "done", proof: "claimed", endedAt: clock.now() })),
    blocked: (task, reason) => became(task, (now) => ({ ...now, status: "blocked", reason })),
  };
}
