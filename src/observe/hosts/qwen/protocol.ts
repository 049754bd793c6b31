import type { CallControl } from "../../../domain/rule/delivery.ts";
import { hashText } from "../../../lib/hash.ts";
import { isRecord, stringOr, text } from "../../../lib/json.ts";
import { type Hearing, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import { type Answer, type CallFields, type Common, type HookEvent, systemMessage } from "../../protocol/hook-event.ts";
import { markedAnswer } from "../../protocol/marked-answer.ts";

const hears: Hearing = { "session-start": UNBOUNDED, prompt: UNBOUNDED, "after-call": UNBOUNDED, stop: UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "yes", holds: true };

export const qwenProtocol: Protocol = {
  hears,
  calls,
  // What a hook says at a start it shows to nobody.
  tells: ["stop"],
  decode,
  encode,
  catchUp: async (ctx, seen) => {
    if (quiet.has(seen.moment)) await (await import("./transcript.ts")).catchUp(ctx, seen);
  },
};

/** When nobody waits for a tool: then there is time to look what the hooks missed. */
const quiet: ReadonlySet<HookEvent["moment"]> = new Set(["session-start", "prompt", "stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;

function decode(payload: unknown, env: Readonly<Record<string, string | undefined>>): readonly HookEvent[] {
  if (!isRecord(payload) || typeof payload["session_id"] !== "string" || payload["session_id"] === "") return [];
  // Gemini CLI, which it descends from, says so.
  if (env["GEMINI_SESSION_ID"] === payload["session_id"]) return [];
  const common: Common = {
    host: "qwen",
    session: payload["session_id"],
    cwd: text(payload["cwd"]),
    model: text(payload["model"]),
    agent: text(payload["agent_id"]),
    transcript: text(payload["transcript_path"]),
  };
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [{ ...common, moment: "session-start", source: text(payload["source"]) }];
    case "UserPromptSubmit":
      return promptOf(common, payload);
    case "PreToolUse":
      return call(payload).map((fields) => ({ ...common, moment: "before-call", ...fields, takes: "decision" }));
    case "PostToolUse":
    case "PostToolUseFailure":
      return afterCall(common, payload);
    case "Stop":
      return [{ ...common, moment: "stop", again: payload["stop_hook_active"] === true, ...markedAnswer(payload) }];
    case "SessionEnd":
      return [{ ...common, moment: "session-end", reason: text(payload["reason"]) }];
    default:
      return [];
  }
}

function encode(seen: HookEvent, answer: Answer): string {
  const hookEventName = seen.heardAs ?? eventName[seen.moment];
  if (hookEventName === "PreToolUse") {
    const { decision } = answer;
    if (!decision) return "";
    const permission = { permissionDecision: decision.kind, permissionDecisionReason: decision.reason };
    return JSON.stringify({ hookSpecificOutput: { hookEventName, ...permission } });
  }
  const told = systemMessage(answer);
  if (seen.moment === "stop" && answer.context !== undefined)
    return JSON.stringify({ ...told, decision: "block", reason: answer.context });
  if (answer.forPerson !== undefined) return JSON.stringify(told);
  if (hookEventName === undefined || answer.context === undefined) return "";
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: answer.context } });
}

/** Where context reaches the model, and the one moment that takes a decision. */
const eventName: Readonly<Partial<Record<HookEvent["moment"], string>>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "before-call": "PreToolUse",
  "after-call": "PostToolUse",
};

/** Told once more after every round of tools, without words. A session taken up again counts its prompts anew, so the words are part of the name. */
function promptOf(common: Common, payload: Payload): readonly HookEvent[] {
  const prompt = stringOr(payload["prompt"], "").trim();
  if (prompt === "") return [];
  const id = text(payload["prompt_id"]);
  return [{ ...common, moment: "prompt", prompt, promptId: id && promptName(id, prompt) }];
}

export function promptName(id: string, prompt: string): string {
  return `${id}:${hashText(prompt.trim())}`;
}

/** What is said before a call is thrown away, so it is said with the result, which takes it whether the call failed or not. */
function afterCall(common: Common, payload: Payload): readonly HookEvent[] {
  const ok = payload["hook_event_name"] === "PostToolUse";
  const heard = { ...common, heardAs: ok ? "PostToolUse" : "PostToolUseFailure" };
  const told = {
    ok,
    text: ok ? resultText(payload["tool_response"]) : errorText(payload),
    exitCode: null,
    durationMs: duration(payload["duration_ms"]),
  };
  return call(payload).flatMap((fields): HookEvent[] => [
    { ...heard, moment: "after-call", ...fields, ...told },
    { ...heard, moment: "before-call", ...fields, takes: "context" },
  ]);
}

/** The transcript knows a call by the model's own id of it. */
function call(payload: Payload): readonly CallFields[] {
  const tool = payload["tool_name"];
  if (typeof tool !== "string" || tool === "") return [];
  const callId = text(payload["tool_call_id"]) ?? text(payload["tool_use_id"]);
  return [{ tool, input: payload["tool_input"] ?? null, callId }];
}

function errorText(payload: Payload): string {
  const error = stringOr(payload["error"], "");
  return payload["is_interrupt"] === true ? `${INTERRUPTED}\n${error}` : error;
}

/** For a call that its user stopped, whatever the tool printed until then. */
export const INTERRUPTED = "Interrupted by user";

function resultText(response: unknown): string | null {
  if (typeof response === "string") return response;
  if (!isRecord(response)) return null;
  return partsText(response["llmContent"]) ?? text(response["returnDisplay"]);
}

/** Text of what the API calls parts: a string, a part, or a list of them. */
export function partsText(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    const texts = content.map(partsText).filter((one) => one !== null);
    return texts.length > 0 ? texts.join("") : null;
  }
  return isRecord(content) && typeof content["text"] === "string" ? content["text"] : null;
}

function duration(ms: unknown): number | null {
  return typeof ms === "number" && Number.isFinite(ms) ? Math.round(ms) : null;
}
