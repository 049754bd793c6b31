import type { Progress } from "./context.ts";

/**
 * What an operation emits while it runs: for a terminal, for server-sent events and for MCP. The result is the last
 * event; an operation that runs until it is stopped has none.
 */
export type StreamEvent<Output = unknown> =
  | ({ readonly kind: "progress" } & Progress)
  /** One item of a streamed result. */
  | { readonly kind: "item"; readonly item: unknown }
  | { readonly kind: "result"; readonly result: Output };
