/**
 * Why a model call failed:
 * - `timeout`: no event within the time limit.
 * - `rate-limited`: 429. `quota`: the credit or a subscription's limit is used up, so that waiting does not help.
 * - `overloaded`: 5xx. `unreachable`: no connection.
 * - `cut-off`: the stream ended before its last event.
 * - `malformed`: the answer does not follow the protocol, or a tool call is not valid.
 * - `refused`: the provider or the model refused to answer.
 * - `auth`: the key is missing or wrong. `no-such-model`: unknown or retired.
 * - `too-long`: the prompt does not fit into the context window. `bad-request`: any other 4xx.
 * - `cap`: our own cap stopped the call before it was sent.
 * - `aborted`: the caller stopped it, or an error of ours did.
 */
export const modelFailureKinds = [
  "timeout",
  "rate-limited",
  "quota",
  "overloaded",
  "unreachable",
  "cut-off",
  "malformed",
  "refused",
  "auth",
  "no-such-model",
  "too-long",
  "bad-request",
  "cap",
  "aborted",
] as const;
export type ModelFailureKind = (typeof modelFailureKinds)[number];

export interface ModelFailure {
  readonly kind: ModelFailureKind;
  /** The HTTP status, if there was one. */
  readonly status: number | null;
  /** How long the provider asks to wait. */
  readonly retryAfterMs: number | null;
  /** For a person. Redacted; contains no keys and no headers. */
  readonly message: string;
  /** Not sent, because the price is unknown and models.unknownPrice is `refuse`. The kind is `cap`. */
  readonly isUnpriced?: true | undefined;
}

/** A server that is there, but hung up before its answer began. */
export const CLOSED = "the server closed the connection without an answer";
