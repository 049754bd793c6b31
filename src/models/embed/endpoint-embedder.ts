import type { EmbedderChoice } from "../../config.ts";
import { isLoopbackUrl } from "../../domain/model/endpoint.ts";
import { OldhandError } from "../../lib/errors.ts";
import { ModelCallError } from "../chat/chat.ts";
import type { Embedder } from "../embed/embedder.ts";
import { embedWith } from "../providers/embed-texts.ts";
import type { OpenEndpoint } from "../providers/open-provider.ts";
import { quantiseVector } from "./quantise-vector.ts";

type EndpointChoice = Extract<EmbedderChoice, { kind: "endpoint" }>;

const limits = { idleMs: 60_000, totalMs: 1_800_000 };

/** Embeds texts through `/v1/embeddings` or Ollama's `/api/embed`. If the server is elsewhere, the texts leave this machine. */
export function endpointEmbedder(choice: EndpointChoice): Embedder {
  const embed = embedWith(toEndpoint(choice), { fetch: globalThis.fetch, limits });
  return {
    model: `${choice.model}@${new URL(choice.url).host}`,
    embed: async (texts) => {
      try {
        const { vectors } = await embed(choice.model, texts, new AbortController().signal);
        return vectors.map(quantiseVector);
      } catch (error) {
        if (!(error instanceof ModelCallError)) throw error;
        throw new OldhandError("unreachable", `the embedder at ${error.message}`, {
          hint: "search uses words only; `oldhand config set embedder minilm` selects the built-in embedder",
          cause: error,
        });
      }
    },
  };
}

/** An address that ends in `/api` is Ollama's. */
function toEndpoint({ url, key }: EndpointChoice): OpenEndpoint {
  const isOllama = url.endsWith("/api");
  return {
    name: url,
    kind: isOllama ? "ollama" : "openai-compatible",
    url: isOllama ? url.slice(0, -"/api".length) : url,
    keyEnv: [],
    key,
    isLoopback: isLoopbackUrl(url),
  };
}
