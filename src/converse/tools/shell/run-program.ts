import { type ChildProcess, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { systemErrorCode } from "../../../lib/errors.ts";
import { countGroupMembers } from "../../../lib/process-group.ts";
import { captureOutput } from "./capture-output.ts";
import type { Environment } from "./shell-environment.ts";

export interface ProgramRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly mostCharacters: number;
  readonly signal: AbortSignal;
  readonly report: (text: string) => void;
  /**
   * How long its group may take to end when it is stopped or takes too long: it gets a SIGTERM first. Absent: no time.
   * Windows knows no such signal.
   */
  readonly graceMs?: number | undefined;
  /** Empty folders that the program makes and that must not stay, also if this process is killed. */
  readonly mountPoints?: readonly string[] | undefined;
}

export interface ProgramResult {
  readonly ended: "itself" | "timeout" | "stopped" | "not started";
  readonly exitCode: number | null;
  /** The signal that ended it; null if it has an exit code. */
  readonly signalName: string | null;
  readonly output: string;
  /** What it wrote to descriptor 3. */
  readonly note: string;
  /** How many processes it left behind, which were ended; 0 where nobody can know, and without `graceMs`. */
  readonly leftBehind: number;
}

/**
 * Runs a program in a process group of its own, without input. When it ends, is stopped or takes too long, everything
 * that is left of the group is ended. So it is when this process dies, however that happens (not on Windows).
 */
export function runProgram(request: ProgramRequest): Promise<ProgramResult> {
  const { program, cwd, env, timeoutMs, mostCharacters, signal, report } = request;
  const graceMs = process.platform === "win32" ? undefined : request.graceMs;
  const isWatched = process.platform !== "win32";
  return new Promise((resolve) => {
    const child = spawn(isWatched ? "sh" : program, isWatched ? watchedArguments(request) : [...request.args], {
      ...{ cwd, env, windowsHide: true },
      stdio: ["ignore", "pipe", "pipe", "pipe", ...(isWatched ? (["pipe"] as const) : [])],
      // A new group, so that all of it can be ended at once.
      detached: true,
    });
    const output = captureOutput(mostCharacters);
    let note = "";
    let ended: ProgramResult["ended"] = "itself";
    let isOver = false;
    let hasExited = false;
    const take = (text: string) => {
      output.add(text);
      if (text !== "" && !isOver) report(text);
    };
    read(child, 1, take);
    read(child, 2, take);
    read(child, 3, (text) => (note = (note + text).slice(-LONGEST_NOTE)));
    let leftBehind = 0;
    let graceEnds: NodeJS.Timeout | undefined;
    let looks: NodeJS.Timeout | undefined;
    const end = (why: ProgramResult["ended"]) => {
      if (ended !== "itself") return;
      ended = why;
      if (graceMs === undefined || hasExited) return endGroup(child);
      graceEnds = setTimeout(() => endGroup(child), graceMs);
      endGroup(child, "SIGTERM");
    };
    /** What is left of the group has the rest of the time of grace. */
    const endRest = () => {
      if (graceEnds === undefined || countOthers(child) === 0) return endGroup(child);
      looks = setInterval(() => {
        if (countOthers(child) === 0) endGroup(child);
      }, LOOK_MS);
    };
    const stop = () => end("stopped");
    const timer = setTimeout(() => end("timeout"), timeoutMs);
    const finish = (exitCode: number | null, signalName: string | null) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      clearTimeout(graceEnds);
      clearInterval(looks);
      signal.removeEventListener("abort", stop);
      for (const stream of child.stdio) stream?.destroy();
      resolve({ ended, exitCode, signalName, output: output.text(), note, leftBehind });
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    child.once("error", (error) => {
      ended = "not started";
      take(`${program}: ${systemErrorCode(error)}`);
      finish(null, null);
    });
    child.once("exit", (exitCode, signalName) => {
      hasExited = true;
      if (ended === "itself" && graceMs !== undefined) leftBehind = countOthers(child) ?? 0;
      endRest();
      // What it left running in the background holds the pipes open.
      const late = setTimeout(() => finish(exitCode, signalName), LATE_MS + (looks === undefined ? 0 : (graceMs ?? 0)));
      child.once("close", () => {
        clearTimeout(late);
        finish(exitCode, signalName);
      });
    });
  });
}

/**
 * A small process in the same group reads descriptor 4, to which nothing is ever written. Its end means that this process
 * is gone, even after a SIGKILL, which nobody can catch. Then it ends the group. No process is found by its number, so
 * none that got a number again can be hit. A SIGTERM to the group is for the others.
 */
function composeWatch(whenGone: string): string {
  return `{ trap '' TERM; read -r _ <&4; ${whenGone}kill -KILL 0; } </dev/null >/dev/null 2>&1 3>&- & exec 4<&-; exec "$@"`;
}

/**
 * The program that made the folders ends first: it could use them again. It has the number of this shell, which no other process
 * can get as long as its group has a member.
 */
function removeWhenGone(folders: readonly string[]): string {
  return folders.length === 0 ? "" : `kill -KILL $$; sleep 0.2; rmdir -- ${folders.map(quoteForShell).join(" ")}; `;
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function watchedArguments({ program, args, mountPoints = [] }: ProgramRequest): string[] {
  return ["-c", composeWatch(removeWhenGone(mountPoints)), "oldhand", program, ...args];
}

const LONGEST_NOTE = 10_000;
const LATE_MS = 500;
const LOOK_MS = 100;

/** Living members of the group besides the small process that watches; null where nobody can know. */
function countOthers({ pid }: ChildProcess): number | null {
  const members = pid === undefined ? 0 : countGroupMembers(pid);
  return members === null ? null : Math.max(0, members - 1);
}

function read(child: ChildProcess, descriptor: 1 | 2 | 3, take: (text: string) => void): void {
  const decoder = new StringDecoder("utf8");
  const stream = child.stdio[descriptor];
  stream?.on("data", (chunk: Buffer) => take(decoder.write(chunk)));
  // The other end may close it at any time.
  stream?.on("error", () => {});
}

function endGroup(child: ChildProcess, by: "SIGKILL" | "SIGTERM" = "SIGKILL"): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") {
    spawn("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore" }).on("error", () => {});
    return;
  }
  try {
    process.kill(-child.pid, by);
  } catch (error) {
    // Nothing is left of the group.
    if (systemErrorCode(error) !== "ESRCH" && systemErrorCode(error) !== "EPERM") throw error;
  }
}
