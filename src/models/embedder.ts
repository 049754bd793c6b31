import type { Config, EmbedderChoice } from "../config.ts";
import { endpointEmbedder } from "./endpoint-embedder.ts";
import { minilmEmbedder } from "./minilm/embedder.ts";

/** Texts into directions: texts of one meaning point the same way. */
export interface Embedder {
  /** Vectors of different models are never compared, so it goes with each. */
  readonly model: string;
  /** One for each text, in bytes: of a vector only its direction is kept. Throws an OldhandError where it cannot be reached. */
  embed(texts: readonly string[]): Promise<readonly Int8Array[]>;
}

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
