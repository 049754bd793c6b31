import { OldhandError } from "../lib/errors.ts";
import { withTimeout } from "../lib/with-timeout.ts";
import type { Models } from "./models.ts";

/** The same models with a time limit: a slower call fails as unreachable. The model keeps loading for the next call. */
export function withModelTimeout(models: Models, ms: number): Models {
  const late = () => new OldhandError("unreachable", "the embedder takes too long");
  return {
    embedder: async () => {
      const embedder = await models.embedder();
      return embedder && { ...embedder, embed: (texts) => withTimeout(embedder.embed(texts), ms, late) };
    },
  };
}
