import { OldhandError } from "../lib/errors.ts";
import { inTime } from "../lib/in-time.ts";
import type { Models } from "./models.ts";

/** The same models for somebody who cannot wait: what takes longer counts as not reached. It is loaded meanwhile, for the next. */
export function hurried(models: Models, ms: number): Models {
  const late = () => new OldhandError("unreachable", "the embedder takes too long");
  return {
    embedder: async () => {
      const embedder = await models.embedder();
      return embedder && { ...embedder, embed: (texts) => inTime(embedder.embed(texts), ms, late) };
    },
  };
}
