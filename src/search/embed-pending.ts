import type { Context } from "../context.ts";
import { OldhandError } from "../lib/errors.ts";
import { plural } from "../lib/text.ts";
import { type EmbedResult, embedMissing } from "./embed-missing.ts";

export interface EmbedPendingOptions {
  /** Stops after so long; the next goes on from there. */
  readonly seconds: number;
  /** Only passages, such as memories: they are few, and events are many. */
  readonly only?: "passages";
  /** A question is answered so soon that progress would be in the way. */
  readonly quietly?: boolean;
}

/** Embeds what has no vector yet, within a bounded time. Without an embedder it does nothing. */
export async function embedPending(
  ctx: Pick<Context, "db" | "models" | "signal" | "report">,
  { seconds, only, quietly }: EmbedPendingOptions,
): Promise<EmbedResult> {
  const embedder = seconds === 0 ? null : await ctx.models.embedder();
  if (!embedder) return { embedded: 0, complete: false };
  // By the real clock: a mind whose clock stands still embeds all the same.
  const timeUp = AbortSignal.any([AbortSignal.timeout(seconds * 1_000), ctx.signal]);
  const onBatch = (embedded: number) => {
    if (!quietly) ctx.report({ text: `${plural(embedded, "text")} embedded` });
  };
  return embedMissing(ctx, embedder, { timeUp, onBatch, only });
}

/** The same before a question. An embedder that cannot be reached is no reason not to search. */
export async function embedBeforeQuery(
  ctx: Pick<Context, "db" | "models" | "signal" | "report">,
  options: EmbedPendingOptions,
): Promise<void> {
  try {
    await embedPending(ctx, options);
  } catch (error) {
    if (!(error instanceof OldhandError)) throw error;
    ctx.report({ text: `${error.message}; searching by words` });
  }
}
