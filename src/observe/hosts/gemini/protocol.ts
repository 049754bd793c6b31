import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { isRecord, stringOr, nonEmptyText } from "../../../lib/json.ts";
import { type ContextLimits, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import {
  type Reply,
  type CallFields,
  type HookEventBase,
  type HookEvent,
  toSystemMessage,
} from "../../protocol/hook-event.ts";
import { buildCallId, findLastMessageId, buildPromptId } from "./message-ids.ts";
import { parseGeminiCommandEnd, readGeminiParts, removeHookContext } from "./texts.ts";

const contextLimits: ContextLimits = {
  "session-start": UNBOUNDED,
  prompt: UNBOUNDED,
  "after-call": UNBOUNDED,
  stop: UNBOUNDED,
};

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "hangs", holds: true };

export const geminiProtocol: Protocol = {
  contextLimits,
  calls,
  // Not at stop: there the message would replace the reason to continue.
  personMoments: ["session-start"],
  decode,
  encode,
  readNewTranscriptLines: async (ctx, event) => {
    if (idleMoments.has(event.moment)) await (await import("./transcript.ts")).readNewTranscriptLines(ctx, event);
  },
};

/** Moments when no tool waits, so there is time to read what the hooks missed. */
const idleMoments: ReadonlySet<HookEvent["moment"]> = new Set(["session-start", "prompt", "stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;

function decode(payload: unknown, env: Readonly<Record<string, string | undefined>>): readonly HookEvent[] {
  if (!isRecord(payload) || typeof payload["session_id"] !== "string" || payload["session_id"] === "") return [];
  // Qwen Code, a fork, reads the same settings and has some of the same events.
  if (env["QWEN_CODE_SESSION_ID"] === payload["session_id"]) return [];
  const common: HookEventBase = {
    host: "gemini",
    session: payload["session_id"],
    cwd: nonEmptyText(payload["cwd"]),
    model: null,
    agent: null,
    transcript: nonEmptyText(payload["transcript_path"]),
  };
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [{ ...common, moment: "session-start", source: nonEmptyText(payload["source"]) }];
    case "BeforeAgent":
      return parsePrompt(common, payload);
    case "BeforeTool":
      return parseCall(common, payload).map((fields) => ({
        ...common,
        moment: "before-call",
        ...fields,
        takes: "decision",
      }));
    case "AfterTool":
      return parseAfterCall(common, payload);
    case "AfterAgent":
      return [{ ...common, moment: "stop", again: payload["stop_hook_active"] === true }];
    case "SessionEnd":
      return [{ ...common, moment: "session-end", reason: nonEmptyText(payload["reason"]) }];
    default:
      return [];
  }
}

/** Only JSON: Gemini CLI shows any other text to its user. */
function encode(event: HookEvent, reply: Reply): string {
  const hookEventName = event.eventName ?? eventNames[event.moment];
  if (hookEventName === "BeforeTool") {
    const { decision } = reply;
    return decision ? JSON.stringify({ decision: decision.kind, reason: decision.reason }) : "";
  }
  if (event.moment === "stop" && reply.context !== undefined)
    return JSON.stringify({ decision: "deny", reason: reply.context });
  // Text can be added to a tool's error only by replacing the error, so it begins with the original one.
  if (event.moment === "after-call" && hookEventName === TOOL_ERROR)
    return reply.context === undefined
      ? ""
      : JSON.stringify({ decision: "deny", reason: `${event.text ?? ""}\n${reply.context}`.trim() });
  const systemMessage = toSystemMessage(reply);
  if (hookEventName === undefined || reply.context === undefined)
    return reply.forPerson === undefined ? "" : JSON.stringify(systemMessage);
  return JSON.stringify({
    ...systemMessage,
    hookSpecificOutput: { hookEventName, additionalContext: reply.context },
  });
}

/** The same event, for a call whose result is dropped. */
const TOOL_ERROR = "AfterTool, with an error";

/** The moments at which a context reaches the model, and the one that takes a decision. */
const eventNames: Readonly<Partial<Record<HookEvent["moment"], string>>> = {
  "session-start": "SessionStart",
  prompt: "BeforeAgent",
  "before-call": "BeforeTool",
  "after-call": "AfterTool",
};

function parsePrompt(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const prompt = removeHookContext(stringOr(payload["prompt"], ""));
  if (prompt === "") return [];
  const before = findLastMessageId(common.transcript, "any");
  return [{ ...common, moment: "prompt", prompt, promptId: before && buildPromptId(before, prompt) }];
}

/**
 * Gemini CLI drops text given before a call, so it is returned with the result. If the call ended in a tool error,
 * the result and text added to it are dropped too. A command's exit code is not such an error.
 */
function parseAfterCall(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const response = isRecord(payload["tool_response"]) ? payload["tool_response"] : {};
  const { error } = response;
  const base = { ...common, eventName: "AfterTool" };
  return parseCall(common, payload).flatMap((fields): HookEvent[] => {
    const after = { ...base, moment: "after-call", ...fields, durationMs: null } as const;
    if (isRecord(error))
      return [{ ...after, eventName: TOOL_ERROR, ok: false, text: nonEmptyText(error["message"]), exitCode: null }];
    const output = readGeminiParts(response["llmContent"]);
    const late: HookEvent = { ...base, moment: "before-call", ...fields, takes: "context" };
    return [{ ...after, text: output, ...parseGeminiCommandEnd(fields.tool, output) }, late];
  });
}

function parseCall(common: HookEventBase, payload: Payload): readonly CallFields[] {
  const tool = payload["tool_name"];
  if (typeof tool !== "string" || tool === "") return [];
  const input = payload["tool_input"] ?? null;
  const message = payload["hook_event_name"] === "AfterTool" ? findLastMessageId(common.transcript, "model") : null;
  return [{ tool, input, callId: message && buildCallId(message, tool, input) }];
}
