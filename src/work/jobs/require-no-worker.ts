import type { Clock } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { describeProcess, isProcessGone } from "../../lib/process-ref.ts";
import { plural } from "../../lib/text.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Queue } from "../../store/engine/queue.ts";
import { listClaims } from "../../store/queue/make-queue.ts";
import { listWorkers } from "../../store/work/workers.ts";
import { workerState } from "./worker-state.ts";

/** Throws while a process does jobs of this mind: what it holds and knows would be of a mind that is no more. */
export async function requireNoWorker(
  tx: Db,
  { clock, queue }: { readonly clock: Clock; readonly queue: Pick<Queue, "now"> },
): Promise<void> {
  const now = clock.now();
  const living = (await listWorkers(tx)).filter((one) => workerState(one, now) === "lives");
  const leasedAt = await queue.now(tx);
  const holding = (await listClaims(tx)).filter(({ worker, until }) => until > leasedAt && !isProcessGone(worker));
  const found = new Set([...living.map(({ process }) => process), ...holding.map(({ worker }) => worker)]);
  if (found.size === 0) return;
  const names = [...found].map(describeProcess).join(", ");
  throw new OldhandError(
    "conflict",
    `${plural(found.size, "worker")} of this mind ${found.size === 1 ? "is" : "are"} at work: ${names}; nothing was changed`,
    {
      hint: "stop `oldhand run` there with Ctrl-C, or its service with `oldhand run --uninstall`, and restore again; one that was killed on another machine counts for two minutes",
    },
  );
}
