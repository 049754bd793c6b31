import { isProcessRunning } from "./process-ref.ts";

const EVERY_MS = 2_000;

/**
 * Calls back once when the process that started this one is gone. The end of stdin says so too, but not where somebody
 * else holds the other end: a shell that the dead one left running, say. Where nobody is above us, nobody is watched.
 */
export function whenOrphaned(callback: () => void): () => void {
  const parent = process.ppid;
  if (parent <= 1) return () => {};
  const timer = setInterval(() => {
    if (process.ppid === parent && isProcessRunning(parent)) return;
    clearInterval(timer);
    callback();
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
