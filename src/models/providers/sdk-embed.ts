import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import { noUsage } from "../../domain/model/usage.ts";
import type { Embeddings } from "../chat/chat.ts";
import { type FailureSource, modelError, toModelError } from "./failures.ts";
import { type TimeLimits, watchCall } from "./time-limits.ts";

/** The most texts in one request, if the model states no limit. */
const BATCH = 64;

export async function sdkEmbed(
  { model, limits, ...source }: FailureSource & { readonly model: EmbeddingModelV4; readonly limits: TimeLimits },
  texts: readonly string[],
  caller: AbortSignal,
): Promise<Embeddings> {
  const watch = watchCall(source, caller, limits);
  const vectors: (readonly number[])[] = [];
  let tokens = 0;
  try {
    watch.signal.throwIfAborted();
    const size = Math.min(BATCH, (await model.maxEmbeddingsPerCall) ?? BATCH);
    for (let from = 0; from < texts.length; from += size) {
      const values = texts.slice(from, from + size);
      const { embeddings, usage } = await model.doEmbed({ values, abortSignal: watch.signal });
      watch.progress();
      if (embeddings.length !== values.length)
        throw modelError(source, "malformed", "did not answer with one vector for each text");
      vectors.push(...embeddings);
      tokens += usage?.tokens ?? 0;
    }
  } catch (thrown) {
    throw toModelError(source, watch.stopped() ?? thrown);
  } finally {
    watch.end();
  }
  return { vectors, usage: { ...noUsage, in: tokens } };
}
