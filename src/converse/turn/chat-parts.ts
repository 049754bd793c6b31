import type { Actor } from "../../domain/actor.ts";
import type { Approval, ApprovalReach } from "../../domain/approval/approval.ts";
import type { ChatMode } from "../../domain/settings/chat-mode.ts";
import type { Gateway, GatewayRequest } from "../../models/gateway/gateway.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tools/tool.ts";
import type { UndoResult } from "./chat-session.ts";
import type { Entry, EntryDetails, SpentOnCalls } from "./entry.ts";

/** What the turn loop is put together from. Tests give their own. */
export interface ChatParts {
  readonly gateway: Gateway;
  /** Sorted by name; the set depends on settings only. */
  readonly tools: (of: { readonly workspace: string; readonly mode: ChatMode }) => Promise<readonly AgentTool[]>;
  readonly approvals: ApprovalParts;
  /** Null: the context is never compacted. */
  readonly compaction: CompactionParts | null;
  /** Null: only the conversation is taken back by an undo. */
  readonly checkpoints: ((session: string) => CheckpointParts) | null;
  /** How many tokens fit into a model; for null, into the largest of those that may answer now. Null if nobody knows. */
  readonly windowOf: (model: string | null) => Promise<number | null>;
}

export type CallPermission =
  /** `approval`: how far the earlier yes reaches that covers the call; null if it needs none. */
  | RunPermission
  /** `reason` is for the model, `forPerson` for the person. */
  | { readonly kind: "refuse"; readonly reason: string; readonly forPerson: string }
  /** It cannot work, so nobody is asked: its result. */
  | { readonly kind: "fail"; readonly result: ToolResult }
  /** `unasked`: only a rule asks, and this is how the call runs without the rule; a yes allows no more. */
  | { readonly kind: "ask"; readonly approval: Approval; readonly unasked?: RunPermission | undefined };

/** `leavesSandbox`: as in `ToolContext`. */
export interface RunPermission extends Pick<ToolContext, "leavesSandbox"> {
  readonly kind: "run";
  readonly approval: ApprovalReach | null;
}

export interface ApprovalParts {
  decideCall(call: {
    readonly tool: AgentTool;
    readonly input: unknown;
    readonly tools: ToolContext;
    readonly hasPerson: boolean;
    /** A rule wants a person's yes, whatever the mode allows: the reason. */
    readonly because?: string | undefined;
    /** For what is stored about the call. */
    readonly redact?: (<T>(value: T) => Promise<T>) | undefined;
  }): Promise<CallPermission>;
  awaitApproval(id: string, signal: AbortSignal): Promise<Approval>;
  answerApproval(
    id: string,
    answer: { readonly yes: boolean; readonly reach?: ApprovalReach | undefined; readonly by: Actor },
  ): Promise<Approval>;
}

/** What a compaction may look at. */
export interface CompactionState {
  readonly session: string;
  readonly entries: readonly Entry[];
  /** What would be sent now: a compaction begins with the same bytes. */
  readonly request: GatewayRequest;
  /** Of that request, as far as it can be known, and how many fit. */
  readonly tokens: number;
  readonly window: number;
  readonly why: "preflight" | "too-long" | "manual";
}

export type CompactionOutcome =
  | { readonly kind: "compacted"; readonly entry: Extract<EntryDetails, { readonly kind: "compaction" }> }
  /** `spent`: on a summary that was not used. */
  | { readonly kind: "handoff"; readonly message: string; readonly spent?: SpentOnCalls | undefined }
  | { readonly kind: "nothing"; readonly spent?: SpentOnCalls | undefined };

export interface CompactionParts {
  isDue(state: CompactionState): boolean;
  compact(state: CompactionState): Promise<CompactionOutcome>;
}

export interface CheckpointParts {
  beforeChange(turn: number, path: string): Promise<void>;
  afterChange(turn: number, path: string): Promise<void>;
  undo(turn: number): Promise<UndoResult>;
}
