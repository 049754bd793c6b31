import type { Config } from "../config.ts";
import type { OpenedEmbedder } from "./open-embedder.ts";
import type { Models } from "./models.ts";

export interface OpenModels extends Models {
  close(): Promise<void>;
}

/** The models that the settings choose, one of each kind per mind. Nothing is read before the first use. */
export function openModels(config: () => Pick<Config, "embedder">): OpenModels {
  let opening: Promise<OpenedEmbedder> | null = null;
  const open = async () => (await import("./open-embedder.ts")).openEmbedder(config());
  return {
    embedder: async () => (await (opening ??= open())).embedder,
    close: async () => {
      const opened = await opening;
      opening = null;
      await opened?.embedder?.close?.();
    },
  };
}
