import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Context } from "../../context.ts";
import { OldhandError } from "../../lib/errors.ts";
import { packageRoot } from "../../lib/package-root.ts";
import { type FileToImport, type ImportResult, importFile, type OnStored } from "./import.ts";
import type { FromThread, ThreadData, ToThread } from "./import-thread.ts";
import type { ImportFilter } from "./read-file.ts";
import { newLockMemory, releaseThreadLock } from "./thread-lock.ts";

export interface Importers {
  /** How many files are imported at once. */
  readonly atOnce: number;
  importFile(file: FileToImport, filter: ImportFilter, onStored: OnStored): Promise<ImportResult>;
  close(): Promise<void>;
}

/** In bytes. Less than this is stored before a thread has started. */
const WORTH_THREADS = 8_000_000;
/** Each needs its own memory. */
const MOST_THREADS = 2;

/**
 * Uses threads for large imports, if the built program has them; otherwise imports one file after the other in this
 * thread.
 */
export function openImporters(ctx: Pick<Context, "db" | "config" | "signal">, bytes: number): Importers {
  const entry = bytes < WORTH_THREADS ? null : findThreadEntry();
  if (entry === null)
    return {
      atOnce: 1,
      importFile: (file, filter, onStored) => importFile({ ...ctx, onStored }, file, filter),
      close: async () => {},
    };
  const lock = newLockMemory();
  const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const stopAll = () => void Atomics.store(new Int32Array(stop), 0, 1);
  if (ctx.signal.aborted) stopAll();
  ctx.signal.addEventListener("abort", stopAll);
  const idle: Worker[] = [];
  const all: Worker[] = [];
  const taken = (): Worker => {
    const free = idle.pop();
    if (free) return free;
    const name = all.length + 1;
    const workerData: ThreadData = { config: ctx.config, name, lock, stop };
    const made = new Worker(entry, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    made.once("exit", () => releaseThreadLock(lock, name));
    all.push(made);
    return made;
  };
  return {
    atOnce: Math.min(MOST_THREADS, availableParallelism()),
    importFile: async (file, filter, onStored) => {
      const worker = taken();
      const ended = await importInThread(worker, { kind: "import", file, filter }, onStored);
      idle.push(worker);
      if (ended.kind === "failed") throw toError(ended.error);
      return ended.imported;
    },
    close: async () => {
      ctx.signal.removeEventListener("abort", stopAll);
      await Promise.all(all.map(closeWorker));
    },
  };
}

/** A thread's data is short-lived, so a larger young generation would only waste memory. */
const YOUNG_MB = 24;

function importInThread(
  worker: Worker,
  request: ToThread,
  onStored: OnStored,
): Promise<Exclude<FromThread, { kind: "stored" }>> {
  return new Promise((resolve, reject) => {
    const end = () => void worker.off("message", onMessage).off("error", failed).off("exit", gone);
    const onMessage = (message: FromThread) => {
      if (message.kind === "stored") return onStored(message.events, message.bytes);
      end();
      resolve(message);
    };
    const failed = (error: Error) => {
      end();
      reject(error);
    };
    const gone = () => failed(new Error("an import thread ended before its file was read"));
    worker.on("message", onMessage).on("error", failed).on("exit", gone);
    worker.postMessage(request);
  });
}

/** Asks the thread to exit by itself, so that it closes its connection. */
function closeWorker(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return Promise.resolve();
  return new Promise((resolve) => {
    worker.once("exit", () => resolve());
    worker.postMessage({ kind: "close" } satisfies ToThread);
  });
}

function toError({ code, message, hint, systemCode }: Extract<FromThread, { kind: "failed" }>["error"]): Error {
  const cause = systemCode === "" ? undefined : Object.assign(new Error(systemCode), { code: systemCode });
  if (code === null) return Object.assign(new Error(message), cause ? { code: systemCode } : {});
  return new OldhandError(code, message, { ...(hint === undefined ? {} : { hint }), cause });
}

/** Null if there is none: threads are started only from the built program, not from source. */
function findThreadEntry(): string | null {
  if (import.meta.url.endsWith(".ts")) return null;
  const path = join(packageRoot(), "dist", "oldhand-importer.js");
  return existsSync(path) ? path : null;
}
