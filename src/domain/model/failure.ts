/**
 * Why a model call failed:
 * - `timeout`: no first token, or no further one, within the time limit.
 * - `rate-limited`: 429. `quota`: 429 or 402 that waiting does not help: credit or a subscription's limit is used up.
 * - `overloaded`: 5xx. `unreachable`: no connection.
 * - `cut-off`: the stream ended before its last event.
 * - `malformed`: the answer is not what the protocol says, or a tool call's input is not valid JSON.
 * - `refused`: the provider or the model refused to answer, or refused a tool.
 * - `auth`: the key is missing or wrong. `no-such-model`: unknown or retired.
 * - `too-long`: the prompt does not fit into the context window. `bad-request`: any other 4xx.
 * - `cap`: our own cap stopped the call before it was sent.
 * - `aborted`: the caller stopped it.
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
  /** For a person: redacted, without keys and without headers. */
  readonly message: string;
}
