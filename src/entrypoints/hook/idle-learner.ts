import type { Stoppable } from "../../lib/stopped.ts";

/** No hook came for so long: the model thinks, or a tool runs. */
const IDLE_MS = 1_000;

export interface IdleLearner {
  /** Around each hook. While one is answered nothing is mined, and what is being mined ends with its piece. */
  around<T>(hook: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** In a process that lives: one slice after the other while no hook comes, from the first hook on. `slice` says whether more is left. */
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
    // It is there for the process, not the other way round.
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
