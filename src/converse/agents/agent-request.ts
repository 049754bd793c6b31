import type { ModelRef } from "../../domain/model/model-ref.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import type { Tier } from "../../recall/memory/recall.ts";

/** One task for a named agent. */
export interface AgentRequest {
  readonly agent: string;
  readonly prompt: string;
  readonly taskType: string;
  /** Data for the task: a text or any JSON value. It is quoted as data, never followed as instructions. */
  readonly context?: unknown;
  readonly complexity?: Complexity | undefined;
  readonly maxTokens: number;
  readonly preferredProvider?: string | undefined;
  /** Only this model does the task. */
  readonly model?: ModelRef | undefined;
  /** Other models may follow if `model` fails. */
  readonly fallback?: boolean | undefined;
  /** The caller's name for the session. Without it, a new session begins. */
  readonly session?: string | undefined;
  /** Whether the response cache may answer an equal request. Default: only for the first request of a session. */
  readonly cache?: boolean | undefined;
  /** A stream that fails after its first piece may start over. */
  readonly mayRestart?: boolean | undefined;
}

export interface AgentAnswer {
  readonly response: string;
  readonly provider: string;
  readonly model: string;
  /** In dollars. */
  readonly cost: number;
  /** The answer was cut at `maxTokens`. */
  readonly truncated: boolean;
  /** What a person should know besides the answer: it was cut, or a cap is nearly used. */
  readonly warnings: readonly string[];
  readonly cached: boolean;
  readonly healed: boolean;
  /** Why this model: one sentence each. */
  readonly route: readonly string[];
  /** What was recalled and sent with the prompt; empty if the answer is from the cache. */
  readonly memory: readonly RecalledPiece[];
  /** The id of the model call: `feedback` takes it. */
  readonly call: string;
  readonly session: string;
}

/** One recalled item, exactly as it was sent. */
export interface RecalledPiece {
  readonly tier: Exclude<Tier, "aggregate">;
  readonly id: string;
  readonly text: string;
  readonly at: number | null;
}

/** An item of the stream before the answer. */
export type AgentPiece =
  | { readonly text: string }
  /** The model `to` starts over, which may be the same one; discard all earlier pieces. */
  | { readonly restart: { readonly from: string; readonly to: string; readonly why: string } };
