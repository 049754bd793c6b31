import type { ChatMode } from "../../domain/settings/chat-mode.ts";
import type { TokenUsage } from "../../domain/model/usage.ts";
import type { ChatMessage } from "../../models/chat/chat.ts";

/**
 * One entry of a session of oldhand's own agent. Entries are only appended. What the model is sent is computed from them
 * alone, so a session that is opened again sends the same bytes.
 */
export type Entry = EntryBase & EntryDetails;

export interface EntryBase {
  readonly session: string;
  /** From 1, without gaps. Two processes that write the same number: the second one is refused. */
  readonly seq: number;
  readonly at: number;
}

export type EntryDetails =
  /** The system prompt and the tools, frozen until the next compaction. */
  | { readonly kind: "system"; readonly text: string; readonly hash: string; readonly tools: readonly string[] }
  /** What a person wrote. `inbox` is the message's id there, if it waited. */
  | {
      readonly kind: "user";
      readonly turn: number;
      readonly text: string;
      readonly inbox: string | null;
      /** A turn that was running took it. Absent otherwise, and in older entries. */
      readonly isSteered?: true | undefined;
    }
  /** What oldhand adds for the model at a moment (rules, memories, the date): data, never a person's words. */
  | { readonly kind: "note"; readonly turn: number; readonly text: string }
  /** One answer of the model, as it goes back with the next request. */
  | {
      readonly kind: "assistant";
      readonly turn: number;
      readonly message: ChatMessage;
      readonly call: string;
      readonly model: string;
      readonly usage: TokenUsage;
      readonly cost: number;
      readonly finish: string;
      /** Tokens of the request that was answered and of its answer, if `usage` has those of failed attempts too. */
      readonly context?: number | undefined;
    }
  /** The result of one tool call. `closed` says why a call has no result of its own: the process died, the turn was stopped. */
  | {
      readonly kind: "tool";
      readonly turn: number;
      readonly id: string;
      readonly name: string;
      readonly ok: boolean;
      /** As the model is sent it. */
      readonly text: string;
      /** Shown to the person instead of `text`, if that is written for the model. Absent in older entries. */
      readonly forPerson?: string | undefined;
      readonly exitCode: number | null;
      readonly diff: string | null;
      readonly closed: ClosedCall | null;
      readonly ms: number;
    }
  /** From here on, the model is sent the summary instead of what came before `keepFrom`. */
  | {
      readonly kind: "compaction";
      readonly summary: string;
      readonly keepFrom: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly call: string | null;
      /** What the summary cost. Absent in older entries. */
      readonly spent?: SpentOnCalls | undefined;
    }
  /** Its content was forgotten. The number stays. */
  | { readonly kind: "forgotten"; readonly turn: number }
  | { readonly kind: "mode"; readonly mode: ChatMode }
  | { readonly kind: "model"; readonly model: string | null }
  /** The turn and everything after it are no longer sent. */
  | { readonly kind: "undo"; readonly turn: number; readonly files: readonly string[] }
  | {
      readonly kind: "turn-end";
      readonly turn: number;
      readonly reason: TurnEndReason;
      readonly message: string | null;
    };

export const closedCalls = ["died", "stopped", "refused", "guardrail"] as const;
export type ClosedCall = (typeof closedCalls)[number];

/** What some model calls used together; `cost` in dollars. */
export interface SpentOnCalls {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly tokensCached: number;
  readonly cost: number;
}

/**
 * Why a turn ended: `done` (the model had nothing more to call), `stopped` (a person), `budget` (iterations used up),
 * `capped` (a money cap), `failed` (no model answered), `handoff` (the context is full and cannot be compacted),
 * `died` (the process; written when the session is opened again).
 */
export const turnEndReasons = ["done", "stopped", "budget", "capped", "failed", "handoff", "died"] as const;
export type TurnEndReason = (typeof turnEndReasons)[number];
