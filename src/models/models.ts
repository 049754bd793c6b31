import type { Embedder } from "./embed/embedder.ts";

/** The models a mind uses. Nothing is loaded before somebody asks. */
export interface Models {
  /** Null where there is none: search then goes by words. */
  embedder(): Promise<Embedder | null>;
}
