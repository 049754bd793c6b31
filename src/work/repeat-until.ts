import { OldhandError } from "../lib/errors.ts";
import { sleep } from "../lib/sleep.ts";

/** Does something again and again, until the signal aborts. If the store does not answer, it goes on the next time. */
export async function repeatUntil(
  on: { readonly everyMs: number; readonly signal: AbortSignal; say(line: string): void },
  act: () => Promise<void>,
): Promise<void> {
  while (!on.signal.aborted) {
    await act().catch((error: unknown) => {
      if (!(error instanceof OldhandError)) throw error;
      on.say(error.message);
    });
    await sleep(on.everyMs, on.signal);
  }
}
