import type { Approval } from "../../domain/approval/approval.ts";
import type { ErrorCode } from "../../lib/errors.ts";
import type { ClosedCall, TurnEndReason } from "./entry.ts";

/**
 * What a turn reports while it runs. Terminal, HTTP and `ask` show these; nothing else decides what a person sees. They may
 * contain secrets: `shownEvents` has them without.
 */
export type TurnEvent =
  | { readonly kind: "turn-start"; readonly turn: number }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  /** What was streamed since the last tool call is void: the model `to` starts over. It may be the same one. */
  | { readonly kind: "restart"; readonly from: string; readonly to: string; readonly why: string }
  /** The provider is called again after this time. Whatever comes next ends the wait. */
  | { readonly kind: "wait"; readonly provider: string; readonly ms: number; readonly why: string }
  | {
      readonly kind: "tool-start";
      readonly id: string;
      readonly name: string;
      readonly summary: string;
      readonly input: unknown;
    }
  | { readonly kind: "tool-output"; readonly id: string; readonly text: string }
  | {
      readonly kind: "tool-end";
      readonly id: string;
      readonly name: string;
      /** The tool with its command, path or address. */
      readonly summary: string;
      readonly ok: boolean;
      /** In words for the person. */
      readonly text: string;
      readonly diff: string | null;
      /** Why the call has no result of its own: it did not run, or not to its end. */
      readonly closed: ClosedCall | null;
    }
  /** A person must decide. The turn waits until the approval is answered, there or elsewhere, or expires. */
  | { readonly kind: "approval"; readonly approval: Approval }
  | { readonly kind: "approval-answered"; readonly approval: Approval }
  /** A message that was typed during the turn: the model's next request contains it. */
  | { readonly kind: "steered"; readonly id: string; readonly text: string; readonly at: number }
  /** One line for the person: a rule was shown, an answer was healed, a budget runs low. */
  | { readonly kind: "notice"; readonly text: string }
  | { readonly kind: "compacted"; readonly tokensBefore: number; readonly tokensAfter: number }
  | { readonly kind: "usage"; readonly usage: SessionUsage }
  | {
      readonly kind: "turn-end";
      readonly turn: number;
      readonly reason: TurnEndReason;
      readonly message: string | null;
      readonly code?: ErrorCode | undefined;
    };

/** The sums of a session so far, for the status line. */
export interface SessionUsage {
  readonly model: string | null;
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly tokensCached: number;
  /** Dollars. */
  readonly cost: number;
  /** Tokens of the last request, and of the model's window if it is known. */
  readonly contextTokens: number;
  readonly contextWindow: number | null;
}
