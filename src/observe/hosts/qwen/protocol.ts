import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { hashText } from "../../../lib/hash.ts";
import { isRecord, stringOr, nonEmptyText } from "../../../lib/json.ts";
import { type ContextLimits, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import {
  type Reply,
  type CallFields,
  type HookEventBase,
  type HookEvent,
  toSystemMessage,
} from "../../protocol/hook-event.ts";
import { readMarkedMessage } from "../../protocol/marked-message.ts";

const contextLimits: ContextLimits = {
  "session-start": UNBOUNDED,
  prompt: UNBOUNDED,
  "after-call": UNBOUNDED,
  stop: UNBOUNDED,
};

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "yes", holds: true };

export const qwenProtocol: Protocol = {
  contextLimits,
  calls,
  // It does not show a hook's message at session start.
  personMoments: ["stop"],
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
  // Set by Gemini CLI, which Qwen Code is a fork of.
  if (env["GEMINI_SESSION_ID"] === payload["session_id"]) return [];
  const common: HookEventBase = {
    host: "qwen",
    session: payload["session_id"],
    cwd: nonEmptyText(payload["cwd"]),
    model: nonEmptyText(payload["model"]),
    agent: nonEmptyText(payload["agent_id"]),
    transcript: nonEmptyText(payload["transcript_path"]),
  };
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [{ ...common, moment: "session-start", source: nonEmptyText(payload["source"]) }];
    case "UserPromptSubmit":
      return parsePrompt(common, payload);
    case "PreToolUse":
      return parseCall(payload).map((fields) => ({ ...common, moment: "before-call", ...fields, takes: "decision" }));
    case "PostToolUse":
    case "PostToolUseFailure":
      return parseAfterCall(common, payload);
    case "Stop":
      return [
        { ...common, moment: "stop", again: payload["stop_hook_active"] === true, ...readMarkedMessage(payload) },
      ];
    case "SessionEnd":
      return [{ ...common, moment: "session-end", reason: nonEmptyText(payload["reason"]) }];
    default:
      return [];
  }
}

function encode(event: HookEvent, reply: Reply): string {
  const hookEventName = event.eventName ?? eventNames[event.moment];
  if (hookEventName === "PreToolUse") {
    const { decision } = reply;
    if (!decision) return "";
    const permission = { permissionDecision: decision.kind, permissionDecisionReason: decision.reason };
    return JSON.stringify({ hookSpecificOutput: { hookEventName, ...permission } });
  }
  const systemMessage = toSystemMessage(reply);
  if (event.moment === "stop" && reply.context !== undefined)
    return JSON.stringify({ ...systemMessage, decision: "block", reason: reply.context });
  if (reply.forPerson !== undefined) return JSON.stringify(systemMessage);
  if (hookEventName === undefined || reply.context === undefined) return "";
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: reply.context } });
}

/** The moments at which a context reaches the model, and the one that takes a decision. */
const eventNames: Readonly<Partial<Record<HookEvent["moment"], string>>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "before-call": "PreToolUse",
  "after-call": "PostToolUse",
};

/**
 * Fires again after every round of tools, with an empty prompt. A resumed session numbers its prompts from the start
 * again, so the id includes a hash of the text.
 */
function parsePrompt(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const prompt = stringOr(payload["prompt"], "").trim();
  if (prompt === "") return [];
  const id = nonEmptyText(payload["prompt_id"]);
  return [{ ...common, moment: "prompt", prompt, promptId: id && qwenPromptId(id, prompt) }];
}

export function qwenPromptId(id: string, prompt: string): string {
  return `${id}:${hashText(prompt.trim())}`;
}

/** Qwen Code drops text given before a call, so it is returned with the result, also if the call failed. */
function parseAfterCall(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const ok = payload["hook_event_name"] === "PostToolUse";
  const base = { ...common, eventName: ok ? "PostToolUse" : "PostToolUseFailure" };
  const outcome = {
    ok,
    text: ok ? resultText(payload["tool_response"]) : readErrorText(payload),
    exitCode: null,
    durationMs: parseDuration(payload["duration_ms"]),
  };
  return parseCall(payload).flatMap((fields): HookEvent[] => [
    { ...base, moment: "after-call", ...fields, ...outcome },
    { ...base, moment: "before-call", ...fields, takes: "context" },
  ]);
}

/** Prefers the model's id of the call, which the transcript uses. */
function parseCall(payload: Payload): readonly CallFields[] {
  const tool = payload["tool_name"];
  if (typeof tool !== "string" || tool === "") return [];
  const callId = nonEmptyText(payload["tool_call_id"]) ?? nonEmptyText(payload["tool_use_id"]);
  return [{ tool, input: payload["tool_input"] ?? null, callId }];
}

function readErrorText(payload: Payload): string {
  const error = stringOr(payload["error"], "");
  return payload["is_interrupt"] === true ? `${INTERRUPTED}\n${error}` : error;
}

/** Marks a call that the user stopped, whatever the tool printed before. */
export const INTERRUPTED = "Interrupted by user";

function resultText(response: unknown): string | null {
  if (typeof response === "string") return response;
  if (!isRecord(response)) return null;
  return readQwenParts(response["llmContent"]) ?? nonEmptyText(response["returnDisplay"]);
}

/** The text of the API's parts: a string, a part, or a list of them. */
export function readQwenParts(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    const texts = content.map(readQwenParts).filter((one) => one !== null);
    return texts.length > 0 ? texts.join("") : null;
  }
  return isRecord(content) && typeof content["text"] === "string" ? content["text"] : null;
}

function parseDuration(ms: unknown): number | null {
  return typeof ms === "number" && Number.isFinite(ms) ? Math.round(ms) : null;
}
