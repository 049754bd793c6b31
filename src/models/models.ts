import type { Embedder } from "./embed/embedder.ts";

/** The models of a mind, loaded on first use. */
export interface Models {
  /** Null if no embedder is configured; search then uses words only. */
  embedder(): Promise<Embedder | null>;
}
