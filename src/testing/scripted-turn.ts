/** What the scripted model does in one turn: it speaks, or the service answers with an error. */
export type ScriptedTurn =
  | ({ readonly text: string } & TurnExtras)
  | ({ readonly text?: string; readonly calls: readonly ScriptedCall[] } & TurnExtras)
  | ({ readonly error: ScriptedError } & Pick<TurnExtras, "delayMs">);

export type SpokenTurn = Exclude<ScriptedTurn, { readonly error: unknown }>;

export interface ScriptedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The input as it goes over the wire, where an API sends it as text: for one that is not JSON. */
  readonly raw?: string;
  /** In the Responses API, where the tool is; without it, where the request offered one of that name. */
  readonly namespace?: string;
}

export interface ScriptedError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** The header `retry-after`: seconds, or an HTTP date. */
  readonly retryAfter?: number | string;
}

export interface TurnExtras {
  /** What the model thinks before it speaks. The signature goes back with the next request where the API has one. */
  readonly reasoning?: { readonly text: string; readonly signature?: string };
  /** Tokens; what is left out is 100 in, 20 out, and none of the others. */
  readonly usage?: ScriptedUsage;
  /** Why the model stopped, if not because it was done: it reached its most tokens, or it refused to answer. */
  readonly stop?: "length" | "refusal";
  /** In how many pieces a stream has each text and each input of a call. One if left out. */
  readonly pieces?: number;
  /** How long the server waits before the first byte, and between two events of a stream. */
  readonly delayMs?: number;
  readonly pauseMs?: number;
  readonly fault?: ScriptedFault;
}

/** As oldhand counts: `cached` and `cacheWrite` are part of `in`, `reasoning` is part of `out`. */
export interface ScriptedUsage {
  readonly in?: number;
  readonly out?: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/**
 * What goes wrong while the answer is sent. `after` counts events of the stream; an answer that is no stream has one.
 * - `half-closed`: the stream ends as if it were complete.
 * - `reset`: the connection is torn down.
 * - `silence`: nothing more comes, and the connection stays open.
 * - `truncated`: the next event has only the first half of its JSON, and the stream ends.
 * - `error-event`: the next event is an error, in the API's own form.
 * - `trickle`: the bytes come one by one, with a pause after each.
 * - `wrong-type`: status 200, and a page for people instead of an answer.
 */
export type ScriptedFault =
  | { readonly kind: "half-closed" | "reset" | "silence" | "truncated"; readonly after: number }
  | { readonly kind: "error-event"; readonly after: number; readonly type: string; readonly message: string }
  | { readonly kind: "trickle"; readonly everyMs: number }
  | { readonly kind: "wrong-type"; readonly type?: string };

export function callsOf(turn: SpokenTurn): readonly ScriptedCall[] {
  return "calls" in turn ? turn.calls : [];
}

export function tokensOf({ usage = {} }: TurnExtras): Required<ScriptedUsage> {
  return { in: 100, out: 20, cached: 0, cacheWrite: 0, reasoning: 0, ...usage };
}

/** A text in as many pieces as the turn says, and no empty one. */
export function piecesOf(text: string, { pieces = 1 }: TurnExtras): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return text === ""
    ? []
    : Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}
