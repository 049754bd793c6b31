import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { isRecord, stringOr, nonEmptyText, tryParseJson } from "../../../lib/json.ts";
import type { ContextLimits, Protocol } from "../../protocol/host.ts";
import {
  type Reply,
  type HookEventBase,
  type Moment,
  type HookEvent,
  toSystemMessage,
} from "../../protocol/hook-event.ts";
import { isForeignPayload } from "./foreign.ts";
import { toPrintedText, toRefusalText, isUserRefusal, isNeverRun } from "./refusal.ts";
import { readMarkedMessage } from "../../protocol/marked-message.ts";

/** Longer text goes into a file, and the model gets only a preview. */
const MOST = 10_000;

const contextLimits: ContextLimits = {
  "session-start": MOST,
  prompt: MOST,
  "before-call": MOST,
  "after-call": MOST,
  stop: MOST,
};

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "yes", holds: true };

export const claudeCodeProtocol: Protocol = {
  contextLimits,
  calls,
  personMoments: ["session-start", "stop"],
  decode,
  encode,
  readNewTranscriptLines: async (ctx, event) => {
    if (idleMoments.has(event.moment) && event.only !== "heard")
      await (await import("./new-transcript-lines.ts")).readNewTranscriptLines(ctx, event);
  },
};

/** Moments when no tool waits, so there is time to read what the hooks missed. */
const idleMoments: ReadonlySet<Moment> = new Set(["session-start", "prompt", "stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;

type Env = Readonly<Record<string, string | undefined>>;

function decode(payload: unknown, env: Env): readonly HookEvent[] {
  if (!isRecord(payload) || typeof payload["session_id"] !== "string" || payload["session_id"] === "") return [];
  if (isForeignPayload(payload, env)) return [];
  const common: HookEventBase = {
    host: "claude-code",
    session: payload["session_id"],
    cwd: nonEmptyText(payload["cwd"]),
    model: nonEmptyText(payload["model"]),
    agent: nonEmptyText(payload["agent_id"]),
    transcript: nonEmptyText(payload["transcript_path"]),
  };
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [{ ...common, moment: "session-start", source: nonEmptyText(payload["source"]) }];
    case "SubagentStart":
      return parseSubAgentStart(common);
    case "UserPromptSubmit":
      return parsePrompt(common, payload);
    case "PreToolUse":
      return parseCall(payload).map((fields) => ({
        ...common,
        moment: "before-call",
        ...fields,
        // These versions run a call that the user allowed once, even if a hook asks.
        ...(losesContext(payload) ? { takes: "decision", asks: "no" } : {}),
      }));
    case "PostToolUse":
    case "PostToolUseFailure":
      return parseAfterCall(common, payload);
    case "PostToolBatch":
      return parseRejectedCalls(common, payload);
    case "Stop":
      return [
        {
          ...common,
          ...detectScreen(env),
          moment: "stop",
          again: payload["stop_hook_active"] === true || payload["stop_hook_active"] === "true",
          ...(takesStopContext(payload[CLIENT_VERSION]) ? { takesContext: true } : {}),
          ...readMarkedMessage(payload),
        },
      ];
    case "SessionEnd":
      return [{ ...common, moment: "session-end", reason: nonEmptyText(payload["reason"]) }];
    default:
      return [];
  }
}

/**
 * Set only if the client says so. `claude -p` and programs that embed it set another entrypoint, even if they
 * inherited the variable.
 */
function detectScreen(env: Env): Pick<HookEventBase, "hasScreen"> {
  return env["CLAUDE_CODE_ENTRYPOINT"] === "cli" && env["CLAUDE_CODE_SESSION_ATTENDED"] !== "0"
    ? { hasScreen: true }
    : {};
}

/** The field in which our MCP server adds the client's version, which the client's own payload lacks. */
export const CLIENT_VERSION = "client_version";

/** Seen in 2.1.325; 2.1.63 refuses such a reply. Earlier versions are assumed to do the same. */
function takesStopContext(version: unknown): boolean {
  const [major = 0, minor = 0, patch = 0] = stringOr(version, "").split(".").map(Number);
  return (major - 2 || minor - 1 || patch - 325) >= 0;
}

function encode(event: HookEvent, reply: Reply): string {
  const hookEventName = event.eventName ?? eventNames[event.moment];
  if (reply.decision && event.moment === "before-call") {
    return JSON.stringify({
      hookSpecificOutput: {
        hookEventName,
        permissionDecision: reply.decision.kind,
        permissionDecisionReason: reply.decision.reason.slice(0, MOST),
        ...(reply.context === undefined ? {} : { additionalContext: reply.context.slice(0, MOST) }),
      },
    });
  }
  const systemMessage = toSystemMessage(reply);
  if (reply.context === undefined) return reply.forPerson === undefined ? "" : JSON.stringify(systemMessage);
  const context = reply.context.slice(0, MOST);
  // Its screen calls a blocked stop an error of the hook.
  if (event.moment === "stop" && event.takesContext !== true)
    return JSON.stringify({ ...systemMessage, decision: "block", reason: context });
  return JSON.stringify({
    ...systemMessage,
    hookSpecificOutput: { hookEventName, additionalContext: context },
  });
}

const eventNames: Readonly<Record<Moment, string>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "before-call": "PreToolUse",
  "after-call": "PostToolUse",
  stop: "Stop",
  "session-end": "SessionEnd",
};

/** A start only for the sub-agent, which is shown advice; the session itself started before. */
function parseSubAgentStart(common: HookEventBase): readonly HookEvent[] {
  if (common.agent === null) return [];
  return [{ ...common, eventName: "SubagentStart", only: "heard", moment: "session-start", source: null }];
}

const STOPPED = "The user doesn't want to proceed with this tool use.";

function parseAfterCall(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const ok = payload["hook_event_name"] === "PostToolUse";
  const base = { ...common, eventName: ok ? "PostToolUse" : "PostToolUseFailure" };
  const error = stringOr(payload["error"], "");
  // The client itself marks what the user stopped. Of the words, only the client's own are kept: a tool may print more.
  const isStopped = payload["is_interrupt"] === true && isUserRefusal(error);
  const output = ok ? readResponseText(payload["tool_response"]) : isStopped ? STOPPED : toPrintedText(error);
  return parseCall(payload).flatMap((fields) => {
    const after = { ...base, moment: "after-call", ...fields, ok, text: output } as const;
    const late: HookEvent = { ...base, moment: "before-call", ...fields, takes: "context" };
    return [{ ...after, exitCode: null, durationMs: parseDuration(payload) }, ...(losesContext(payload) ? [late] : [])];
  });
}

/**
 * Versions around 2.1.63 drop text given before a call if the call fails, which is when it matters; text given after
 * the call is kept. They are recognised by their payload: it has a permission mode, but no effort, which later
 * versions send.
 */
function losesContext(payload: Payload): boolean {
  return "permission_mode" in payload && !("effort" in payload);
}

/** Notifications of finished background tasks arrive as prompts too, but no person wrote them. */
function parsePrompt(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const prompt = stringOr(payload["prompt"], "");
  if (prompt === "" || prompt.startsWith("<task-notification>")) return [];
  return [{ ...common, moment: "prompt", prompt, promptId: nonEmptyText(payload["prompt_id"]) }];
}

/**
 * Calls refused before they ran (an edit whose text is not in the file, wrong parameters, a denied permission) fire
 * neither Post event; only the batch reports them. Everything else in the batch was reported already.
 */
function parseRejectedCalls(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const calls = parseJsonText(payload["tool_calls"]);
  if (!Array.isArray(calls)) return [];
  return calls.filter(isRecord).flatMap((one) => {
    const resultText = readResponseText(one["tool_response"]) ?? "";
    if (!isNeverRun(resultText) || isUserRefusal(resultText)) return [];
    return parseCall(one).map((fields) => ({
      ...common,
      eventName: "PostToolBatch",
      moment: "after-call" as const,
      endsBatch: true,
      ...fields,
      ok: false,
      text: toRefusalText(fields.tool, resultText),
      exitCode: null,
      durationMs: null,
    }));
  });
}

function parseCall(payload: Payload): readonly { tool: string; input: unknown; callId: string | null }[] {
  const tool = payload["tool_name"];
  if (typeof tool !== "string" || tool === "") return [];
  return [{ tool, input: parseJsonText(payload["tool_input"]) ?? null, callId: nonEmptyText(payload["tool_use_id"]) }];
}

/** `mcp_tool` hooks send objects as JSON text. */
function parseJsonText(value: unknown): unknown {
  return typeof value === "string" ? (tryParseJson(value) ?? value) : value;
}

function readResponseText(value: unknown): string | null {
  const response = parseJsonText(value);
  if (typeof response === "string") return response;
  if (!isRecord(response)) return Array.isArray(response) ? JSON.stringify(response) : null;
  const out = [response["stdout"], response["stderr"]].filter((one) => typeof one === "string" && one !== "");
  return out.length > 0 ? out.join("\n") : JSON.stringify(response);
}

function parseDuration(payload: Payload): number | null {
  const ms = parseJsonText(payload["duration_ms"]);
  return typeof ms === "number" && Number.isFinite(ms) ? Math.round(ms) : null;
}
