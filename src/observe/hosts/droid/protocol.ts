import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { isRecord, nonEmptyText } from "../../../lib/json.ts";
import { type ContextLimits, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import type { Reply, HookEventBase, Moment, HookEvent } from "../../protocol/hook-event.ts";
import { findRecentCalls } from "./recent-calls.ts";
import { readDroidExitCode } from "./texts.ts";

const contextLimits: ContextLimits = { "session-start": UNBOUNDED, "after-call": UNBOUNDED, stop: UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: true };

export const droidProtocol: Protocol = {
  contextLimits,
  calls,
  decode,
  encode,
  readNewTranscriptLines: async (ctx, event) => {
    if (idleMoments.has(event.moment)) await (await import("./transcript.ts")).readNewTranscriptLines(ctx, event);
  },
};

/** Moments when no tool waits, so there is time to read what the hooks missed. */
const idleMoments: ReadonlySet<Moment> = new Set(["session-start", "stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;

function decode(payload: unknown): readonly HookEvent[] {
  if (!isRecord(payload) || typeof payload["session_id"] !== "string" || payload["session_id"] === "") return [];
  const common: HookEventBase = {
    host: "droid",
    session: payload["session_id"],
    cwd: nonEmptyText(payload["cwd"]),
    model: null,
    agent: null,
    transcript: nonEmptyText(payload["transcript_path"]),
  };
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [{ ...common, moment: "session-start", source: nonEmptyText(payload["source"]) }];
    case "PreToolUse":
      return parseBeforeCall(common, payload);
    case "PostToolUse":
      return parseAfterCall(common, payload);
    case "Stop":
      return [{ ...common, moment: "stop", again: payload["stop_hook_active"] === true }];
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
  if (event.moment === "stop" && reply.context !== undefined)
    return JSON.stringify({ decision: "block", reason: reply.context });
  if (hookEventName === undefined || reply.context === undefined) return "";
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: reply.context } });
}

/** The moments at which a context reaches the model, and the one that takes a decision. */
const eventNames: Readonly<Partial<Record<Moment, string>>> = {
  "session-start": "SessionStart",
  "before-call": "PreToolUse",
  "after-call": "PostToolUse",
};

function parseBeforeCall(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const call = parseCall(payload);
  return call === null ? [] : [{ ...common, moment: "before-call", ...call, callId: null, takes: "decision" }];
}

/**
 * Droid drops text given before a call, and runs no hook after a failed one. So the text is returned with the next
 * result, including that for all calls that failed before it.
 */
function parseAfterCall(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const call = parseCall(payload);
  if (call === null) return [];
  const base = { ...common, eventName: "PostToolUse" };
  const recent = findRecentCalls(common.transcript, call.tool, call.input);
  const named = { ...call, callId: recent?.callId ?? null };
  const output = resultText(payload["tool_response"]);
  const after: HookEvent = {
    ...base,
    moment: "after-call",
    ...named,
    ok: true,
    text: output,
    exitCode: readDroidExitCode(call.tool, output),
    durationMs: null,
  };
  const late = [...(recent?.failed ?? []), named].map((one): HookEvent => ({
    ...base,
    moment: "before-call",
    ...one,
    takes: "context",
  }));
  // Without an id it would be stored again from the transcript, which is read at the next stop anyway.
  return recent !== null && recent.callId === null ? late : [after, ...late];
}

function parseCall(payload: Payload): { readonly tool: string; readonly input: unknown } | null {
  const tool = payload["tool_name"];
  return typeof tool === "string" && tool !== "" ? { tool, input: payload["tool_input"] ?? null } : null;
}

function resultText(response: unknown): string | null {
  if (typeof response === "string") return response;
  return response === null || response === undefined ? null : (JSON.stringify(response) ?? null);
}
