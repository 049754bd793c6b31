import { type Config, followSettings } from "../../config.ts";
import type { Context } from "../../context.ts";
import { explainHold } from "../../domain/work/pause.ts";
import type { Slot } from "../../store/work/slots.ts";
import { findHolds } from "./find-pauses.ts";

/** Knows whether work is paused now. */
export interface PauseWatch {
  /** The settings as they were at the last look: quiet hours and the off switch may change while a worker runs. */
  config(): Config;
  look(): Promise<void>;
  /** Aborts when a pause begins; the reason says why. Quiet hours do not stop what the owner ran by hand. */
  signal(slot: Pick<Slot, "isByHand">): AbortSignal;
}

export function newPauseWatch({ db, clock, config }: Pick<Context, "db" | "clock" | "config">): PauseWatch {
  const readSettings = followSettings(config, config.providers.env);
  let current = config;
  const stops = { scheduled: new AbortController(), byHand: new AbortController() };
  const set = (which: keyof typeof stops, reason: string | null) => {
    if (reason !== null) stops[which].abort(reason);
    else if (stops[which].signal.aborted) stops[which] = new AbortController();
  };
  return {
    config: () => current,
    look: async () => {
      current = readSettings();
      const now = clock.now();
      const hold = (await findHolds({ db, config: current }, now))(now);
      const reason = hold === null ? null : explainHold(hold);
      set("scheduled", reason);
      set("byHand", hold?.kind === "quiet" ? null : reason);
    },
    signal: ({ isByHand }) => stops[isByHand ? "byHand" : "scheduled"].signal,
  };
}
