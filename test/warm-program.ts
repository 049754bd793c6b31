import { type ChildProcess, fork } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Ran, RunOptions } from "./program.ts";

/** These read their input, stay, or start other programs: each gets a process of its own. */
const alone = new Set("ask bench chat completion hook init mcp redact review self-test serve start".split(" "));

/** Whether a command prints the same if its process has run other commands before. */
export function canRunWarm(words: readonly string[], options: RunOptions): boolean {
  if (options.alone === true || options.stdin !== undefined) return false;
  if (options.env?.["NODE_OPTIONS"] !== undefined || options.env?.["npm_lifecycle_event"] !== undefined) return false;
  if (words[0] === "job" && words[1] === "run") return false;
  return words[0] !== undefined && !words[0].startsWith("-") && !alone.has(words[0]);
}

let warm: Promise<ChildProcess> | null = null;
let isTaken = false;

/** Null while another command runs there: two at once are two processes. */
export function runWarm(
  program: string,
  words: readonly string[],
  options: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): Promise<Ran> | null {
  if (isTaken) return null;
  isTaken = true;
  warm ??= startWarm(program);
  return warm
    .then((child) => runIn(child, words, options))
    .finally(() => {
      isTaken = false;
    });
}

async function startWarm(program: string): Promise<ChildProcess> {
  const host = join(dirname(fileURLToPath(import.meta.url)), "warm-program.mjs");
  const child = fork(host, [program], { stdio: ["ignore", "inherit", "inherit", "ipc"], execArgv: ["--expose-gc"] });
  await nextMessage(child);
  child.unref();
  child.channel?.unref();
  return child;
}

async function runIn(child: ChildProcess, words: readonly string[], options: object): Promise<Ran> {
  const began = performance.now();
  child.send({ words, ...options });
  const ran = (await nextMessage(child)) as Omit<Ran, "ms">;
  return { ...ran, ms: Math.round(performance.now() - began) };
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null) => {
      warm = null;
      reject(new Error(`the warm program ended with ${code}: run this command with { alone: true }`));
    };
    child.once("exit", fail);
    child.once("message", (message) => {
      child.off("exit", fail);
      resolve(message);
    });
  });
}
