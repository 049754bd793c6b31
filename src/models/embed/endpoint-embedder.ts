import type { EmbedderChoice } from "../../config.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { Embedder } from "../embed/embedder.ts";
import { quantiseVector } from "./quantise-vector.ts";

type Endpoint = Extract<EmbedderChoice, { kind: "endpoint" }>;

/** Texts per request; most servers accept at least this many. */
const BATCH = 64;
const PATIENCE_MS = 60_000;

/** For servers with `/v1/embeddings` or Ollama's `/api/embed`. Texts leave the machine if the server is elsewhere. */
export function endpointEmbedder(endpoint: Endpoint): Embedder {
  return {
    model: `${endpoint.model}@${new URL(endpoint.url).host}`,
    embed: async (texts) => {
      const vectors: Int8Array[] = [];
      for (let from = 0; from < texts.length; from += BATCH)
        vectors.push(...(await ask(endpoint, texts.slice(from, from + BATCH))));
      return vectors;
    },
  };
}

async function ask(endpoint: Endpoint, texts: readonly string[]): Promise<readonly Int8Array[]> {
  const path = endpoint.url.endsWith("/api") ? "embed" : "embeddings";
  const response = await fetch(`${endpoint.url}/${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(endpoint.key === null ? {} : { authorization: `Bearer ${endpoint.key}` }),
    },
    body: JSON.stringify({ model: endpoint.model, input: texts }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((cause: unknown) => {
    throw unreachable(endpoint, "does not answer", cause);
  });
  if (!response.ok) throw unreachable(endpoint, `answers ${response.status}`);
  const vectors = vectorsIn(await response.json().catch(() => null));
  if (vectors.length !== texts.length) throw unreachable(endpoint, "did not answer with embeddings");
  return vectors.map(quantiseVector);
}

/** `{data: [{index, embedding}]}`, or Ollama's `{embeddings}`. */
function vectorsIn(body: unknown): readonly number[][] {
  if (!isRecord(body)) return [];
  const { data, embeddings } = body;
  const found = Array.isArray(data)
    ? data
        .filter(isRecord)
        .toSorted((a, b) => Number(a["index"]) - Number(b["index"]))
        .map((one) => one["embedding"])
    : embeddings;
  return Array.isArray(found) && found.every(isVector) ? found : [];
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "number");
}

function unreachable(endpoint: Endpoint, what: string, cause?: unknown): OldhandError {
  return new OldhandError("unreachable", `the embedder at ${endpoint.url} ${what}`, {
    hint: "search uses words only; `oldhand config set embedder minilm` selects the built-in embedder",
    ...(cause === undefined ? {} : { cause }),
  });
}
