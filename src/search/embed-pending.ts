import type { Context } from "../context.ts";
import { OldhandError } from "../lib/errors.ts";
import { plural } from "../lib/text.ts";
import { type EmbedResult, embedMissing } from "./embed-missing.ts";

export interface EmbedPendingOptions {
  /** Time limit; the next run continues from there. */
  readonly seconds: number;
  /** Only passages, such as memories: they are few, events are many. */
  readonly only?: "passages";
  /** Reports no progress, for a query that is answered quickly. */
  readonly quietly?: boolean;
}

/** Embeds what has no vector yet, within a time limit. Without an embedder it does nothing. */
export async function embedPending(
  ctx: Pick<Context, "db" | "models" | "signal" | "report">,
  { seconds, only, quietly }: EmbedPendingOptions,
): Promise<EmbedResult> {
  const embedder = seconds === 0 ? null : await ctx.models.embedder();
  if (!embedder) return { embedded: 0, complete: false };
  // Uses the real clock, so that it also works with a fixed clock.
  const timeUp = AbortSignal.any([AbortSignal.timeout(seconds * 1_000), ctx.signal]);
  const onBatch = (embedded: number) => {
    if (!quietly) ctx.report({ text: `${plural(embedded, "text")} embedded` });
  };
  return embedMissing(ctx, embedder, { timeUp, onBatch, only });
}

/** Before a query. If the embedder fails, the search uses words only. */
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
