import { type Config, loadConfig } from "../../config.ts";
import type { Context } from "../../context.ts";
import { findPauses } from "./find-pauses.ts";

/** Knows whether work is paused now. */
export interface PauseWatch {
  /** The settings as they were at the last look: quiet hours and the off switch may change while a worker runs. */
  config(): Config;
  look(): Promise<void>;
  /** Aborts when a pause begins. */
  signal(): AbortSignal;
}

export function newPauseWatch({ db, clock, config }: Pick<Context, "db" | "clock" | "config">): PauseWatch {
  let current = config;
  let paused = new AbortController();
  return {
    config: () => current,
    look: async () => {
      const { policy, off } = loadConfig({ home: config.home, env: config.providers.env });
      current = { ...config, policy, off };
      const now = clock.now();
      const reason = (await findPauses({ db, config: current }, now))(now);
      if (reason !== null) paused.abort();
      else if (paused.signal.aborted) paused = new AbortController();
    },
    signal: () => paused.signal,
  };
}
