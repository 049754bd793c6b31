import { sinceStart } from "../../lib/clock.ts";

/** For a store that answers, but not today: a table locked by somebody, a link that hangs. A host must not wait for it. */
const PATIENCE_MS = 200;

export async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("the store takes too long")), PATIENCE_MS);
  });
  // What comes after its time is nobody's concern any more, whether it went well or not.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a host waits for is the whole process: where that was slow to start, less is left for waiting on other writers. */
export function patienceLeft(busyMs: number): number {
  return Math.min(busyMs, Math.max(LEAST_MS, WHOLE_MS - sinceStart()));
}

const WHOLE_MS = 200;
const LEAST_MS = 20;
