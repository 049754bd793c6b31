import { isProcessRunning } from "./process-ref.ts";

const EVERY_MS = 2_000;

/**
 * Calls back once when the parent process is gone. The end of stdin would show that too, unless another process, such
 * as a shell that the parent left running, holds the other end. Does nothing without a parent (or below init).
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
