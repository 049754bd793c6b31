import { OldhandError } from "../lib/errors.ts";

/** Does something again and again, until the signal aborts. If the store does not answer, it goes on the next time. */
export async function repeatUntil(
  on: {
    readonly everyMs: number;
    readonly signal: AbortSignal;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
    say(line: string): void;
  },
  act: () => Promise<void>,
): Promise<void> {
  while (!on.signal.aborted) {
    await act().catch((error: unknown) => {
      if (!(error instanceof OldhandError)) throw error;
      on.say(error.message);
    });
    await on.sleep(on.everyMs, on.signal);
  }
}
