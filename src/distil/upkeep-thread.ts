import { parentPort, workerData } from "node:worker_threads";
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import { fixedClock, systemClock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import { openModels } from "../models/open-models.ts";
import { workGently } from "../store/background.ts";
import { undigested } from "../store/digest.ts";
import { lastEventId } from "../store/events.ts";
import { history } from "../store/journal.ts";
import { openStore } from "../store/open.ts";
import { bringUp } from "./bring-up.ts";

/** What the thread is given at its start. */
export interface UpkeepData {
  readonly config: Config;
  /** Where the clock stands still; null where it goes. */
  readonly now: number | null;
}

/** Told when something was stored. */
export type ToUpkeep = "changed";

/** What is told back: a line for the terminal. */
export type FromUpkeep = string;

/** After it has worked, it leaves the machine to others for a while. */
const REST_MS = 3_000;

/** A thread that keeps up what is derived, and changes no rule, with a connection of its own, for a process that has others to answer. */
async function serveUpkeep(): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  const { config, now } = workerData as UpkeepData;
  const store = await openStore({ database: config.database, busyMs: config.policy.store.busySeconds * 1_000 });
  const { db } = store;
  workGently(db);
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
  const say = (line: string) => port.postMessage(line satisfies FromUpkeep);
  let due = true;
  let working = false;
  let before = "";
  const work = async () => {
    if (working || !due) return;
    working = true;
    due = false;
    try {
      // Also leases and the like are stored: only events and decisions give it something to do.
      if ((await lastEntries(db)) !== before) {
        await bringUp(ctx);
        before = await lastEntries(db);
      }
    } catch (error) {
      // Work in passing: whatever is wrong with it must not end what the process is there for.
      say(`not catching up for now: ${messageOf(error)}`);
    }
    setTimeout(() => {
      working = false;
      void work();
    }, REST_MS);
  };
  port.on("message", (_message: ToUpkeep) => {
    due = true;
    void work();
  });
  await work();
}

async function lastEntries(db: Context["db"]): Promise<string> {
  const [change] = await history(db, { limit: 1 });
  return `${await undigested(db)} ${await lastEventId(db)} ${change?.id ?? 0}`;
}

void serveUpkeep();
