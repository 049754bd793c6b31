import { MINUTE } from "../../lib/clock.ts";
import { isProcessGone } from "../../lib/process-ref.ts";
import type { Worker } from "../../store/work/workers.ts";

/** A worker that has not beaten for so long is gone, or its machine sleeps. */
const SILENT_MS = 2 * MINUTE;

type WorkerState = "lives" | "silent" | "gone";

export function workerState({ process, beatAt }: Pick<Worker, "process" | "beatAt">, now: number): WorkerState {
  if (isProcessGone(process)) return "gone";
  return now - beatAt > SILENT_MS ? "silent" : "lives";
}
