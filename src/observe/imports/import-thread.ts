import { parentPort, workerData } from "node:worker_threads";
import type { Config } from "../../config.ts";
import { OldhandError, systemErrorCode } from "../../lib/errors.ts";
import { openStore } from "../../store/open.ts";
import { type FileToImport, type ImportResult, importFile, type OnStored } from "./import.ts";
import type { ImportFilter } from "./read-file.ts";
import { newThreadLock } from "./thread-lock.ts";

/** The start data of a thread. */
export interface ThreadData {
  readonly config: Config;
  /** The thread's number for the lock. */
  readonly name: number;
  readonly lock: SharedArrayBuffer;
  /** If not 0, the thread stops after the current batch. A message would be read only after the file. */
  readonly stop: SharedArrayBuffer;
}

export type ToThread =
  | { readonly kind: "import"; readonly file: FileToImport; readonly filter: ImportFilter }
  | { readonly kind: "close" };

/** Messages from the thread, in order. After `done` or `failed` it waits for the next file. */
export type FromThread =
  | { readonly kind: "stored"; readonly events: number; readonly bytes: number }
  | { readonly kind: "done"; readonly imported: ImportResult }
  | { readonly kind: "failed"; readonly error: ThreadError };

/** An error in a form that can be sent; a message would lose its class. */
interface ThreadError {
  readonly code: OldhandError["code"] | null;
  readonly message: string;
  readonly hint: string | undefined;
  /** The code of the disk or gzip error that caused it; empty if there is none. */
  readonly systemCode: string;
}

/** There are several connections, and inserted pages are not read again, so a small cache is enough. */
const CACHE_KB = 8_192;

/**
 * A thread that imports files, from reading to storing, with its own connection: passing events to another thread
 * would cost more than storing them.
 */
async function serveImports(): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  const { config, name, lock, stop } = workerData as ThreadData;
  const stopCell = new Int32Array(stop);
  const signal = {
    get aborted() {
      return Atomics.load(stopCell, 0) !== 0;
    },
  };
  const busyMs = config.policy.store.busySeconds * 1000;
  const store = openStore({ database: config.database, busyMs, cacheKb: CACHE_KB });
  // The error is reported by the first import.
  store.catch(() => {});
  const send = (message: FromThread) => port.postMessage(message);
  const withLock = newThreadLock(lock, name);
  const onStored: OnStored = (events, bytes) => send({ kind: "stored", events, bytes });
  const act = async ({ file, filter }: Extract<ToThread, { kind: "import" }>) => {
    try {
      const { db } = await store;
      send({
        kind: "done",
        imported: await importFile({ db, config, withLock, onStored, signal }, file, filter),
      });
    } catch (error) {
      send({ kind: "failed", error: toThreadError(error) });
    }
  };
  port.on("message", (message: ToThread) => {
    if (message.kind === "import") void act(message);
    else
      void store.then(
        (open) => open.close().finally(() => port.close()),
        () => port.close(),
      );
  });
}

function toThreadError(error: unknown): ThreadError {
  const ours = error instanceof OldhandError;
  return {
    code: ours ? error.code : null,
    message: error instanceof Error ? (ours ? error.message : (error.stack ?? error.message)) : String(error),
    hint: ours ? error.hint : undefined,
    systemCode: ours ? systemErrorCode(error.cause) : systemErrorCode(error),
  };
}

void serveImports();
