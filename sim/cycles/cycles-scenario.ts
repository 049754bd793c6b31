import type { Config } from "../../src/config.ts";
import { owner } from "../../src/domain/actor.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { OldhandError } from "../../src/lib/errors.ts";
import { addGoal } from "../../src/record/goals/goals.ts";
import { addTask } from "../../src/record/goals/tasks.ts";
import { listCycles } from "../../src/store/goals/cycles.ts";
import { listGoals } from "../../src/store/nouns/goals.ts";
import { listTasks } from "../../src/store/nouns/tasks.ts";
import { readReport } from "../../src/work/goals/cycle/agent/read-report.ts";
import type { CycleContext, CycleParts, PlannedTask } from "../../src/work/goals/cycle/agent/cycle-parts.ts";
import { runCycle } from "../../src/work/goals/cycle/run-cycle.ts";
import { drawFaults, type Faults, noFaults } from "../core/faults.ts";
import { askModel, type ModelAnswer } from "../core/outside.ts";
import { type SimStore, simDb } from "../core/sim-db.ts";
import { type Machine, newSimulation, type SimProcess, type StoryLine } from "../core/simulation.ts";
import type { SimEngine } from "../queue/engines.ts";
import { checkCycles, type CycleCounts } from "./cycle-promises.ts";
import { type CycleFenceName, withoutCycleFence } from "./without-cycle-fence.ts";

export interface CyclesRun {
  readonly seed: number;
  readonly broken: readonly string[];
  readonly story: readonly StoryLine[];
  readonly steps: number;
  readonly counts: CycleCounts;
}

export interface CyclesOptions {
  readonly goals: number;
  /** How often a cycle begins. */
  readonly everyMs: number;
  readonly without?: CycleFenceName | undefined;
}

const MOST_STEPS = 400_000;
const TABLES = "cycles task_attempts execution_log snapshots goal_comments goals tasks journal leases memories".split(
  " ",
);

/** Processes that run cycles on the same goals, with what the seed makes go wrong, until all tasks came to their end. */
export async function simulateCycles(engine: SimEngine, seed: number, options: CyclesOptions): Promise<CyclesRun> {
  const sim = newSimulation(seed);
  const draw = (most: number) => Math.floor(sim.random() * most);
  const machines = [sim.newMachine("machine 1"), sim.newMachine("machine 2", draw(20 * SECOND))] as const;
  await engine.begin(sim, machines[0].clock);
  for (const table of TABLES) await engine.db.run(`delete from ${table}`);
  const store: SimStore = { sim, db: engine.db, faults: drawFaults(sim.random, 30 * SECOND), holder: null };
  await makeBoard();
  const policy = { ...defaultPolicy };
  const calmAt = options.goals * 6 * options.everyMs;

  async function makeBoard(): Promise<void> {
    const on = { db: engine.db, clock: machines[0].clock, actor: owner };
    for (let at = 0; at < options.goals; at++) {
      const blank = { description: "", priority: 1 + draw(9), parent: null, dependsOn: [], folder: null, metadata: {} };
      const { goal } = await addGoal(on, { ...blank, title: `goal ${at + 1}` });
      // Every other goal is planned by a cycle.
      if (at % 2 === 0) continue;
      for (const { title, check, tier } of newPlan(goal.title))
        await addTask(on, { goal: goal.id, title, description: "", check, dependsOn: [], tier, metadata: {} });
    }
  }

  function newPlan(goal: string): readonly PlannedTask[] {
    return Array.from({ length: 3 + draw(3) }, (_, at) => ({
      ...{ title: `task ${at + 1} of ${goal}`, description: "", after: [], tier: "execute" },
      check: { kind: "reviewer", criteria: "it is well", model: null },
    }));
  }

  const newParts = (self: SimProcess): CycleParts => {
    const faults = (): Faults => store.faults;
    const ask = (signal: AbortSignal): Promise<ModelAnswer | "away"> =>
      askModel(sim, faults(), self, { longest: 3 * MINUTE, signal }).catch((error: unknown) => {
        if (error instanceof OldhandError) return "away" as const;
        throw error;
      });
    const spent = { model: "sim/model", cost: 0.01, calls: [] };
    return {
      worker: self.name,
      sleep: self.sleep,
      findReflection: async () => null,
      reflect: async () => ({ summary: "", cost: 0, model: null }),
      recall: async () => ({ memories: [], fitting: [], failing: [] }),
      namePlace: (_goal, { task, number }) => ({ folder: `/sim/${task}-${number}`, branch: null }),
      openPlace: async (_goal, { task, number }) => {
        await self.step("makes a worktree");
        return { folder: `/sim/${task}-${number}`, base: "base", branch: null, notes: [] };
      },
      work: async ({ attempt, begins }, signal) => {
        await begins(`session of ${self.name}`);
        sim.note(self.name, `works, attempt ${attempt.number}`);
        const answer = await ask(signal);
        const deferred = answer === "away" ? "the model is away" : null;
        return { ...spent, deferred, limit: null, report: readReport(answer), session: null, tokens: noTokens };
      },
      plan: async (goal, _request, signal) => {
        const answer = await ask(signal);
        if (answer === "away") return { ...spent, deferred: "the model is away", tasks: null, problem: null };
        const isUseless = answer === "refuses";
        return { ...spent, deferred: null, tasks: isUseless ? null : newPlan(goal.title), problem: "no plan" };
      },
      commit: async () => {
        await self.step("commits");
        return { commit: "commit", leftOut: [] };
      },
      check: async () => {
        await self.sleep(draw(30 * SECOND));
        const verdict = sim.random() < 0.6 ? "verified" : "failed";
        return { verdict, why: `the check ${verdict}`, commit: "commit", uncommitted: null };
      },
      join: async () => [],
      learn: async () => {},
      keepCopy: () => {},
    };
  };

  const work = async (self: SimProcess): Promise<void> => {
    const own = simDb(store, self);
    const db = options.without === undefined ? own : withoutCycleFence(own, options.without);
    const config = { policy, home: "/sim" } as unknown as Config;
    const ctx: CycleContext = { db, clock: self.machine.clock, config, signal: never, report: () => {} };
    for (;;) {
      try {
        const end = await runCycle(ctx, newParts(self), { model: null });
        if (end.kind === "ended") sim.note(self.name, `ends a cycle: ${end.cycle.outcome ?? "without an outcome"}`);
      } catch (error) {
        if (!(error instanceof OldhandError)) throw error;
      }
      await self.sleep(options.everyMs / 2 + draw(options.everyMs));
    }
  };

  let started = 0;
  const start = (machine: Machine) => void sim.start(machine, `process ${++started}`, work);
  const some = () => sim.find(`process ${started - draw(2)}`);
  for (const machine of machines) start(machine);
  const planTrouble = () => {
    if (sim.now() > calmAt) return;
    const [kind, hurt] = [draw(10), some()];
    if (kind < 5 && hurt?.isDown === false) {
      hurt.crash();
      sim.after(draw(5 * MINUTE), () => start(hurt.machine));
    } else if (kind < 8) hurt?.pause(draw(10 * MINUTE));
    else {
      const machine = machines[draw(2)] as Machine;
      const ms = draw(6 * HOUR) - 3 * HOUR;
      machine.jump(ms);
      sim.after(draw(HOUR), () => machine.jump(-ms));
    }
    sim.after(draw(8 * MINUTE), planTrouble);
  };
  sim.after(draw(4 * MINUTE), planTrouble);
  sim.after(calmAt, () => {
    store.faults = noFaults;
    sim.resumeAll();
    sim.note("-", "no more faults");
    start(machines[0]);
  });

  // Some hours of calm: leases from a clock that was ahead must end.
  const length = calmAt + 8 * HOUR + options.goals * 60 * options.everyMs;
  let isQuiet = false;
  const look = async () => {
    const [goals, tasks, cycles] = [
      await listGoals(engine.db),
      await listTasks(engine.db),
      await listCycles(engine.db),
    ];
    const hasTasks = goals.every((goal) => tasks.some((task) => task.goal === goal.id));
    const isEnded = tasks.every(({ status }) => status === "done" || status === "blocked");
    // The last cycle found nothing to do, and what others left.
    isQuiet =
      hasTasks && isEnded && cycles[0]?.outcome === "nothing" && cycles.every(({ endedAt }) => endedAt !== null);
  };
  sim.start(machines[0], "looker", async (self) => {
    for (;;) {
      await self.sleep(10 * MINUTE);
      if (sim.now() > calmAt && store.holder === null) await sim.track(look);
    }
  });
  const isOver = () => isQuiet;
  await sim.run(isOver, length, MOST_STEPS);
  const steps = sim.steps();
  await sim.end();
  const { mostAttempts } = policy.goals;
  const found = await checkCycles(engine.db, { mostAttempts, now: machines[0].clock.now() + 24 * HOUR });
  return { seed, broken: found.broken, story: sim.story, steps, counts: found.counts };
}

const never = new AbortController().signal;
const noTokens = { in: 0, out: 0, cached: 0 };
