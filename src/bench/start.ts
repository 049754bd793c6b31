import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, rounded } from "./floor.ts";
import { packageRoot } from "../lib/package-root.ts";
import { openContext } from "../mind.ts";
import { appendEvents } from "../store/events.ts";
import { blank } from "../observe/to-event.ts";

export interface StartRow {
  readonly what: string;
  readonly medianMs: number;
  /** Against bare `node -e 0` of the same round. */
  readonly ratio: number;
}

export interface StartReport {
  readonly node: string;
  readonly rounds: number;
  readonly stored: number;
  readonly rows: readonly StartRow[];
}

/** What a process of ours costs over Node itself: each case once a round, so that what else the machine does hits all alike. */
export async function benchStart(options: { readonly rounds: number; readonly stored: number }): Promise<StartReport> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
  try {
    await fill(home, options.stored);
    const program = join(packageRoot(), "dist", "oldhand.cjs");
    let calls = 0;
    const cases: Readonly<Record<string, () => Case>> = {
      "bare node": () => ({ args: ["-e", "0"], input: "" }),
      "--version": () => ({ args: [program, "--version"], input: "" }),
      "hook, switched off": () => ({
        args: [program, "hook", "claude-code"],
        input: after(0),
        env: { OLDHAND_OFF: "1" },
      }),
      "hook, nothing to store": () => ({ args: [program, "hook", "claude-code"], input: other }),
      "hook, before a call": () => ({ args: [program, "hook", "claude-code"], input: before }),
      "hook, one stored event": () => ({ args: [program, "hook", "claude-code"], input: after(++calls) }),
      "hook, one stored failure": () => ({ args: [program, "hook", "claude-code"], input: failed(++calls) }),
    };
    const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
    for (let round = 0; round <= options.rounds; round++) {
      for (const [name, make] of Object.entries(cases)) {
        const ms = run(make(), home);
        // The first round warms the disk.
        if (round > 0) times.get(name)?.push(ms);
      }
    }
    const floor = median(times.get("bare node") ?? []);
    const rows = [...times].map(([what, all]) => ({
      what,
      medianMs: rounded(median(all), 1),
      ratio: rounded(median(all) / floor),
    }));
    return { node: process.versions.node, rounds: options.rounds, stored: options.stored, rows };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

interface Case {
  readonly args: readonly string[];
  readonly input: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A clean environment: a variable of the caller's could cost more than what is measured. */
function run(one: Case, home: string): number {
  const begun = performance.now();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, OLDHAND_HOME: home, ...one.env };
  const { status } = spawnSync(process.execPath, one.args, { input: one.input, env });
  if (status !== 0) throw new Error(`${one.args.join(" ")} ended with ${status}`);
  return performance.now() - begun;
}

async function fill(home: string, stored: number): Promise<void> {
  const mind = await openContext({ home, env: {} });
  const batch = 5_000;
  for (let from = 0; from < stored; from += batch) {
    const events = Array.from({ length: Math.min(batch, stored - from) }, (_, index) => ({
      ...blank,
      host: "claude-code",
      session: `s${Math.floor((from + index) / 100)}`,
      uid: String(from + index),
      at: 1_700_000_000_000 + (from + index) * 1_000,
      tool: "Bash",
      input: { command: `echo ${from + index}` },
      ok: true,
      outcome: "ok" as const,
    }));
    await appendEvents(mind.db, events);
  }
  await mind.close();
}

const common = { session_id: "bench", cwd: tmpdir(), transcript_path: "none", permission_mode: "default" };
const call = { tool_name: "Bash", tool_input: { command: "git status", description: "state" } };
const other = JSON.stringify({ ...common, hook_event_name: "Notification", message: "hello" });
const before = JSON.stringify({ ...common, hook_event_name: "PreToolUse", ...call, tool_use_id: "b" });

function after(n: number): string {
  const tool_response = { stdout: "On branch main\nnothing to commit", stderr: "", interrupted: false };
  return JSON.stringify({ ...common, hook_event_name: "PostToolUse", ...call, tool_use_id: `ok${n}`, tool_response });
}

function failed(n: number): string {
  const error = "Exit code 1\nerror: pathspec 'mian' did not match any file(s) known to git";
  return JSON.stringify({ ...common, hook_event_name: "PostToolUseFailure", ...call, tool_use_id: `no${n}`, error });
}
