import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import { type Actor, owner } from "../../src/domain/actor.ts";
import { checkInput, refuseAgent } from "../../src/operation.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { operationNamed, type OperationMap } from "../../src/operations.ts";
import { quiet } from "../context.ts";
import { type TestStore, withStore } from "../stores.ts";

export interface GoalPlace {
  readonly ctx: Context;
  readonly clock: ReturnType<typeof fixedClock>;
  /** A folder with a `.git`. */
  readonly folder: string;
  run<Name extends keyof OperationMap>(
    name: Name,
    input: OperationMap[Name]["input"],
    actor?: Actor,
  ): Promise<OperationMap[Name]["output"]>;
  /** Adds a goal in the folder. Returns its id. */
  goal(title: string, more?: Partial<OperationMap["goal add"]["input"]>): Promise<string>;
  /** Adds a task whose check is a command that succeeds. Returns its id. */
  task(goal: string, title: string, more?: Partial<OperationMap["task add"]["input"]>): Promise<string>;
}

export const codex: Actor = { kind: "agent", name: "codex" };

export interface GoalSettings {
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A mind with a clock that the test moves. */
export function withGoals(
  kind: TestStore,
  act: (place: GoalPlace) => Promise<void>,
  { env = {}, settings = {} }: GoalSettings = {},
): Promise<void> {
  return withStore(kind, async (store) => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "oldhand-goals-")));
    const folder = join(home, "shop");
    mkdirSync(join(folder, ".git"), { recursive: true });
    const clock = fixedClock(Date.parse("2026-05-01T12:00:00Z"));
    writeFileSync(join(home, "config.json"), JSON.stringify(settings));
    const config = loadConfig({ home, env: { OLDHAND_EMBEDDER: "none", PATH: process.env["PATH"], ...env } });
    const ctx: Context = { ...quiet, db: store.db, store, config, clock, actor: owner };
    const run: GoalPlace["run"] = async (name, input, actor = owner) => {
      const operation = operationNamed(name);
      const checked = checkInput(operation, input, "");
      refuseAgent(actor, operation, checked);
      return (await operation.run({ ...ctx, actor }, checked)) as never;
    };
    const place: GoalPlace = {
      ...{ ctx, clock, folder, run },
      goal: async (title, more = {}) => (await run("goal add", { title, folder, ...more })).goal.id,
      task: async (goal, title, more = { check: "true" }) => (await run("task add", { goal, title, ...more })).task.id,
    };
    try {
      await act(place);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
}
