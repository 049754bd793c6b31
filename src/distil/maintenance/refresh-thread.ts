import { parentPort, workerData } from "node:worker_threads";
import { type Config, followDatabase, followSettings } from "../../config.ts";
import type { Context } from "../../context.ts";
import { fixedClock, systemClock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { openModels } from "../../models/open-models.ts";
import { setThrottled } from "../../store/state/background.ts";
import { countUndigested } from "../../store/derived/digest.ts";
import { getLastEventId } from "../../store/events/events.ts";
import { listChanges } from "../../store/journal/journal.ts";
import { openStore } from "../../store/open.ts";
import { refreshDerived } from "./refresh-derived.ts";

/** The thread's `workerData`. */
export interface RefreshThreadData {
  readonly config: Config;
  /** The time of a fixed clock; null for the system clock. */
  readonly now: number | null;
}

/** Sent to the thread after something was stored. */
export type RefreshRequest = "changed";

/** Sent back: a line for the terminal. */
export type RefreshReport = string;

/** Pause after each run, so that other processes get the machine. */
const REST_MS = 3_000;

/** Refreshes derived data in a worker thread, on its own connection, so that the main thread can answer. */
async function runRefreshThread(): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  const { config, now } = workerData as RefreshThreadData;
  const store = await openStore({
    database: config.database,
    busyMs: config.policy.store.busySeconds * 1_000,
    readAddress: followDatabase(config),
  });
  const { db } = store;
  setThrottled(db);
  const clock = now === null ? systemClock : fixedClock(now);
  const readSettings = followSettings(config);
  const ctx: Context = {
    get config() {
      return readSettings();
    },
    clock,
    store,
    db,
    actor: { kind: "maintenance" },
    models: openModels(() => config),
    // The thread is stopped with `terminate`, and its progress is not shown.
    signal: new AbortController().signal,
    report: () => {},
  };
  const say = (line: string) => port.postMessage(line satisfies RefreshReport);
  let due = true;
  let working = false;
  let before = "";
  const work = async () => {
    if (working || !due) return;
    working = true;
    due = false;
    try {
      // Leases and the like are also stored; only events and journal entries require work.
      if ((await readLastEntries(db)) !== before) {
        await refreshDerived(ctx);
        before = await readLastEntries(db);
      }
    } catch (error) {
      // An error in background work must not end the process.
      say(`the refresh is paused: ${errorMessage(error)}`);
    }
    setTimeout(() => {
      working = false;
      void work();
    }, REST_MS);
  };
  port.on("message", (_message: RefreshRequest) => {
    due = true;
    void work();
  });
  await work();
}

async function readLastEntries(db: Context["db"]): Promise<string> {
  const [change] = await listChanges(db, { limit: 1 });
  return `${await countUndigested(db)} ${await getLastEventId(db)} ${change?.id ?? 0}`;
}

void runRefreshThread();
