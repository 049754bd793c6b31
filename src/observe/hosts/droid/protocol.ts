import type { CallControl } from "../../../domain/rule/delivery.ts";
import { isRecord, text } from "../../../lib/json.ts";
import { type Hearing, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import type { Answer, Common, Moment, HookEvent } from "../../protocol/hook-event.ts";
import { recentCalls } from "./recent-calls.ts";
import { commandEnd } from "./texts.ts";

const hears: Hearing = { "session-start": UNBOUNDED, "after-call": UNBOUNDED, stop: UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: true };

export const droidProtocol: Protocol = {
  hears,
  calls,
  decode,
  encode,
  catchUp: async (ctx, seen) => {
    if (quiet.has(seen.moment)) await (await import("./transcript.ts")).catchUp(ctx, seen);
  },
};

/** When nobody waits for a tool: then there is time to look what the hooks missed. */
const quiet: ReadonlySet<Moment> = new Set(["session-start", "stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;

function decode(payload: unknown): readonly HookEvent[] {
  if (!isRecord(payload) || typeof payload["session_id"] !== "string" || payload["session_id"] === "") return [];
  const common: Common = {
    host: "droid",
    session: payload["session_id"],
    cwd: text(payload["cwd"]),
    model: null,
    agent: null,
    transcript: text(payload["transcript_path"]),
  };
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [{ ...common, moment: "session-start", source: text(payload["source"]) }];
    case "PreToolUse":
      return beforeCall(common, payload);
    case "PostToolUse":
      return afterCall(common, payload);
    case "Stop":
      return [{ ...common, moment: "stop", again: payload["stop_hook_active"] === true }];
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
  if (seen.moment === "stop" && answer.context !== undefined)
    return JSON.stringify({ decision: "block", reason: answer.context });
  if (hookEventName === undefined || answer.context === undefined) return "";
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: answer.context } });
}

/** Where context reaches the model, and the one moment that takes a decision. */
const eventName: Readonly<Partial<Record<Moment, string>>> = {
  "session-start": "SessionStart",
  "before-call": "PreToolUse",
  "after-call": "PostToolUse",
};

function beforeCall(common: Common, payload: Payload): readonly HookEvent[] {
  const call = callIn(payload);
  return call === null ? [] : [{ ...common, moment: "before-call", ...call, callId: null, takes: "decision" }];
}

/**
 * What is said before a call is thrown away, and after one that failed no hook runs at all. So it is said with the
 * next result that comes, for all that failed before it too.
 */
function afterCall(common: Common, payload: Payload): readonly HookEvent[] {
  const call = callIn(payload);
  if (call === null) return [];
  const heard = { ...common, heardAs: "PostToolUse" };
  const recent = recentCalls(common.transcript, call.tool, call.input);
  const named = { ...call, callId: recent?.callId ?? null };
  const said = resultText(payload["tool_response"]);
  const after: HookEvent = {
    ...heard,
    moment: "after-call",
    ...named,
    ok: true,
    text: said,
    exitCode: commandEnd(call.tool, said),
    durationMs: null,
  };
  const late = [...(recent?.failed ?? []), named].map((one): HookEvent => ({
    ...heard,
    moment: "before-call",
    ...one,
    takes: "context",
  }));
  // Without its name it would be stored once more from the transcript, which tells it at the next stop anyway.
  return recent !== null && recent.callId === null ? late : [after, ...late];
}

function callIn(payload: Payload): { readonly tool: string; readonly input: unknown } | null {
  const tool = payload["tool_name"];
  return typeof tool === "string" && tool !== "" ? { tool, input: payload["tool_input"] ?? null } : null;
}

function resultText(response: unknown): string | null {
  if (typeof response === "string") return response;
  return response === null || response === undefined ? null : (JSON.stringify(response) ?? null);
}
