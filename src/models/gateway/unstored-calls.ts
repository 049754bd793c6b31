import { OldhandError } from "../../lib/errors.ts";

/** What ended calls still have to write, because the store failed. */
export interface UnstoredCalls {
  /** Runs the steps in order. If the store fails, keeps the rest for later and returns why; otherwise null. */
  store(steps: readonly (() => Promise<void>)[]): Promise<string | null>;
  /** Tries again what is left of earlier calls. */
  storeRest(): Promise<void>;
}

/** In memory only: if the process ends first, the reservation of the call is counted as lost. */
export function newUnstoredCalls(): UnstoredCalls {
  const waiting: (() => Promise<void>)[][] = [];
  const store = async (given: readonly (() => Promise<void>)[]): Promise<string | null> => {
    const steps = [...given];
    const why = await findStoreFailure(async () => {
      for (let step = steps[0]; step !== undefined; step = steps[0]) {
        await step();
        steps.shift();
      }
    });
    if (why !== null && waiting.length < MOST_WAITING) waiting.push(steps);
    return why;
  };
  return {
    store,
    storeRest: async () => {
      for (const steps of waiting.splice(0)) await store(steps);
    },
  };
}

const MOST_WAITING = 200;

/** Why the store could not do this; null if it did. */
export async function findStoreFailure(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof OldhandError)) throw error;
    // Only what the store did is meant; the call itself was sent.
    return error.message.replace(/; nothing was changed$/, "");
  }
}
