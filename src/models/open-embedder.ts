import type { Config } from "../config.ts";
import type { Embedder } from "./embed/embedder.ts";
import { endpointEmbedder } from "./embed/endpoint-embedder.ts";
import { minilmEmbedder } from "./embed/minilm/embedder.ts";

/** The embedder that the settings choose, or null with the reason. */
export type OpenedEmbedder =
  | { readonly embedder: Embedder; readonly why: null }
  | { readonly embedder: null; readonly why: string };

/** Cheap until the first `embed`. Every call creates a new embedder; use `ctx.models` to share one. */
export function openEmbedder({ embedder: choice = { kind: "minilm" } }: Pick<Config, "embedder">): OpenedEmbedder {
  if (choice.kind === "none") return { embedder: null, why: "the setting `embedder` is none" };
  if (choice.kind === "endpoint") return { embedder: endpointEmbedder(choice), why: null };
  const embedder = minilmEmbedder();
  return embedder
    ? { embedder, why: null }
    : { embedder: null, why: "this oldhand was built without the embedder's weights" };
}
