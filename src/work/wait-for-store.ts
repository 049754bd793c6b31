import type { Clock } from "../lib/clock.ts";
import { SECOND } from "../lib/clock.ts";
import { OldhandError } from "../lib/errors.ts";
import type { Outage } from "./work-queue.ts";

/**
 * Opens something of the store. While the store does not answer, says so once and tries again, until the signal aborts:
 * then null.
 */
export async function waitForStore<T>(
  on: {
    readonly clock: Clock;
    readonly outage: Outage;
    readonly signal: AbortSignal;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
    say(line: string): void;
  },
  open: () => Promise<T>,
): Promise<T | null> {
  let isTold = false;
  while (!on.signal.aborted) {
    try {
      const opened = await open();
      if (isTold) on.say("the database answers again");
      return opened;
    } catch (error) {
      if (!(error instanceof OldhandError) || error.code !== "store-unreachable") throw error;
      on.outage.at = on.clock.now();
      on.outage.since ??= on.outage.at;
      if (!isTold) on.say(`${error.message}; it is tried again`);
      isTold = true;
      await on.sleep(SECOND, on.signal);
    }
  }
  return null;
}
