import { loadConfig } from "../../config.ts";
import type { Context } from "../../context.ts";
import { SECOND } from "../../lib/clock.ts";
import type { Stoppable } from "../../lib/stopped.ts";
import { isMaintenanceDue } from "../../store/state/maintenance-state.ts";
import { openStoreInHome } from "../../store/open.ts";
import { hasUnminedEvents } from "../../store/derived/unmined-events.ts";
import { runLearningSlice } from "./learn.ts";
import { type IdleLearner, newIdleLearner } from "./idle-learner.ts";
import { IDLE_LEARNING_SLICE } from "./patience.ts";

/**
 * For a process that has a mind open for other work: mines while the process is idle, on a separate connection, so
 * that the process never waits for a mining step. The connection is closed between two slices.
 */
export function startBackgroundLearner(mind: Pick<Context, "config" | "db" | "clock" | "models">): IdleLearner {
  const { db, clock, models } = mind;
  return newIdleLearner(async (stop: Stoppable) => {
    try {
      const { config } = mind;
      // Read each time, so that switching off takes effect with the next slice.
      const { off, isOffKnown } = loadConfig({ home: config.home });
      if (off.everywhere || !isOffKnown) return false;
      const { distil, store, team } = config.policy;
      const isDue = (await hasUnminedEvents(db)) || (await isMaintenanceDue(db, clock.now(), distil.maintainHours));
      if (!isDue || stop.aborted) return false;
      const own = await openStoreInHome(config.home, {
        ...{ database: config.database, busyMs: store.hookBusyMs, machine: team.machine },
        // No host waits here, and a server may be far away.
        connectMs: store.busySeconds * SECOND,
        networkFile: store.networkFile,
        isHook: true,
      });
      try {
        return await runLearningSlice(
          { config, clock, models, db: own.db },
          { ...IDLE_LEARNING_SLICE, maintain: true, stop },
        );
      } finally {
        await own.close();
      }
    } catch {
      // Locked or broken: the next use of the mind reports it, and the events are mined later.
      return false;
    }
  });
}
