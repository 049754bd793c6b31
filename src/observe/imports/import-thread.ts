import { parentPort, workerData } from "node:worker_threads";
import type { Config } from "../../config.ts";
import { OldhandError, systemErrorCode } from "../../lib/errors.ts";
import { openStore } from "../../store/open.ts";
import { type FileToImport, type ImportResult, importFile, type OnStored } from "./import.ts";
import type { ImportFilter } from "./read-file.ts";
import { newThreadLock } from "./thread-lock.ts";

/** What a thread is given at its start. */
export interface ThreadData {
  readonly config: Config;
  /** Its name among those who take turns at storing. */
  readonly name: number;
  readonly lock: SharedArrayBuffer;
  /** Not 0: stop after the batch at hand. A message would be read only after the file. */
  readonly stop: SharedArrayBuffer;
}

export type ToThread =
  | { readonly kind: "import"; readonly file: FileToImport; readonly filter: ImportFilter }
  | { readonly kind: "close" };

/** What comes back, in order. After `done` or `failed` it waits for the next file. */
export type FromThread =
  | { readonly kind: "stored"; readonly events: number; readonly bytes: number }
  | { readonly kind: "done"; readonly imported: ImportResult }
  | { readonly kind: "failed"; readonly error: ThreadError };

/** An error as it can be sent: its class would be lost on the way. */
interface ThreadError {
  readonly code: OldhandError["code"] | null;
  readonly message: string;
  readonly hint: string | undefined;
  /** Of the disk or of a gzip, where one of those is the cause. */
  readonly systemCode: string;
}

/** A connection of many: what is inserted is not read again, so few pages are worth keeping. */
const CACHE_KB = 8_192;

/**
 * A thread that brings files in, from the first byte to the row, with a connection of its own: handing events over to
 * another thread costs more than storing them.
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
  // Whoever asks for a file first is told.
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
