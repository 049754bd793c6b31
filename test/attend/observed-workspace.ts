import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { attendPayload } from "../../src/attend/attend.ts";
import type { Context } from "../../src/context.ts";
import { distil } from "../../src/distil/mining/distil.ts";
import { isRecord } from "../../src/lib/json.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { invoke } from "../../src/invoke.ts";
import { openContext } from "../../src/mind.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import { operations } from "../../src/operations.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { listRules } from "../../src/store/nouns/rules.ts";
import type { TestStore } from "../stores.ts";

const NOW = Date.parse("2100-11-16T09:30:00Z");

interface ToolCall {
  readonly tool_name: string;
  readonly tool_input: object;
}

const bash = (command: string): ToolCall => ({ tool_name: "Bash", tool_input: { command } });

/** Runs `act` in a real folder whose sessions are observed like Claude Code's, from failures to advice. */
export async function inWorkspace(
  kind: TestStore,
  act: (workspace: ObservedWorkspace) => Promise<void>,
  { holdCalls = false }: { readonly holdCalls?: boolean } = {},
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-said-"));
  writeFileSync(join(home, "config.json"), JSON.stringify({ distil: { holdOut: false }, recall: { holdCalls } }));
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "bakery-")));
  mkdirSync(join(folder, ".git"));
  const { database, remove } = await kind.migrated();
  const clock = fixedClock(NOW);
  const mind = await openContext({ home, database, clock, env: { OLDHAND_EMBEDDER: "none" } });
  const workspace = new ObservedWorkspace(mind, folder, clock);
  try {
    await act(workspace);
  } finally {
    await mind.close();
    await remove();
    for (const one of [home, folder, ...workspace.projects]) rmSync(one, { recursive: true, force: true });
  }
}

export class ObservedWorkspace {
  private calls = 0;
  private sessions = 0;
  /** The folders of other projects. */
  readonly projects: string[] = [];
  readonly mind: Context;
  readonly folder: string;
  private readonly clock: ReturnType<typeof fixedClock>;

  constructor(mind: Context, folder: string, clock: ReturnType<typeof fixedClock>) {
    this.mind = mind;
    this.folder = folder;
    this.clock = clock;
  }

  /** Records a session with these calls; those with an error failed, with exit code 1 if no other is given. */
  async session(
    calls: readonly (readonly [command: string, error?: string, exitCode?: number])[],
    folder = ".",
  ): Promise<void> {
    const session = this.nextSession();
    const cwd = join(this.folder, folder);
    for (const [command, error, exitCode = 1] of calls) {
      const call = { ...bash(command), tool_use_id: this.nextId(), cwd };
      if (error === undefined)
        await this.sendHook({ hook_event_name: "PostToolUse", tool_response: { stdout: "ok" }, ...call }, session);
      else
        await this.sendHook(
          { hook_event_name: "PostToolUseFailure", error: `Exit code ${exitCode}\n${error}`, ...call },
          session,
        );
    }
  }

  /** Records a session with one call that its host reports as a success, and returns what is said with its result. */
  async reported(command: string, output: string, folder = "."): Promise<string> {
    const call = { ...bash(command), tool_use_id: this.nextId(), cwd: join(this.folder, folder) };
    const worked = { hook_event_name: "PostToolUse", tool_response: { stdout: output }, ...call };
    return this.sendHook(worked, this.nextSession());
  }

  /** Records a session with one call that failed, and returns what is said with its error. */
  async failing(command: string, error: string): Promise<string> {
    const call = { ...bash(command), tool_use_id: this.nextId() };
    const failed = { hook_event_name: "PostToolUseFailure", error: `Exit code 1\n${error}`, ...call };
    return this.sendHook(failed, this.nextSession());
  }

  /** A turn of opencode, which gives the exit code of a call and calls it a success: what is said with its result. */
  async turnOfOpencode(prompt: string, command: string, result: { output: string; exit: number }): Promise<string> {
    const session = this.nextSession();
    const send = async (hook: string, fields: object) => {
      const host = findHost("opencode");
      if (host === undefined) throw new Error("there is no such host");
      const payload = { hook, directory: this.folder, session, root: session, ...fields };
      return (await attendPayload(this.mind, host, payload)).context ?? "";
    };
    await send("chat.message", { messageID: this.nextId(), texts: [prompt] });
    await this.endTurn();
    return send("tool.execute.after", { tool: "bash", callID: this.nextId(), args: { command }, result });
  }

  /** Runs the miners over all sessions so far and returns the rules with their levels. */
  async mine(): Promise<readonly string[]> {
    await digest(this.mind.db);
    await distil(this.mind, { write: true });
    return (await listRules(this.mind.db))
      .filter(({ status }) => status !== "merged")
      .map(({ level, text }) => `${level}: ${text}`)
      .toSorted();
  }

  rules() {
    return listRules(this.mind.db);
  }

  /** The rules that are not merged into others, each with its scope. */
  async scopedRules(): Promise<readonly string[]> {
    await this.mine();
    return (await this.rules())
      .filter(({ status }) => status !== "merged")
      .map(({ text, scope }) => `${scope.kind === "global" ? "everywhere" : basename(scope.workspace)}: ${text}`)
      .toSorted();
  }

  /** Another project beside this one, in the same mind. It is removed with this one. */
  project(name: string): ObservedWorkspace {
    const folder = join(dirname(this.folder), `${basename(this.folder)}-${name}`);
    mkdirSync(join(folder, ".git"), { recursive: true });
    this.projects.push(folder);
    return new ObservedWorkspace(this.mind, folder, this.clock);
  }

  /** Digests, as a mining slice between two turns does. */
  async endTurn(): Promise<void> {
    await digest(this.mind.db);
  }

  /** What is said before a command that is run in a folder of the workspace. */
  before(command: string, folder = "."): Promise<string> {
    const cwd = join(this.folder, folder);
    const call = { hook_event_name: "PreToolUse", cwd, ...bash(command), tool_use_id: this.nextId() };
    return this.sendHook(call, this.nextSession());
  }

  /** All that is said and decided before a command that is run live, in a host that can hold it. */
  async decided(command: string): Promise<string> {
    const host = findHost("claude-code");
    if (host === undefined) throw new Error("there is no such host");
    const call = { hook_event_name: "PreToolUse", ...bash(command), tool_use_id: this.nextId() };
    return JSON.stringify(
      await attendPayload(this.mind, host, { session_id: this.nextSession(), cwd: this.folder, ...call }),
    );
  }

  start(folder = "."): Promise<string> {
    const cwd = join(this.folder, folder);
    return this.sendHook({ hook_event_name: "SessionStart", source: "startup", cwd }, this.nextSession());
  }

  prompt(prompt: string): Promise<string> {
    return this.sendHook({ hook_event_name: "UserPromptSubmit", prompt }, this.nextSession());
  }

  startOfSubAgent(): Promise<string> {
    const start = { hook_event_name: "SubagentStart", agent_id: "a1", agent_type: "helper" };
    return this.sendHook(start, this.nextSession());
  }

  /** The result of an operation, as text. */
  async ask(name: string, input: object): Promise<string> {
    const operation = operations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    const reply: unknown = await invoke(this.mind, operation, input, "");
    return JSON.stringify(isRecord(reply) ? reply : [reply]);
  }

  /** The result of an operation, as the command prints it. */
  async print(name: string, input: object): Promise<string> {
    const operation = operations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    return operation.render(await invoke(this.mind, operation, input, ""), operation.input.parse(input));
  }

  /** The result of `match` for a command. */
  match(command: string, folder = "."): Promise<string> {
    return this.ask("match", { command, cwd: join(this.folder, folder) });
  }

  write(path: string, text = "x\n"): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  private nextId(): string {
    return `${basename(this.folder)}-call-${++this.calls}`;
  }

  private nextSession(): string {
    this.clock.advance(60_000);
    return `${basename(this.folder)}-s${++this.sessions}`;
  }

  async sendHook(payload: Readonly<Record<string, unknown>>, session: string): Promise<string> {
    const host = findHost("claude-code");
    if (host === undefined) throw new Error("there is no such host");
    const whole = { session_id: session, cwd: this.folder, ...payload };
    return (await attendPayload(this.mind, host, whole)).context ?? "";
  }
}
