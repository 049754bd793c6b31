import { modelError, type FailureSource } from "./failures.ts";

export interface TimeLimits {
  /** The longest wait for the next event of a stream. Bytes that complete no event do not count. */
  readonly idleMs: number;
  /** The longest time of a whole call. */
  readonly totalMs: number;
}

export const defaultLimits: TimeLimits = { idleMs: 120_000, totalMs: 1_800_000 };

export interface CallWatch {
  /** Aborts when the caller aborts or a limit is exceeded. */
  readonly signal: AbortSignal;
  /** An event arrived: restarts the idle time. */
  progress(): void;
  /** Why the call was stopped, or null. It is the real cause of any error that follows. */
  stopped(): Error | null;
  end(): void;
}

export function watchCall(source: FailureSource, caller: AbortSignal, { idleMs, totalMs }: TimeLimits): CallWatch {
  const controller = new AbortController();
  let reason: Error | null = null;
  const stop = (error: Error) => {
    reason ??= error;
    controller.abort(reason);
  };
  const aborted = () => stop(modelError(source, "aborted", "the call was stopped"));
  const late = (ms: number, what: string) => () => stop(modelError(source, "timeout", `${what} in ${ms / 1_000} s`));
  const idle = setTimeout(late(idleMs, "nothing came"), idleMs);
  const total = setTimeout(late(totalMs, "the answer did not end"), totalMs);
  if (caller.aborted) aborted();
  else caller.addEventListener("abort", aborted, { once: true });
  return {
    signal: controller.signal,
    progress: () => void idle.refresh(),
    stopped: () => reason,
    end: () => {
      clearTimeout(idle);
      clearTimeout(total);
      caller.removeEventListener("abort", aborted);
    },
  };
}
