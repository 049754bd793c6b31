import type { CallControl } from "../../../domain/rule/delivery.ts";
import { isRecord, stringOr, text, tryParse } from "../../../lib/json.ts";
import type { Hearing, Protocol } from "../../protocol/host.ts";
import { type Answer, type Common, type Moment, type HookEvent, systemMessage } from "../../protocol/hook-event.ts";
import { isForeign } from "./foreign.ts";
import { asPrinted, asRefusal, isUsers, neverRan } from "./refusal.ts";
import { markedAnswer } from "../../protocol/marked-answer.ts";

/** What is longer goes into a file, and the model gets a preview only. */
const MOST = 10_000;

const hears: Hearing = { "session-start": MOST, prompt: MOST, "before-call": MOST, "after-call": MOST, stop: MOST };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "yes", holds: true };

export const claudeCodeProtocol: Protocol = {
  hears,
  calls,
  tells: ["session-start", "stop"],
  decode,
  encode,
  catchUp: async (ctx, seen) => {
    if (quiet.has(seen.moment) && seen.only !== "heard") await (await import("./catch-up.ts")).catchUp(ctx, seen);
  },
};

/** When nobody waits for a tool: then there is time to look what the hooks missed. */
const quiet: ReadonlySet<Moment> = new Set(["session-start", "prompt", "stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;

type Env = Readonly<Record<string, string | undefined>>;

function decode(payload: unknown, env: Env): readonly HookEvent[] {
  if (!isRecord(payload) || typeof payload["session_id"] !== "string" || payload["session_id"] === "") return [];
  if (isForeign(payload, env)) return [];
  const common: Common = {
    host: "claude-code",
    session: payload["session_id"],
    cwd: text(payload["cwd"]),
    model: text(payload["model"]),
    agent: text(payload["agent_id"]),
    transcript: text(payload["transcript_path"]),
  };
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [{ ...common, moment: "session-start", source: text(payload["source"]) }];
    case "SubagentStart":
      return subAgentStart(common);
    case "UserPromptSubmit":
      return promptOf(common, payload);
    case "PreToolUse":
      return call(payload).map((fields) => ({
        ...common,
        moment: "before-call",
        ...fields,
        // What its user allowed once these run, whatever is asked.
        ...(losesContext(payload) ? { takes: "decision", asks: "no" } : {}),
      }));
    case "PostToolUse":
    case "PostToolUseFailure":
      return afterCall(common, payload);
    case "PostToolBatch":
      return rejectedEarly(common, payload);
    case "Stop":
      return [
        {
          ...common,
          ...screenOf(env),
          moment: "stop",
          again: payload["stop_hook_active"] === true || payload["stop_hook_active"] === "true",
          ...markedAnswer(payload),
        },
      ];
    case "SessionEnd":
      return [{ ...common, moment: "session-end", reason: text(payload["reason"]) }];
    default:
      return [];
  }
}

/** Only where it says so: `claude -p` and programs that embed it call themselves otherwise, also where they inherit the word. */
function screenOf(env: Env): Pick<Common, "hasScreen"> {
  return env["CLAUDE_CODE_ENTRYPOINT"] === "cli" && env["CLAUDE_CODE_SESSION_ATTENDED"] !== "0"
    ? { hasScreen: true }
    : {};
}

function encode(seen: HookEvent, answer: Answer): string {
  const event = seen.heardAs ?? eventName[seen.moment];
  if (answer.decision && seen.moment === "before-call") {
    return JSON.stringify({
      hookSpecificOutput: {
        hookEventName: event,
        permissionDecision: answer.decision.kind,
        permissionDecisionReason: answer.decision.reason.slice(0, MOST),
        ...(answer.context === undefined ? {} : { additionalContext: answer.context.slice(0, MOST) }),
      },
    });
  }
  const told = systemMessage(answer);
  if (answer.context === undefined) return answer.forPerson === undefined ? "" : JSON.stringify(told);
  const said = answer.context.slice(0, MOST);
  if (seen.moment === "stop") return JSON.stringify({ ...told, decision: "block", reason: said });
  return JSON.stringify({ ...told, hookSpecificOutput: { hookEventName: event, additionalContext: said } });
}

const eventName: Readonly<Record<Moment, string>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "before-call": "PreToolUse",
  "after-call": "PostToolUse",
  stop: "Stop",
  "session-end": "SessionEnd",
};

/** A beginning only for the sub-agent, which hears it: the session has begun long ago. */
function subAgentStart(common: Common): readonly HookEvent[] {
  if (common.agent === null) return [];
  return [{ ...common, heardAs: "SubagentStart", only: "heard", moment: "session-start", source: null }];
}

function afterCall(common: Common, payload: Payload): readonly HookEvent[] {
  const ok = payload["hook_event_name"] === "PostToolUse";
  const heard = { ...common, heardAs: ok ? "PostToolUse" : "PostToolUseFailure" };
  const said = ok ? responseText(payload["tool_response"]) : asPrinted(stringOr(payload["error"], ""));
  return call(payload).flatMap((fields) => {
    const after = { ...heard, moment: "after-call", ...fields, ok, text: said } as const;
    const late: HookEvent = { ...heard, moment: "before-call", ...fields, takes: "context" };
    return [{ ...after, exitCode: null, durationMs: duration(payload) }, ...(losesContext(payload) ? [late] : [])];
  });
}

/**
 * Versions about 2.1.63 throw away what was said before a call if the call fails, which is when it matters; what is
 * said after it they keep. They are known by what they do not tell beside the permission mode: later ones name the effort.
 */
function losesContext(payload: Payload): boolean {
  return "permission_mode" in payload && !("effort" in payload);
}

/** Machine text arrives as a prompt too: a finished background task is nobody's words. */
function promptOf(common: Common, payload: Payload): readonly HookEvent[] {
  const prompt = stringOr(payload["prompt"], "");
  if (prompt === "" || prompt.startsWith("<task-notification>")) return [];
  return [{ ...common, moment: "prompt", prompt, promptId: text(payload["prompt_id"]) }];
}

/**
 * Calls refused before they ran (an edit whose text is not in the file, wrong parameters, a denied permission)
 * fire neither Post event; only the batch tells. Everything else in it was told already.
 */
function rejectedEarly(common: Common, payload: Payload): readonly HookEvent[] {
  const calls = asJson(payload["tool_calls"]);
  if (!Array.isArray(calls)) return [];
  return calls.filter(isRecord).flatMap((one) => {
    const told = responseText(one["tool_response"]) ?? "";
    if (!neverRan(told) || isUsers(told)) return [];
    return call(one).map((fields) => ({
      ...common,
      heardAs: "PostToolBatch",
      moment: "after-call" as const,
      ...fields,
      ok: false,
      text: asRefusal(fields.tool, told),
      exitCode: null,
      durationMs: null,
    }));
  });
}

function call(payload: Payload): readonly { tool: string; input: unknown; callId: string | null }[] {
  const tool = payload["tool_name"];
  if (typeof tool !== "string" || tool === "") return [];
  return [{ tool, input: asJson(payload["tool_input"]) ?? null, callId: text(payload["tool_use_id"]) }];
}

/** `mcp_tool` hooks send objects as JSON text. */
function asJson(value: unknown): unknown {
  return typeof value === "string" ? (tryParse(value) ?? value) : value;
}

function responseText(value: unknown): string | null {
  const response = asJson(value);
  if (typeof response === "string") return response;
  if (!isRecord(response)) return Array.isArray(response) ? JSON.stringify(response) : null;
  const out = [response["stdout"], response["stderr"]].filter((one) => typeof one === "string" && one !== "");
  return out.length > 0 ? out.join("\n") : JSON.stringify(response);
}

function duration(payload: Payload): number | null {
  const ms = asJson(payload["duration_ms"]);
  return typeof ms === "number" && Number.isFinite(ms) ? Math.round(ms) : null;
}
