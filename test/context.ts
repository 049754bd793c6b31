import type { Context } from "../src/context.ts";

/** What a context has besides its store, for tests that need none of it: no model, nobody who stops, nobody who watches. */
export const quiet: Pick<Context, "models" | "signal" | "report"> = {
  models: { embedder: async () => null },
  signal: new AbortController().signal,
  report: () => {},
};
