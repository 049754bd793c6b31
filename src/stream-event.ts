import type { Progress } from "./context.ts";

/**
 * What comes of an operation while it runs: for a terminal, for server-sent events and for MCP. A result is the last
 * event; an operation that goes on until it is stopped has none.
 */
export type StreamEvent<Output = unknown> =
  | ({ readonly kind: "progress" } & Progress)
  /** One piece of an answer that comes in pieces. */
  | { readonly kind: "item"; readonly item: unknown }
  | { readonly kind: "result"; readonly result: Output };
