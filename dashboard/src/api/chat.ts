import type { ApiResult } from "./api-result.ts";
import { postJson } from "./call.ts";

/** What oldhand's own agent may do without your yes. */
export const chatModes = ["read-only", "ask", "edit", "unattended"] as const;
export type ChatMode = (typeof chatModes)[number];

export type LiveTool = {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly output: string;
};

/** What runs in a session now and is in no entry yet. */
export type LiveTurn = {
  readonly work: "turn" | "compaction";
  readonly text: string;
  readonly reasoning: string;
  /** An answer with a higher number contains the text. */
  readonly since: number;
  readonly tools: readonly LiveTool[];
  /** The provider is called again at that time, in milliseconds. */
  readonly wait: ModelWait | null;
};

export type ModelWait = { readonly provider: string; readonly why: string; readonly until: number };

export type WaitingMessage = { readonly id: string; readonly kind: "steer" | "queue"; readonly text: string };

/** A session beside its entries, as `/api/live?session=ID` sends it. */
export type ChatState = {
  readonly session: string;
  readonly mode: ChatMode;
  readonly model: string | null;
  readonly access: "free" | "here" | "elsewhere" | "sub-agent";
  readonly holder: string | null;
  readonly live: LiveTurn | null;
  /** Lines for the person of what runs now, or ran last. */
  readonly notices: readonly string[];
  readonly waiting: readonly WaitingMessage[];
  readonly usage: { readonly contextTokens: number; readonly contextWindow: number | null } | null;
};

export type SentMessage = { readonly session: string; readonly as: "turn" | "steer" | "queue" };

export type UndoneTurn =
  | {
      readonly kind: "undone";
      readonly text: string;
      readonly files: readonly string[];
      readonly others?: readonly string[];
    }
  | { readonly kind: "refused"; readonly changed: readonly string[] }
  | { readonly kind: "nothing" };

type ChatCalls = {
  readonly send: {
    readonly input: {
      readonly session: string | null;
      readonly text: string;
      readonly workspace?: string;
      readonly mode?: ChatMode;
      readonly model?: string;
      readonly meanwhile?: "steer" | "queue";
    };
    readonly output: SentMessage;
  };
  readonly "send-waiting": { readonly input: { readonly session: string }; readonly output: SentMessage };
  readonly "remove-waiting": {
    readonly input: { readonly session: string; readonly message: string };
    readonly output: object;
  };
  readonly stop: { readonly input: { readonly session: string }; readonly output: object };
  readonly undo: { readonly input: { readonly session: string }; readonly output: UndoneTurn };
  readonly compact: { readonly input: { readonly session: string }; readonly output: object };
  readonly mode: { readonly input: { readonly session: string; readonly mode: ChatMode }; readonly output: object };
  readonly model: {
    readonly input: { readonly session: string; readonly model: string | null };
    readonly output: object;
  };
};

export function callChat<Name extends keyof ChatCalls>(
  name: Name,
  input: ChatCalls[Name]["input"],
): Promise<ApiResult<ChatCalls[Name]["output"]>> {
  return postJson<ChatCalls[Name]["output"]>(`chat/${name}`, input);
}
