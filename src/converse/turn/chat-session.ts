import type { ApprovalReach } from "../../domain/approval/approval.ts";
import type { ChatMode } from "../../domain/settings/chat-mode.ts";
import type { Entry } from "./entry.ts";
import type { SessionUsage, TurnEvent } from "./turn-event.ts";
import type { Redactor } from "./turn-parts.ts";

/** An open session of oldhand's own agent: what terminal, HTTP and `ask` work with. One process has it at a time. */
export interface ChatSession {
  readonly id: string;
  readonly cwd: string;
  readonly workspace: string;
  readonly title: string;
  mode(): ChatMode;
  /** The mode that a session was left in, if it goes on in another one; else null. */
  readonly modeBefore: ChatMode | null;
  model(): string | null;
  usage(): SessionUsage;
  entries(): readonly Entry[];
  /** Makes what a surface shows free of secrets, with all that this session knows. */
  readonly redact: Redactor;
  /**
   * Runs one turn. The message is stored before the first model call. Messages that wait in the inbox when the turn is
   * over are the next turn's: ask `nextQueued`.
   */
  send(text: string): AsyncIterable<TurnEvent>;
  /** Stores a message for the running turn: the model sees it with its next call. Without a running turn it waits. */
  steer(text: string): Promise<{ readonly id: string }>;
  /** Stores a message for after this turn. */
  queue(text: string): Promise<{ readonly id: string }>;
  nextQueued(): Promise<WaitingMessage | null>;
  /** Messages that no turn has taken yet, the oldest first. */
  listWaiting(): Promise<readonly WaitingMessage[]>;
  /** Removes a message that waits. One that a turn has taken meanwhile stays. */
  drop(id: string): Promise<void>;
  /** Stops the running turn; what happened stays. Resolves when the turn has ended. */
  stop(): Promise<void>;
  answerApproval(id: string, yes: boolean, reach?: ApprovalReach): Promise<void>;
  setMode(mode: ChatMode): Promise<void>;
  /** Null: the gateway chooses, and stays with its choice in this session. */
  setModel(model: string | null): Promise<void>;
  compact(): AsyncIterable<TurnEvent>;
  /** Takes back the last turn and its file changes, or says which files changed since. */
  undo(): Promise<UndoResult>;
  /** Ends the session for this process; it can be opened again. */
  close(): Promise<void>;
}

export interface WaitingMessage {
  readonly id: string;
  /** `steer`: for the turn that runs. `queue`: for after it. */
  readonly kind: "steer" | "queue";
  readonly text: string;
}

export type UndoResult =
  | {
      readonly kind: "undone";
      readonly turn: number;
      readonly text: string;
      /** Files that are as they were before the turn. */
      readonly files: readonly string[];
      /** Files that changed since the turn began by other ways, such as a shell command. They stay as they are. */
      readonly others?: readonly string[] | undefined;
    }
  | { readonly kind: "refused"; readonly changed: readonly string[] }
  | { readonly kind: "nothing" };
