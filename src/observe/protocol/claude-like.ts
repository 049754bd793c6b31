import { isRecord, stringOr, nonEmptyText, tryParseJson } from "../../lib/json.ts";
import type { Reply, CallFields, HookEventBase, Moment, HookEvent } from "./hook-event.ts";
import { readMarkedMessage } from "./marked-message.ts";

/** Hooks in Claude Code's format, which other hosts adopted with their own event names. */
export interface HookEventMap {
  readonly host: string;
  /** The moment of each event. Other events are ignored. */
  readonly moments: Readonly<Record<string, Moment | "failed-call">>;
}

type Payload = Readonly<Record<string, unknown>>;

export function decodeClaudeLike(payload: unknown, eventMap: HookEventMap): readonly HookEvent[] {
  if (!isRecord(payload)) return [];
  const session =
    nonEmptyText(payload["conversation_id"]) ??
    nonEmptyText(payload["session_id"]) ??
    nonEmptyText(payload["sessionId"]);
  const event = nonEmptyText(payload["hook_event_name"]) ?? nonEmptyText(payload["hookEventName"]);
  if (session === null || event === null || !Object.hasOwn(eventMap.moments, event)) return [];
  const common: HookEventBase = {
    host: eventMap.host,
    session,
    cwd: nonEmptyText(payload["cwd"]) ?? firstText(payload["workspace_roots"]),
    model: nonEmptyText(payload["model"]),
    agent: nonEmptyText(payload["agent_id"]),
    transcript: nonEmptyText(payload["transcript_path"]),
    eventName: event,
  };
  switch (eventMap.moments[event]) {
    case "session-start":
      return [{ ...common, moment: "session-start", source: nonEmptyText(payload["source"]) }];
    case "prompt":
      return parsePrompt(common, payload);
    case "before-call":
      return parseCall(payload).map((call) => ({ ...common, moment: "before-call", ...call }));
    case "after-call":
      return parseCall(payload).map((call) => ({
        ...common,
        moment: "after-call",
        ...call,
        ...parseResult(call.tool, payload["tool_response"] ?? payload["tool_output"]),
        durationMs: parseDuration(payload),
      }));
    case "failed-call":
      return parseCall(payload).map((call) => ({
        ...common,
        moment: "after-call",
        ...call,
        ok: false,
        text: parseFailureText(payload),
        exitCode: null,
        durationMs: parseDuration(payload),
      }));
    case "stop":
      return [{ ...common, moment: "stop", again: isRepeatedStop(payload), ...readMarkedMessage(payload) }];
    case "session-end":
      return [{ ...common, moment: "session-end", reason: nonEmptyText(payload["reason"]) }];
    default:
      return [];
  }
}

/** Claude Code's reply format. A decision is included only before a call. */
export function encodeClaudeLike(event: HookEvent, reply: Reply): string {
  const decision =
    event.moment === "before-call" && reply.decision
      ? { permissionDecision: reply.decision.kind, permissionDecisionReason: reply.decision.reason }
      : {};
  const context = reply.context === undefined ? {} : { additionalContext: reply.context };
  const output = { ...decision, ...context };
  if (Object.keys(output).length === 0 || event.eventName === undefined) return "";
  return JSON.stringify({ hookSpecificOutput: { hookEventName: event.eventName, ...output } });
}

/** Joins texts for hosts that take only one. */
function joinTexts(...texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join("\n");
}

export function firstText(value: unknown): string | null {
  return Array.isArray(value) ? nonEmptyText(value[0]) : null;
}

function parsePrompt(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const prompt = stringOr(payload["prompt"], "");
  if (prompt.trim() === "") return [];
  return [
    {
      ...common,
      moment: "prompt",
      prompt,
      promptId: nonEmptyText(payload["prompt_id"]) ?? nonEmptyText(payload["generation_id"]),
    },
  ];
}

function parseCall(payload: Payload): readonly CallFields[] {
  const tool = nonEmptyText(payload["tool_name"]);
  return tool === null
    ? []
    : [{ tool, input: parseJsonText(payload["tool_input"]) ?? null, callId: nonEmptyText(payload["tool_use_id"]) }];
}

/** Some hosts send objects as JSON text. */
function parseJsonText(value: unknown): unknown {
  return typeof value === "string" ? (tryParseJson(value) ?? value) : value;
}

type Result = Pick<Extract<HookEvent, { moment: "after-call" }>, "ok" | "text" | "exitCode">;

function parseResult(tool: string, response: unknown): Result {
  // Only a command's output is parsed; a file's content is taken as it is.
  const value = /shell|bash|pwsh|exec|terminal|command/i.test(tool) ? parseJsonText(response) : response;
  if (typeof value === "string") return { ok: true, text: nonEmptyText(value), exitCode: null };
  if (!isRecord(value)) return { ok: true, text: toJsonText(value), exitCode: null };
  const list = value["result"];
  const inner = parseJsonText(Array.isArray(list) ? list[0] : list);
  const parts = isRecord(inner) ? { ...inner, ...value } : value;
  const out = [parts["stdout"], parts["stderr"], parts["output"], parts["error"], inner].flatMap(
    (one) => nonEmptyText(one) ?? [],
  );
  return {
    ok: value["success"] !== false && value["isError"] !== true && nonEmptyText(value["error"]) === null,
    text: out.length > 0 ? out.join("\n") : toJsonText(value),
    exitCode: wholeNumber(parts["exitCode"] ?? parts["exit_code"] ?? parts["exit_status"]),
  };
}

function wholeNumber(value: unknown): number | null {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : null;
  return typeof value === "string" && /^-?\d{1,10}$/.test(value) ? Number(value) : null;
}

function toJsonText(value: unknown): string | null {
  return value === null || value === undefined ? null : (JSON.stringify(value) ?? null);
}

/** A flag in the payload says who ended the call; it is put into the words that the outcome is later read from. */
function parseFailureText(payload: Payload): string | null {
  const { error } = payload;
  const message = nonEmptyText(payload["error_message"]) ?? nonEmptyText(isRecord(error) ? error["message"] : error);
  if (payload["is_interrupt"] === true) return joinTexts("Interrupted by user", message ?? undefined);
  if (payload["failure_type"] === "permission_denied") return joinTexts("Tool execution denied", message ?? undefined);
  return message;
}

function isRepeatedStop(payload: Payload): boolean {
  const loops = payload["loop_count"];
  return payload["stop_hook_active"] === true || (typeof loops === "number" && loops > 0);
}

function parseDuration(payload: Payload): number | null {
  const ms = payload["duration_ms"] ?? payload["duration"];
  return typeof ms === "number" && Number.isFinite(ms) ? Math.round(ms) : null;
}
