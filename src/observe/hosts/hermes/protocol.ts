import type { CallControl } from "../../../domain/rule/delivery.ts";
import { isRecord, text } from "../../../lib/json.ts";
import { type Hearing, type Protocol, UNBOUNDED } from "../../protocol/host.ts";
import { type Answer, type CallFields, type Common, type HookEvent, inOneText } from "../../protocol/hook-event.ts";
import { callEnd } from "./call-end.ts";

/** What is said with a prompt is added to it; everything else is only looked at. */
const hears: Hearing = { prompt: UNBOUNDED };

const calls: CallControl = { note: "never", refusal: "the call", asks: "no", holds: false };

export const hermesProtocol: Protocol = { hears, calls, decode, encode };

type Payload = Readonly<Record<string, unknown>>;

/** A call's name and arguments stand at the top; all else that an event has is in `extra`. */
function decode(payload: unknown): readonly HookEvent[] {
  const session = isRecord(payload) ? text(payload["session_id"]) : null;
  if (!isRecord(payload) || session === null) return [];
  const extra = isRecord(payload["extra"]) ? payload["extra"] : {};
  const common: Common = {
    host: "hermes",
    session,
    cwd: text(payload["cwd"]),
    model: text(extra["model"]),
    agent: null,
    transcript: null,
  };
  switch (payload["hook_event_name"]) {
    case "pre_llm_call":
      return turnOf(common, extra);
    case "pre_tool_call":
      // A call is let through or not; there is no room for words beside it.
      return call(payload, extra).map((fields) => ({ ...common, moment: "before-call", ...fields, takes: "decision" }));
    case "post_tool_call":
      return call(payload, extra).map((fields) => ({ ...common, moment: "after-call", ...fields, ...endOf(extra) }));
    // Despite its name it is told at the end of every turn.
    case "on_session_end":
      return [{ ...common, moment: "stop", again: false }];
    case "on_session_finalize":
      return [{ ...common, moment: "session-end", reason: text(extra["reason"]) }];
    default:
      return [];
  }
}

function encode(seen: HookEvent, { context, decision }: Answer): string {
  if (seen.moment === "before-call")
    return decision?.kind === "deny"
      ? JSON.stringify({ action: "block", message: `Blocked by a rule: ${inOneText(decision.reason, context)}` })
      : "";
  return seen.moment === "prompt" && context !== undefined ? JSON.stringify({ context }) : "";
}

/** The first turn tells that the session began: one hook less that its user has to allow. */
function turnOf(common: Common, extra: Payload): readonly HookEvent[] {
  const prompt = messageText(extra["user_message"]).trim();
  const began: readonly HookEvent[] =
    extra["is_first_turn"] === true ? [{ ...common, moment: "session-start", source: "startup" }] : [];
  if (prompt === "") return began;
  // What a timer asks of the agent is answered, and not taken for its user's words.
  const only = extra["platform"] === "cron" ? ({ only: "heard" } as const) : {};
  return [...began, { ...common, ...only, moment: "prompt", prompt, promptId: text(extra["turn_id"]) }];
}

/** With a picture beside it, a message comes in parts. */
function messageText(message: unknown): string {
  if (typeof message === "string") return message;
  if (!Array.isArray(message)) return "";
  return message.flatMap((part) => (isRecord(part) ? (text(part["text"]) ?? []) : [])).join("\n");
}

function call(payload: Payload, extra: Payload): readonly CallFields[] {
  const tool = text(payload["tool_name"]);
  return tool === null ? [] : [{ tool, input: payload["tool_input"] ?? null, callId: text(extra["tool_call_id"]) }];
}

function endOf(extra: Payload) {
  const { result, duration_ms: ms } = extra;
  const end = callEnd(typeof result === "string" ? result : (JSON.stringify(result) ?? ""));
  const error = text(extra["error_message"]);
  return {
    ok: end.ok && error === null,
    text: text(end.text) ?? error,
    exitCode: Number.isSafeInteger(end.exitCode) ? end.exitCode : null,
    durationMs: typeof ms === "number" && Number.isFinite(ms) ? Math.round(ms) : null,
  };
}
