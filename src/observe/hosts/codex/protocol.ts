import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { hashText } from "../../../lib/hash.ts";
import { isRecord, stringOr, nonEmptyText } from "../../../lib/json.ts";
import type { ContextLimits, Protocol } from "../../protocol/host.ts";
import {
  type Reply,
  type HookEventBase,
  joinReasonAndContext,
  type HookEvent,
  toSystemMessage,
} from "../../protocol/hook-event.ts";
import { findCallEnd } from "./call-end.ts";
import { readMarkedMessage } from "../../protocol/marked-message.ts";
import { detectCodexScreen } from "./screen.ts";

/** Above 2,500 tokens (counted as four bytes each), Codex writes the text to a file and shows only its beginning. */
const MOST = 9_000;

const contextLimits: ContextLimits = {
  "session-start": MOST,
  prompt: MOST,
  "before-call": MOST,
  "after-call": MOST,
  stop: MOST,
};

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: true };

export const codexProtocol: Protocol = {
  contextLimits,
  calls,
  personMoments: ["session-start", "stop"],
  decode,
  encode,
  readNewTranscriptLines: async (ctx, event) => {
    if (idleMoments.has(event.moment))
      await (await import("./new-transcript-lines.ts")).readNewTranscriptLines(ctx, event);
  },
};

/** Moments when no tool waits, so there is time to read what the hooks missed. */
const idleMoments: ReadonlySet<HookEvent["moment"]> = new Set(["session-start", "prompt", "stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;

function decode(payload: unknown): readonly HookEvent[] {
  if (!isRecord(payload) || typeof payload["session_id"] !== "string" || payload["session_id"] === "") return [];
  const common: HookEventBase = {
    host: "codex",
    session: payload["session_id"],
    cwd: nonEmptyText(payload["cwd"]),
    model: nonEmptyText(payload["model"]),
    agent: nonEmptyText(payload["agent_id"]),
    transcript: nonEmptyText(payload["transcript_path"]),
  };
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [
        {
          ...common,
          ...detectCodexScreen(common.transcript),
          moment: "session-start",
          source: nonEmptyText(payload["source"]),
        },
      ];
    case "UserPromptSubmit":
      return parsePrompt(common, payload);
    case "PreToolUse":
      return parseCall(payload).map((call) => ({ ...common, moment: "before-call", ...call }));
    case "PostToolUse":
      return parseCall(payload).map((call) => ({
        ...common,
        moment: "after-call",
        ...call,
        ...parseResult(common, payload),
      }));
    case "Stop":
      return [
        {
          ...common,
          ...detectCodexScreen(common.transcript),
          moment: "stop",
          again: payload["stop_hook_active"] === true,
          ...readMarkedMessage(payload),
        },
      ];
    case "SessionEnd":
      return [{ ...common, moment: "session-end", reason: nonEmptyText(payload["reason"]) }];
    default:
      return [];
  }
}

/** If the reply has an unknown key or decision, Codex drops all of it. */
function encode(event: HookEvent, reply: Reply): string {
  const hookEventName = eventNames[event.moment];
  const { context, decision } = reply;
  const systemMessage = toSystemMessage(reply);
  if (event.moment === "stop" && context !== undefined)
    return JSON.stringify({ ...systemMessage, decision: "block", reason: cutContext(context) });
  if (context === undefined && reply.forPerson !== undefined) return JSON.stringify(systemMessage);
  if (hookEventName === undefined) return "";
  if (event.moment === "before-call" && decision?.kind === "deny") {
    // Early versions refuse a context next to a decision, so it is added to the reason.
    const permissionDecisionReason = cutContext(joinReasonAndContext(decision.reason, context));
    return encodeOutput({ hookEventName, permissionDecision: "deny", permissionDecisionReason });
  }
  // Codex cannot ask its user; the question is given to the model instead.
  const text = joinReasonAndContext(event.moment === "before-call" ? decision?.reason : undefined, context);
  return text === "" ? "" : encodeOutput({ hookEventName, additionalContext: cutContext(text) }, systemMessage);
}

/** The moments at which a context reaches the model. */
const eventNames: Readonly<Partial<Record<HookEvent["moment"], string>>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "before-call": "PreToolUse",
  "after-call": "PostToolUse",
};

function encodeOutput(hookSpecificOutput: Readonly<Record<string, string>>, extra: object = {}): string {
  return JSON.stringify({ ...extra, hookSpecificOutput });
}

function cutContext(text: string): string {
  return text.slice(0, MOST);
}

/** A sub-agent's prompt comes from another agent, not from a person. */
function parsePrompt(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const prompt = stringOr(payload["prompt"], "");
  if (prompt === "" || common.agent !== null) return [];
  return [{ ...common, moment: "prompt", prompt, promptId: codexPromptId(nonEmptyText(payload["turn_id"]), prompt) }];
}

/** A turn may get several prompts, typed while it runs; the transcript has no better id. */
export function codexPromptId(turn: string | null, prompt: string): string | null {
  return turn === null ? null : `${turn}:${hashText(prompt)}`;
}

function parseCall(payload: Payload): readonly { tool: string; input: unknown; callId: string | null }[] {
  const tool = nonEmptyText(payload["tool_name"]);
  return tool === null
    ? []
    : [{ tool, input: payload["tool_input"] ?? null, callId: nonEmptyText(payload["tool_use_id"]) }];
}

/** The payload does not show whether a command failed; the transcript already does. */
function parseResult(common: HookEventBase, payload: Payload) {
  const callId = nonEmptyText(payload["tool_use_id"]);
  const response = payload["tool_response"];
  const end = common.transcript === null || callId === null ? null : findCallEnd(common.transcript, callId);
  return {
    ok: end?.ok ?? !(isRecord(response) && response["isError"] === true),
    text: parseCodexResult(response),
    exitCode: end?.exitCode ?? null,
    durationMs: end?.durationMs ?? null,
  };
}

/** Codex's own tools return a string, other tools what their server returned. */
export function parseCodexResult(result: unknown): string | null {
  if (typeof result === "string") return result;
  const content = isRecord(result) ? result["content"] : result;
  if (typeof content === "string") return content;
  const texts = Array.isArray(content)
    ? content.filter(isRecord).flatMap((part) => nonEmptyText(part["text"]) ?? [])
    : [];
  if (texts.length > 0) return texts.join("\n");
  return result === undefined || result === null ? null : JSON.stringify(result);
}
