import type { z } from "zod";
import type { Context } from "../../context.ts";
import type { ApprovalReach } from "../../domain/approval/approval.ts";
import type { Action } from "../../domain/approval/decide-action.ts";
import type { ChatMode } from "../../domain/settings/chat-mode.ts";
import type { ToolEffect } from "../../domain/approval/tool-effect.ts";
import type { Sandbox } from "./sandbox.ts";

/** A tool of oldhand's own agent. It decides nothing about permission: that is done before it runs. */
export interface AgentTool<Input extends z.ZodObject = z.ZodObject> {
  /** As the model calls it: lower case, with underscores. */
  readonly name: string;
  /** For the model: what it does, and when to use it. Part of the frozen prompt, so it never changes within a session. */
  readonly description: string;
  readonly input: Input;
  readonly effect: ToolEffect;
  /** True if a call costs next to nothing; it is not counted against the iteration budget. */
  readonly isCheap: boolean;
  /** True if equal calls are expected, as when it waits for something; the guardrail lets them pass. */
  isPoller?(input: z.output<Input>): boolean;
  /** What a yes for the session or for always covers; the same text for equal actions. */
  describeAction(input: z.output<Input>): string;
  /**
   * Where this call takes effect. It looks and changes nothing. Absent: inside the workspace, with the tool's effect.
   */
  examine?(ctx: ToolContext, input: z.output<Input>): Promise<ExaminedAction>;
  /**
   * The result of a call that can change nothing whatever is approved, such as an edit of a text that is not there. Null
   * if it can work. Nobody is asked about a call that cannot. It looks at ordinary files only, and changes nothing.
   */
  checkAhead?(ctx: ToolContext, input: z.output<Input>): Promise<ToolResult | null>;
  /** One line for people, such as `edit src/cart.ts` or `run npm test`. */
  summarise(input: z.output<Input>): string;
  /** What a person is shown before the yes: the diff, the whole command. Null if the summary says it all. */
  preview?(ctx: ToolContext, input: z.output<Input>): Promise<string | null>;
  /**
   * Must not throw for what the model can cause: bad paths, failing commands and refused addresses are results with
   * `ok: false`. After `ctx.signal` aborts, it returns soon and has ended what it started.
   */
  run(ctx: ToolContext, input: z.output<Input>): Promise<ToolResult>;
}

/** The effect is given only if it differs from the tool's. */
export type ExaminedAction = Omit<Action, "effect"> & Partial<Pick<Action, "effect">>;

export interface ToolResult {
  readonly ok: boolean;
  /** For the model: data, already cut to the tool's limit. */
  readonly text: string;
  /** Shown to the person instead of `text`, if that is written for the model. */
  readonly forPerson?: string | undefined;
  /** Of a program that ran. */
  readonly exitCode?: number | null | undefined;
  /** For people: what changed, as a unified diff. */
  readonly diff?: string | undefined;
  /** Where the text comes from: quoted as data of that origin. `owner` only for what the owner wrote. */
  readonly origin?: "owner" | "agent" | "tool" | "external" | undefined;
}

/** What a tool may use. */
export interface ToolContext {
  readonly mind: Pick<Context, "db" | "config" | "clock" | "models">;
  readonly session: string;
  /** Identifies the call: its id in the model's message. */
  readonly callId: string;
  readonly turn: number;
  readonly cwd: string;
  /** The folder that file tools stay in. */
  readonly workspace: string;
  /** The workspace that memories are kept for; absent: the same. */
  readonly project?: string | undefined;
  readonly mode: ChatMode;
  /**
   * How far the yes reaches that lets this call run: `approval` of `decideToolCall`, or the reach of the answered approval.
   * Null or absent if it runs without a yes; a tool then does no more than the mode allows by itself.
   */
  readonly approval?: ApprovalReach | null | undefined;
  /** Whether a command leaves the sandbox by that yes. Absent: with a yes for once it does, with any other it does not. */
  readonly leavesSandbox?: boolean | undefined;
  /** What commands are run in. Null if there is none; absent: what is found on this machine. */
  readonly sandbox?: Sandbox | null | undefined;
  readonly signal: AbortSignal;
  /** Output of a long-running call, as it comes. */
  readonly report: (text: string) => void;
  /** One line for the person. */
  readonly notify?: ((text: string) => void) | undefined;
  /** To be called before a file is changed or deleted, so that the turn can be undone. */
  readonly beforeChange: (path: string) => Promise<void>;
  /** To be called after a file was changed or deleted. */
  readonly afterChange: (path: string) => Promise<void>;
  /** Runs a task in a context of its own, under the same budget, caps and mode. Its last message is the result. */
  readonly runSubAgent: (task: string) => Promise<ToolResult>;
}
