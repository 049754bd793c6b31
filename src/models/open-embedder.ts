import type { Config } from "../config.ts";
import type { Embedder } from "./embed/embedder.ts";
import { endpointEmbedder } from "./embed/endpoint-embedder.ts";
import { minilmEmbedder } from "./embed/minilm/embedder.ts";

/** The embedder that the settings choose, or null and why there is none. */
export type OpenedEmbedder =
  | { readonly embedder: Embedder; readonly why: null }
  | { readonly embedder: null; readonly why: string };

/** Cheap until it embeds. Each call makes a new one: a mind keeps its own (`ctx.models`). */
export function openEmbedder({ embedder: choice = { kind: "minilm" } }: Pick<Config, "embedder">): OpenedEmbedder {
  if (choice.kind === "none") return { embedder: null, why: "the setting `embedder` is none" };
  if (choice.kind === "endpoint") return { embedder: endpointEmbedder(choice), why: null };
  const embedder = minilmEmbedder();
  return embedder
    ? { embedder, why: null }
    : { embedder: null, why: "this oldhand was built without the embedder's weights" };
}
