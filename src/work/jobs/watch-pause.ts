import { type Config, followSettings } from "../../config.ts";
import type { Context } from "../../context.ts";
import { explainHold, isOwnHold } from "../../domain/work/pause.ts";
import { findHolds, teamMachineName } from "./find-pauses.ts";

/** Knows whether work is paused now. */
export interface PauseWatch {
  /** The settings as they were at the last look: quiet hours and the off switch may change while a worker runs. */
  config(): Config;
  look(): Promise<void>;
  /** Aborts when a pause begins, or oldhand is switched off; the reason says why. Quiet hours let go on what runs. */
  signal(): AbortSignal;
  /** True if settings of this home keep work from beginning: in a team, others may begin it. */
  isHeldHere(): boolean;
}

export function newPauseWatch({ db, clock, config }: Pick<Context, "db" | "clock" | "config">): PauseWatch {
  const readSettings = followSettings(config, config.providers.env);
  let current = config;
  let stop = new AbortController();
  let isHeld = false;
  return {
    config: () => current,
    look: async () => {
      current = readSettings();
      const now = clock.now();
      const hold = (await findHolds({ db, config: current }, now))(now);
      isHeld = hold !== null && isOwnHold(hold);
      if (hold !== null && hold.kind !== "quiet")
        stop.abort(explainHold(hold, teamMachineName({ db, config: current })));
      else if (stop.signal.aborted) stop = new AbortController();
    },
    signal: () => stop.signal,
    isHeldHere: () => isHeld,
  };
}
