import type { Context } from "../context.ts";
import { MINUTE } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { formatProcessRef, currentProcess } from "../lib/process-ref.ts";
import type { Embedder } from "../models/embed/embedder.ts";
import { digest } from "../store/derived/digest.ts";
import { acquireLease, releaseLease } from "../store/state/leases.ts";
import { embedMissing } from "./embed-missing.ts";

const EVERY_MS = 5_000;
/** One piece of work; then other processes get their turn. */
const PIECE_MS = 20_000;
const LONGEST_REST_MS = 10 * MINUTE;

/** For long-running processes: computes missing vectors, in one process at a time. Waits longer after each error. */
export function embedInBackground(ctx: Context, say: (line: string) => void): { stop(): Promise<void> } {
  const stopped = new AbortController();
  let rest = EVERY_MS;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  let embedder: Embedder | null = null;
  const later = () => {
    if (stopped.signal.aborted) return;
    timer = setTimeout(() => {
      working = piece().then(later);
    }, rest);
    timer.unref();
  };
  const piece = async (): Promise<void> => {
    try {
      embedder = await ctx.models.embedder();
      if (embedder) await embedPiece(ctx, embedder, stopped.signal);
      rest = EVERY_MS;
    } catch (error) {
      // An error in background work must not end the process.
      if (rest === EVERY_MS && !stopped.signal.aborted) say(`embedding is paused: ${errorMessage(error)}`);
      rest = Math.min(LONGEST_REST_MS, rest * 2);
    }
  };
  later();
  return {
    stop: async () => {
      stopped.abort();
      clearTimeout(timer);
      // The next process embeds what is left.
      await embedder?.close?.();
      await working;
    },
  };
}

async function embedPiece(ctx: Context, embedder: Embedder, stopped: AbortSignal): Promise<void> {
  const { db, clock } = ctx;
  const acquired = await acquireLease(db, "embedding", {
    owner: formatProcessRef(currentProcess()),
    now: clock.now(),
    ttlMs: 3 * PIECE_MS,
  });
  if (acquired.kind === "taken") return;
  try {
    await digest(db);
    await embedMissing(ctx, embedder, { timeUp: AbortSignal.any([stopped, AbortSignal.timeout(PIECE_MS)]) });
  } finally {
    await releaseLease(db, acquired.lease);
  }
}
