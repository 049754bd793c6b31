import type { Config, EmbedderChoice } from "../config.ts";
import type { Embedder } from "./embed/embedder.ts";
import { endpointEmbedder } from "./embed/endpoint-embedder.ts";
import { minilmEmbedder } from "./embed/minilm/embedder.ts";

/** The one that was chosen, or null and why there is none. Cheap until it embeds. */
export type OpenedEmbedder =
  | { readonly embedder: Embedder; readonly why: null }
  | { readonly embedder: null; readonly why: string };

export function openEmbedder({ embedder: choice = { kind: "minilm" } }: Pick<Config, "embedder">): OpenedEmbedder {
  const key = JSON.stringify(choice);
  const known = opened.get(key);
  if (known) return known;
  const made = open(choice);
  opened.set(key, made);
  return made;
}

/** One for each choice in a process: its weights take memory, and time to load. */
const opened = new Map<string, OpenedEmbedder>();

function open(choice: EmbedderChoice): OpenedEmbedder {
  if (choice.kind === "none") return { embedder: null, why: "the setting embedder is none" };
  if (choice.kind === "endpoint") return { embedder: endpointEmbedder(choice), why: null };
  const embedder = minilmEmbedder();
  return embedder
    ? { embedder, why: null }
    : { embedder: null, why: "this oldhand was built without the embedder's weights" };
}
