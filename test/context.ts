import type { Context } from "../src/context.ts";

/** The parts of a context besides its store, for tests that need none: no model, never aborted, no progress. */
export const quiet: Pick<Context, "models" | "signal" | "report"> = {
  models: { embedder: async () => null },
  signal: new AbortController().signal,
  report: () => {},
};
