import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { isRecord, nonEmptyText } from "../../../lib/json.ts";
import { type ContextLimits, type Protocol, UNBOUNDED } from "../../protocol/host.ts";
import {
  type Reply,
  type CallFields,
  type HookEventBase,
  type HookEvent,
  joinReasonAndContext,
} from "../../protocol/hook-event.ts";
import { parseHermesCallEnd } from "./call-end.ts";

/** A context is added to the prompt; at all other events, Hermes takes none. */
const contextLimits: ContextLimits = { prompt: UNBOUNDED };

const calls: CallControl = { note: "never", refusal: "the call", asks: "no", holds: false };

export const hermesProtocol: Protocol = { contextLimits, calls, decode, encode };

type Payload = Readonly<Record<string, unknown>>;

/** A call's name and arguments are at the top level; all other fields of an event are in `extra`. */
function decode(payload: unknown): readonly HookEvent[] {
  const session = isRecord(payload) ? nonEmptyText(payload["session_id"]) : null;
  if (!isRecord(payload) || session === null) return [];
  const extra = isRecord(payload["extra"]) ? payload["extra"] : {};
  const common: HookEventBase = {
    host: "hermes",
    session,
    cwd: nonEmptyText(payload["cwd"]),
    model: nonEmptyText(extra["model"]),
    agent: null,
    transcript: null,
  };
  switch (payload["hook_event_name"]) {
    case "pre_llm_call":
      return parseTurn(common, extra);
    case "pre_tool_call":
      // A call is allowed or blocked; a reply has no other field for text.
      return parseCall(payload, extra).map((fields) => ({
        ...common,
        moment: "before-call",
        ...fields,
        takes: "decision",
      }));
    case "post_tool_call":
      return parseCall(payload, extra).map((fields) => ({
        ...common,
        moment: "after-call",
        ...fields,
        ...parseResult(extra),
      }));
    // Despite its name, it fires at the end of every turn.
    case "on_session_end":
      return [{ ...common, moment: "stop", again: false }];
    case "on_session_finalize":
      return [{ ...common, moment: "session-end", reason: nonEmptyText(extra["reason"]) }];
    default:
      return [];
  }
}

function encode(event: HookEvent, { context, decision }: Reply): string {
  if (event.moment === "before-call")
    return decision?.kind === "deny"
      ? JSON.stringify({
          action: "block",
          message: `Blocked by a rule: ${joinReasonAndContext(decision.reason, context)}`,
        })
      : "";
  return event.moment === "prompt" && context !== undefined ? JSON.stringify({ context }) : "";
}

/** The first turn implies the session start, so the user has one hook less to allow. */
function parseTurn(common: HookEventBase, extra: Payload): readonly HookEvent[] {
  const prompt = readMessageText(extra["user_message"]).trim();
  const began: readonly HookEvent[] =
    extra["is_first_turn"] === true ? [{ ...common, moment: "session-start", source: "startup" }] : [];
  if (prompt === "") return began;
  // A prompt from a timer is replied to, but not stored as the user's words.
  const only = extra["platform"] === "cron" ? ({ only: "heard" } as const) : {};
  return [...began, { ...common, ...only, moment: "prompt", prompt, promptId: nonEmptyText(extra["turn_id"]) }];
}

/** A message with an image comes in parts. */
function readMessageText(message: unknown): string {
  if (typeof message === "string") return message;
  if (!Array.isArray(message)) return "";
  return message.flatMap((part) => (isRecord(part) ? (nonEmptyText(part["text"]) ?? []) : [])).join("\n");
}

function parseCall(payload: Payload, extra: Payload): readonly CallFields[] {
  const tool = nonEmptyText(payload["tool_name"]);
  return tool === null
    ? []
    : [{ tool, input: payload["tool_input"] ?? null, callId: nonEmptyText(extra["tool_call_id"]) }];
}

function parseResult(extra: Payload) {
  const { result, duration_ms: ms } = extra;
  const end = parseHermesCallEnd(typeof result === "string" ? result : (JSON.stringify(result) ?? ""));
  const error = nonEmptyText(extra["error_message"]);
  return {
    ok: end.ok && error === null,
    text: nonEmptyText(end.text) ?? error,
    exitCode: Number.isSafeInteger(end.exitCode) ? end.exitCode : null,
    durationMs: typeof ms === "number" && Number.isFinite(ms) ? Math.round(ms) : null,
  };
}
