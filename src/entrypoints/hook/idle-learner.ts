import type { Stoppable } from "../../lib/stopped.ts";

/** No hook for this long means that the model is thinking or a tool is running. */
const IDLE_MS = 1_000;

export interface IdleLearner {
  /** Wraps each hook. While a hook runs nothing is mined; a running slice stops after its current step. */
  around<T>(hook: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * For a long-lived process: runs slices while there is no hook, starting after the first hook. `slice` returns true
 * if there is more to do.
 */
export function newIdleLearner(slice: (stop: Stoppable) => Promise<boolean>, idleMs = IDLE_MS): IdleLearner {
  let hooks = 0;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  const stop: Stoppable = {
    get aborted() {
      return closed || hooks > 0;
    },
  };
  const later = () => {
    if (stop.aborted) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      working = working.then(() => (stop.aborted ? false : slice(stop))).then((more) => (more ? later() : undefined));
    }, idleMs);
    // The timer must not keep the process alive.
    timer.unref();
  };
  return {
    around: async (hook) => {
      hooks++;
      clearTimeout(timer);
      try {
        return await hook();
      } finally {
        hooks--;
        later();
      }
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
      return working;
    },
  };
}
