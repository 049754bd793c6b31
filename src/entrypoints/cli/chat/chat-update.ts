import type { ApprovalReach } from "../../../domain/approval/approval.ts";
import type { ClosedCall, TurnEndReason } from "../../../converse/turn/entry.ts";
import type { SessionUsage } from "../../../converse/turn/turn-event.ts";

/** What a chat reports to the surface that shows it: a terminal screen or plain lines. Texts have no secrets in them. */
export type ChatUpdate =
  | {
      readonly kind: "ready";
      readonly session: string;
      /** The number of its last entry; 0 if it is new. */
      readonly last: number;
      /** The end of a session that was opened again. */
      readonly shown: readonly ShownPiece[];
      /** How many messages came before. */
      readonly earlier: number;
      /** What was typed in this workspace before, the newest first. */
      readonly history: readonly string[];
      readonly models: readonly string[];
    }
  | { readonly kind: "status"; readonly status: ChatStatus }
  /** `isAside`: it is no part of the turn that may run, so what is streamed goes on after it. */
  | { readonly kind: "piece"; readonly piece: ShownPiece; readonly isAside?: boolean }
  /** The command that was typed: what follows is its result. */
  | { readonly kind: "command"; readonly text: string }
  /** All of the answer so far, or of the reasoning before it. */
  | { readonly kind: "answer" | "reasoning"; readonly text: string }
  /** What was streamed since the last tool call is void. */
  | { readonly kind: "void" }
  | { readonly kind: "tool-start"; readonly id: string; readonly summary: string }
  | { readonly kind: "tool-output"; readonly id: string; readonly text: string }
  | { readonly kind: "question"; readonly question: ChatQuestion }
  /** Null: the call says it by itself. */
  | { readonly kind: "question-answered"; readonly id: string; readonly text: string | null }
  /** The provider is called again after this time. Whatever comes next ends the wait. */
  | { readonly kind: "model-wait"; readonly provider: string; readonly ms: number; readonly why: string }
  /** Messages that wait, the oldest first. */
  | { readonly kind: "waiting"; readonly messages: readonly WaitingText[] }
  | { readonly kind: "turn-start" }
  | { readonly kind: "turn-end"; readonly reason: TurnEndReason; readonly text: string | null }
  /** A message that was refused: it is the person's to keep. */
  | { readonly kind: "unsent"; readonly text: string }
  /** A text that the person may want to change and send again. */
  | { readonly kind: "draft"; readonly text: string }
  /** The person typed /quit. */
  | { readonly kind: "leave" };

/** After such an end, what was streamed of the last answer is not kept: it is void. */
export const HAS_NO_ANSWER: ReadonlySet<TurnEndReason> = new Set(["failed", "capped"]);

/** `steer`: for the turn that runs. `queue`: for after it. */
export interface WaitingText {
  /** Its id in the inbox. */
  readonly id: string;
  readonly kind: "steer" | "queue";
  readonly text: string;
}

/** One piece of a conversation that does not change any more. */
export type ShownPiece =
  | { readonly kind: "user"; readonly text: string; readonly taken?: TakenMessage | undefined }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "notice"; readonly text: string }
  | { readonly kind: "error"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly id: string;
      readonly summary: string;
      readonly ok: boolean;
      readonly text: string;
      readonly diff: string | null;
      /** Why the call has no result of its own. */
      readonly closed: ClosedCall | null;
    };

/** A message that waited: which turn took it, and when. */
export interface TakenMessage {
  readonly as: WaitingText["kind"];
  readonly at: number;
}

export interface ChatStatus extends Pick<SessionUsage, "cost" | "contextTokens" | "contextWindow"> {
  readonly mode: string;
  /** Null: the router chooses. */
  readonly model: string | null;
}

/** An action that needs a person's yes. */
export interface ChatQuestion {
  readonly id: string;
  readonly summary: string;
  readonly detail: string;
  readonly reason: string;
  /** A sentence: what a yes for the session, or for always, covers. Empty if it is for this call only. */
  readonly covers: string;
  readonly isOnceOnly: boolean;
}

/** What a surface sends to a chat. */
export type ChatInput =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "stop" }
  | { readonly kind: "answer"; readonly id: string; readonly yes: boolean; readonly reach?: ApprovalReach | undefined }
  | { readonly kind: "close" };
