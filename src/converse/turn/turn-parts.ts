import type { Context } from "../../context.ts";
import type { ChatMode } from "../../domain/settings/chat-mode.ts";
import type { StepBudget } from "../../domain/turn/budget.ts";
import type { GuardrailState } from "../../domain/turn/guardrail.ts";
import type { ErrorCode } from "../../lib/errors.ts";
import type { Reply } from "../../observe/protocol/hook-event.ts";
import type { StoredChatSession } from "../../store/chat/chat-sessions.ts";
import type { AgentTool, ToolResult } from "../tools/tool.ts";
import type { ChatParts, CheckpointParts } from "./chat-parts.ts";
import type { Entry, EntryDetails, SpentOnCalls, TurnEndReason } from "./entry.ts";
import type { TurnEvent } from "./turn-event.ts";

/** What the functions of one turn share. */
export interface TurnParts {
  readonly ctx: Context;
  readonly parts: ChatParts;
  readonly session: TurnSession;
  readonly log: EntryLog;
  readonly host: OwnHost;
  readonly checkpoints: CheckpointParts | null;
  readonly budget: StepBudget;
  readonly signal: AbortSignal;
  readonly emit: (event: TurnEvent) => void;
  /** The true texts of inbox messages that this process stored; the store has them without secrets. */
  readonly typed: ReadonlyMap<string, string>;
  /** What sub-agents of the session used, and calls that left no entry: nobody answered them. */
  readonly aside: SpentOnCalls[];
  readonly redact: Redactor;
  readonly runSubAgent: (turn: RunningTurn, task: string) => Promise<ToolResult>;
}

/** Makes a value storable: a mark stands for each secret, also for one that only an earlier part of the session shows to be one. */
export type Redactor = <T>(value: T) => Promise<T>;

/** The session as far as a turn must know it. */
export interface TurnSession {
  readonly id: string;
  readonly cwd: string;
  readonly workspace: string;
  /** The workspace whose rules and memories hold: the same, or the one of which it is a worktree. */
  readonly project: string;
  /** The session that it is a sub-agent of. */
  readonly parent: string | null;
  readonly hasPerson: boolean;
  readonly mode: () => ChatMode;
  /** Null: the gateway chooses. */
  readonly model: () => string | null;
  /** Other models may follow if that one fails. */
  readonly mayUseOthers: boolean;
  /** Where the person is, for what it is told to do. */
  readonly surface: ChatSurface | null;
}

/** What has a session open: a chat in a terminal, `ask`, the server for the dashboard, or a cycle. */
export type ChatSurface = "chat" | "ask" | "serve" | "cycle";

export interface TurnEnd {
  readonly reason: TurnEndReason;
  readonly message: string | null;
  /** If an error ended it: its kind, as for every command. */
  readonly code?: ErrorCode | undefined;
}

export interface RunningTurn extends TurnParts {
  readonly number: number;
  /** The tools of the frozen prompt, by name. */
  tools: ReadonlyMap<string, AgentTool>;
  guardrail: GuardrailState;
  /** How many calls the guardrail refused. */
  refusals: number;
  /** The model of which the turn has said that it answers in place of another: once is enough. */
  instead: string | null;
  /** Tokens that the model which reads the results of tools holds; null if nobody knows. */
  window: number | null;
  /** What the person's last message had that looks like secrets, as it is stored, and who was said to get it. */
  secrets: {
    readonly marks: readonly string[];
    readonly told: readonly ("placeholder" | "clear" | "nobody")[];
  } | null;
}

/** The entries of a session: in memory as they are, in the store and in the JSONL file without secrets. */
export interface EntryLog {
  readonly session: () => StoredChatSession;
  entries(): readonly Entry[];
  /** Resolves when the entry is stored. Several at once are stored in the order of the calls. */
  append(details: EntryDetails): Promise<Entry>;
  /** Mode or model of a session that has no entries yet. */
  preset(fields: Partial<Pick<StoredChatSession, "mode" | "model">>): void;
}

/** oldhand's own agent as a host: what it does is observed and judged like the work of any other agent. */
export interface OwnHost {
  start(source: "startup" | "resume" | "compact"): Promise<void>;
  /** A text for the model, or null. */
  prompt(text: string, id: string): Promise<string | null>;
  beforeCall(call: OwnCall): Promise<Reply>;
  /** The calls of one answer of the model have ended: it reads their results before it makes the next one. */
  endBatch(): Promise<void>;
  afterCall(call: OwnCall, result: ToolResult, ms: number): Promise<string | null>;
  /** The model's words, for replay and search. */
  answer(text: string, call: string, model: string): Promise<void>;
  stop(text: string): Promise<void>;
  end(reason: string): Promise<void>;
}

export interface OwnCall {
  readonly tool: string;
  readonly input: unknown;
  readonly callId: string;
}
