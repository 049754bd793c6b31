import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { OldhandError } from "../../lib/errors.ts";
import { packageRoot } from "../../lib/package-root.ts";
import { type Batch, batchesOf, type ReadRequest } from "./read-file.ts";
import type { FromReader, ToReader } from "./reader-thread.ts";

/** Reads files, a few at a time. */
export interface Readers {
  /** How many files can be read at once. */
  readonly atOnce: number;
  read(request: ReadRequest): AsyncIterable<Batch>;
  close(): Promise<void>;
}

/** Less than this is read before a thread has started. */
const WORTH_THREADS = 8_000_000;
/** The one writer keeps up with no more, and each needs memory of its own. */
const MOST_THREADS = 2;

/** Threads for much, where the built program has them; else one file after the other in this thread. */
export function openReaders(bytes: number): Readers {
  const entry = bytes < WORTH_THREADS ? null : threadEntry();
  if (entry === null) return { atOnce: 1, read: batchesOf, close: async () => {} };
  // The writer needs a processor, too: more threads than processors only cost.
  const atOnce = Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1));
  const idle: Worker[] = [];
  const all: Worker[] = [];
  const taken = (): Worker => {
    const free = idle.pop();
    if (free) return free;
    const made = new Worker(entry, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    all.push(made);
    return made;
  };
  return {
    atOnce,
    read: (request) => {
      const worker = taken();
      return readBy(worker, request, () => idle.push(worker));
    },
    close: async () => void (await Promise.all(all.map((worker) => worker.terminate()))),
  };
}

/** What a thread reads it soon lets go; a large nursery would only be memory. */
const YOUNG_MB = 12;

async function* readBy(worker: Worker, request: ReadRequest, whenDone: () => void): AsyncIterable<Batch> {
  const say = (message: ToReader) => worker.postMessage(message);
  const heard = listenTo(worker);
  try {
    say({ kind: "read", request });
    for (;;) {
      const message = await heard.next();
      if (message.kind === "batch") {
        yield message.batch;
        say({ kind: "stored" });
        continue;
      }
      whenDone();
      if (message.kind === "failed") throw asError(message.error);
      return;
    }
  } finally {
    heard.end();
  }
}

function listenTo(worker: Worker): { next(): Promise<FromReader>; end(): void } {
  const waiting: FromReader[] = [];
  const state: { wake: (() => void) | null; broken: Error | null } = { wake: null, broken: null };
  const told = (message: FromReader) => {
    waiting.push(message);
    state.wake?.();
  };
  const failed = (error: Error) => {
    state.broken ??= error;
    state.wake?.();
  };
  const gone = () => failed(new Error("a reading thread ended before its file"));
  worker.on("message", told).on("error", failed).on("exit", gone);
  return {
    next: async () => {
      for (;;) {
        const message = waiting.shift();
        if (message !== undefined) return message;
        if (state.broken !== null) throw state.broken;
        await new Promise<void>((resolve) => (state.wake = resolve));
      }
    },
    end: () => void worker.off("message", told).off("error", failed).off("exit", gone),
  };
}

function asError({ code, message, hint, systemCode }: Extract<FromReader, { kind: "failed" }>["error"]): Error {
  const cause = systemCode === "" ? undefined : Object.assign(new Error(systemCode), { code: systemCode });
  if (code === null) return Object.assign(new Error(message), cause ? { code: systemCode } : {});
  return new OldhandError(code, message, { ...(hint === undefined ? {} : { hint }), cause });
}

/** Null where there is none: threads are started from the built program only, not from source. */
function threadEntry(): string | null {
  if (import.meta.url.endsWith(".ts")) return null;
  const path = join(packageRoot(), "dist", "oldhand-reader.js");
  return existsSync(path) ? path : null;
}
