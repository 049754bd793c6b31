import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { owner } from "../../../src/domain/actor.ts";
import { invoke } from "../../../src/invoke.ts";
import { fixedClock } from "../../../src/lib/clock.ts";
import { isRecord } from "../../../src/lib/json.ts";
import { openContext, type OpenMind } from "../../../src/mind.ts";
import { operationNamed, type OperationMap } from "../../../src/operations.ts";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import type { ModelRequest, Script, ScriptedServer, ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import { insertCycle, updateOpenCycle } from "../../../src/store/goals/cycles.ts";
import { seenInSandbox } from "../../converse/tool-context.ts";
import type { TestStore } from "../../stores.ts";

export const CYCLE_MODEL = "anthropic/claude-sonnet-4-5";
export const CYCLE_START = Date.parse("2026-05-01T12:00:00Z");

export interface CyclePlace {
  readonly mind: OpenMind;
  readonly model: ScriptedServer;
  readonly clock: ReturnType<typeof fixedClock>;
  readonly home: string;
  readonly database: string;
  readonly env: Readonly<Record<string, string>>;
  /** The owner's repository. */
  readonly folder: string;
  run<Name extends keyof OperationMap>(
    name: Name,
    input: OperationMap[Name]["input"],
  ): Promise<OperationMap[Name]["output"]>;
  git(...args: readonly string[]): string;
  write(files: Readonly<Record<string, string>>): void;
  goal(title: string, more?: Partial<OperationMap["goal add"]["input"]>): Promise<string>;
  task(goal: string, title: string, more: Partial<OperationMap["task add"]["input"]>): Promise<string>;
  /** What the model was asked, as text; -1 is the last. */
  asked(at: number): string;
}

/** A mind that has just reflected, so that its cycles work; a repository with one commit, and a scripted model over real HTTP. */
export async function withCycles(
  kind: TestStore,
  { script, settings = {} }: { readonly script: Script; readonly settings?: Readonly<Record<string, unknown>> },
  act: (place: CyclePlace) => Promise<void>,
): Promise<void> {
  const model = await fakeAnthropic(script, { everyRequest: true });
  const place = await kind.migrated();
  // Where a sandbox shows it: git in a worktree reads the repository.
  const dir = realpathSync(mkdtempSync(join(seenInSandbox, "oldhand-cycle-")));
  const [home, folder] = [join(dir, "mind"), join(dir, "shop")];
  mkdirSync(home);
  mkdirSync(folder);
  const models = { use: [CYCLE_MODEL], exploreShare: 0, retryMs: 1, retries: 0 };
  writeFileSync(join(home, "config.json"), JSON.stringify({ embedder: "none", models, ...settings }));
  const env = {
    ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "plain-first-key-4711" },
    ...{ PATH: process.env["PATH"] ?? "", OLDHAND_EMBEDDER: "none" },
  };
  const clock = fixedClock(CYCLE_START);
  const mind = await openContext({ home, database: place.database, env, clock });
  const reflected = await insertCycle(mind.db, { id: "reflected", beganAt: CYCLE_START, worker: "earlier" });
  const end = { step: "record", action: "reflect", outcome: "reflected", endedAt: CYCLE_START } as const;
  await updateOpenCycle(mind.db, { ...reflected, ...end });
  const git = newGit(folder);
  const run: CyclePlace["run"] = async (name, input) =>
    (await invoke({ ...mind, config: mind.config, actor: owner }, operationNamed(name), input, "")) as never;
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  git("init", "--quiet", "--initial-branch=main");
  write({ "README.md": "# Shop\n" });
  git("add", "--all");
  git("commit", "--quiet", "--message", "begin");
  try {
    await act({
      ...{ mind, model, clock, home, database: place.database, env, folder, run, git, write },
      goal: async (title, more = {}) => (await run("goal add", { title, folder, ...more })).goal.id,
      task: async (goal, title, more) => (await run("task add", { goal, title, ...more })).task.id,
      asked: (at) => JSON.stringify(model.requests.at(at)?.body ?? null),
    });
  } finally {
    await mind.close();
    await model.close();
    await place.remove();
    rmSync(dir, { recursive: true, force: true });
  }
}

function newGit(folder: string): CyclePlace["git"] {
  return (...args) => {
    const named = ["-c", "user.name=ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
    const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    const ran = spawnSync("git", [...named, ...args], { cwd: folder, encoding: "utf8", env });
    if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout.trim();
  };
}

/** The scripted model writes a file, then reports. */
export function writes(path: string, content: string): ScriptedTurn {
  return { calls: [{ tool: "write", input: { file_path: path, content } }] };
}

export function reports(text: string): ScriptedTurn {
  return { text: `${text}\n[STRATEGY]{"name": "straight"}` };
}

/** A plan with three tasks, each of which makes a file. */
export function plans(...files: readonly string[]): ScriptedTurn {
  const tasks = files.map((path, at) => ({
    ...{ title: `Write ${path}`, description: "", check: { kind: "file", path } },
    ...{ after: at === 0 ? [] : [at], tier: "execute" },
  }));
  return { text: JSON.stringify({ tasks }) };
}

export function messagesOf({ body }: Pick<ModelRequest, "body">): readonly unknown[] {
  return isRecord(body) && Array.isArray(body["messages"]) ? body["messages"] : [];
}

export function readIn(folder: string, name: string): string | null {
  return existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : null;
}
