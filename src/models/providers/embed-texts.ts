import { noUsage } from "../../domain/model/usage.ts";
import { isRecord } from "../../lib/json.ts";
import type { Embeddings } from "../chat/chat.ts";
import { type FailureSource, modelError, toModelError } from "./failures.ts";
import type { OpenEndpoint } from "./open-provider.ts";
import { type TimeLimits, watchCall } from "./time-limits.ts";
import { wireFetch } from "./wire-fetch.ts";

/** Texts per request. Most servers accept at least this many. */
const BATCH = 64;

export interface EmbedOptions {
  readonly fetch: typeof fetch;
  readonly limits: TimeLimits;
}

/**
 * Embeds texts with Ollama's `/api/embed`, or with `/embeddings` of OpenAI and others. It uses no SDK, because the SDKs rely on
 * the order of the vectors in the answer, and not every server keeps the order.
 */
export function embedWith(endpoint: OpenEndpoint, { fetch, limits }: EmbedOptions) {
  const source = { provider: endpoint.name, key: endpoint.key };
  const ask = wireFetch({ ...source, fetch, expects: "json" });
  const key = endpoint.key === null ? {} : { authorization: `Bearer ${endpoint.key}` };
  const url = `${endpoint.url}${endpoint.kind === "ollama" ? "/api/embed" : "/embeddings"}`;
  return async (model: string, texts: readonly string[], caller: AbortSignal): Promise<Embeddings> => {
    const watch = watchCall(source, caller, limits);
    const vectors: (readonly number[])[] = [];
    let tokens = 0;
    try {
      watch.signal.throwIfAborted();
      for (let from = 0; from < texts.length; from += BATCH) {
        const input = texts.slice(from, from + BATCH);
        const answer = await ask(url, {
          method: "POST",
          headers: { "content-type": "application/json", ...key },
          body: JSON.stringify({ model, input }),
          signal: watch.signal,
        });
        const body: unknown = await answer.json();
        vectors.push(...readVectors(source, body, input.length));
        tokens += readTokens(body);
        watch.progress();
      }
    } catch (thrown) {
      throw toModelError(source, watch.stopped() ?? thrown);
    } finally {
      watch.end();
    }
    return { vectors, usage: { ...noUsage, in: tokens } };
  };
}

/** `{data: [{index, embedding}]}`, or Ollama's `{embeddings}`. */
function readVectors(source: FailureSource, body: unknown, count: number): readonly (readonly number[])[] {
  const { data, embeddings } = isRecord(body) ? body : {};
  const found = Array.isArray(data)
    ? data
        .filter(isRecord)
        .toSorted((a, b) => Number(a["index"]) - Number(b["index"]))
        .map((one) => one["embedding"])
    : embeddings;
  if (!Array.isArray(found) || found.length !== count || !found.every(isVector))
    throw modelError(source, "malformed", "did not answer with one vector for each text");
  return found;
}

function readTokens(body: unknown): number {
  const { usage, prompt_eval_count: counted } = isRecord(body) ? body : {};
  const tokens = isRecord(usage) ? usage["prompt_tokens"] : counted;
  return typeof tokens === "number" ? tokens : 0;
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "number");
}
