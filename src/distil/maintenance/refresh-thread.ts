import { parentPort, workerData } from "node:worker_threads";
import type { Config } from "../../config.ts";
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

/** What the thread is given at its start. */
export interface RefreshThreadData {
  readonly config: Config;
  /** Where the clock stands still; null where it goes. */
  readonly now: number | null;
}

/** Told when something was stored. */
export type RefreshRequest = "changed";

/** What is told back: a line for the terminal. */
export type RefreshReport = string;

/** After it has worked, it leaves the machine to others for a while. */
const REST_MS = 3_000;

/** A thread that keeps up what is derived, and changes no rule, with a connection of its own, for a process that has others to answer. */
async function runRefreshThread(): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  const { config, now } = workerData as RefreshThreadData;
  const store = await openStore({ database: config.database, busyMs: config.policy.store.busySeconds * 1_000 });
  const { db } = store;
  setThrottled(db);
  const clock = now === null ? systemClock : fixedClock(now);
  const ctx: Context = {
    config,
    clock,
    store,
    db,
    actor: { kind: "maintenance" },
    models: openModels(() => config),
    // Whoever stops the thread ends it; nobody watches it work.
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
      // Also leases and the like are stored: only events and decisions give it something to do.
      if ((await readLastEntries(db)) !== before) {
        await refreshDerived(ctx);
        before = await readLastEntries(db);
      }
    } catch (error) {
      // Work in passing: whatever is wrong with it must not end what the process is there for.
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
