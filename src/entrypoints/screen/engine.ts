import { SHARE_ENV, Worker } from "node:worker_threads";
import type { ChatInput, ChatUpdate } from "../cli/chat/chat-update.ts";

/** The chat itself, in a thread of its own: what it computes delays no key. */
export interface Engine {
  send(input: ChatInput): void;
  /** Resolves when the thread has ended, with what it wrote to stderr. */
  readonly ended: Promise<{ readonly code: number; readonly errors: string }>;
}

export function startEngine(program: string, words: readonly string[], show: (update: ChatUpdate) => void): Engine {
  const worker = new Worker(program, { argv: [...words], env: SHARE_ENV, stdout: true, stderr: true, resourceLimits });
  let errors = "";
  worker.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  // It has nothing to print; what a library prints would break the screen.
  worker.stdout.resume();
  worker.on("message", show);
  const ended = new Promise<{ readonly code: number; readonly errors: string }>((resolve) => {
    worker.once("error", (error) => {
      errors += `oldhand: this is a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
    });
    worker.once("exit", (code) => setImmediate(() => resolve({ code, errors })));
  });
  return { send: (input) => worker.postMessage(input), ended };
}

/**
 * Lets the heap grow by a quarter before all garbage is collected, instead of to twice its size and more. To be off while
 * compiled code is loaded or kept: V8 takes such code only under the settings that it was made with.
 */
export function collectOften(isOn: boolean): void {
  process.getBuiltinModule("node:v8").setFlagsFromString(`--heap-growing-percent=${isOn ? 25 : 0}`);
}

/** Each turn makes garbage in proportion to the session: with the usual limit, the memory of a long session grows for hours. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 };
