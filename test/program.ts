import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { canRunWarm, runWarm } from "./warm-program.ts";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");
export const program = join(root, "dist", "oldhand.cjs");
export const sample = join(root, "samples", "sessions.jsonl");

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer;
  readonly cwd?: string;
  /** Runs it as a process of its own even where a warm one would do: for tests about the process itself. */
  readonly alone?: boolean;
}

/**
 * A temporary folder: `home` for the mind, `user` for the user. This machine's real homes are neither read nor written.
 */
export interface Place {
  readonly dir: string;
  readonly home: string;
  readonly user: string;
  run(words: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The JSON it prints; the test fails on another exit code. */
  json<T = Record<string, unknown>>(words: readonly string[], options?: RunOptions & { code?: number }): Promise<T>;
  start(words: readonly string[], options?: Omit<RunOptions, "stdin">): Started;
  remove(): void;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  /** Waits until stdout has a matching line. */
  line(fits: RegExp): Promise<RegExpMatchArray>;
}

/** Without the embedder: to load it takes a command longer than all else it does. For tests that meaning does not concern. */
export const wordsOnly = { OLDHAND_EMBEDDER: "none" };

/** `always` is added to the environment of everything it runs. */
export function newPlace(always: Readonly<Record<string, string>> = {}): Place {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-program-"));
  const home = join(dir, "mind");
  const user = mkdtempSync(join(dir, "user-"));
  const env = (extra: Readonly<Record<string, string>> = {}) => ({
    ...cleanEnv(user),
    OLDHAND_HOME: home,
    ...always,
    ...extra,
  });
  const run: Place["run"] = (words, options = {}) => {
    const whole = { ...options, env: env(options.env), cwd: options.cwd ?? dir };
    return (
      (canRunWarm(words, options) ? runWarm(program, words, whole) : null) ??
      exec(process.execPath, [program, ...words], whole)
    );
  };
  return {
    dir,
    home,
    user,
    run,
    json: async <T>(words: readonly string[], options: RunOptions & { code?: number } = {}) => {
      const ran = await run([...words, "--json"], options);
      if (ran.code !== (options.code ?? 0)) throw new Error(`oldhand ${words.join(" ")}: ${describeRun(ran)}`);
      return JSON.parse(ran.stdout) as T;
    },
    start: (words, options = {}) =>
      follow(process.execPath, [program, ...words], { ...options, env: env(options.env), cwd: options.cwd ?? dir }),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** A minimal environment like that of `env -i`, with a temporary home. */
export function cleanEnv(user: string): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: user, TMPDIR: tmpdir(), LANG: "C.UTF-8" };
}

export function exec(
  file: string,
  words: readonly string[],
  options: RunOptions & { readonly env: Readonly<Record<string, string>> },
): Promise<Ran> {
  const { child, ended } = follow(file, words, options);
  // A program may stop reading early; that is not an error of the writer.
  child.stdin?.on("error", () => {});
  child.stdin?.end(options.stdin ?? "");
  return ended;
}

export function describeRun(ran: Ran): string {
  return `exit ${ran.code}\nstdout: ${ran.stdout.slice(0, 2_000)}\nstderr: ${ran.stderr.slice(0, 2_000)}`;
}

function follow(
  file: string,
  words: readonly string[],
  options: { readonly env: Readonly<Record<string, string>>; readonly cwd?: string },
): Started {
  const began = performance.now();
  const child = spawn(file, [...words], { env: options.env, cwd: options.cwd, stdio: ["pipe", "pipe", "pipe"] });
  running.add(child);
  child.once("close", () => running.delete(child));
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const waiting = new Set<() => void>();
  child.stdout?.on("data", (chunk: Buffer) => {
    out.push(chunk);
    for (const look of waiting) look();
  });
  child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
  const text = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString("utf8");
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({ code, stdout: text(out), stderr: text(err), ms: Math.round(performance.now() - began) }),
    );
  });
  const line = (fits: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const found = text(out).match(fits);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void ended.then((ran) => reject(new Error(`it ended before it said ${fits}: ${describeRun(ran)}`)));
    });
  return { child, ended, line };
}

/** Killed at exit, so that a failed test leaves no server running. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A payload with the fields that Claude Code sends. */
export function payload(event: "PreToolUse" | "PostToolUse" | "PostToolUseFailure", over: object = {}): string {
  return JSON.stringify({
    session_id: "b3f1c2d4-0000-4000-8000-000000000001",
    transcript_path: "/home/ada/.claude/projects/-home-ada-shop/b3f1c2d4.jsonl",
    cwd: "/home/ada/shop",
    permission_mode: "default",
    effort: { level: "medium" },
    hook_event_name: event,
    tool_name: "Bash",
    tool_input: { command: "npm test", description: "Run the tests" },
    tool_use_id: "toolu_01A",
    ...(event === "PostToolUse"
      ? { tool_response: { stdout: "ok", stderr: "", interrupted: false, isImage: false }, duration_ms: 1200 }
      : {}),
    ...(event === "PostToolUseFailure" ? { error: "Exit code 1\nnpm error use pnpm", is_interrupt: false } : {}),
    ...over,
  });
}
