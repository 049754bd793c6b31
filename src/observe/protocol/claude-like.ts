import { isRecord, stringOr, text, tryParse } from "../../lib/json.ts";
import type { Answer, CallFields, Common, Moment, HookEvent } from "./hook-event.ts";
import { markedAnswer } from "./marked-answer.ts";

/** Hooks in the manner of Claude Code's, which other hosts took over, each with words of its own. */
export interface Dialect {
  readonly host: string;
  /** What its events are to us. An event that is not here is nothing to see. */
  readonly moments: Readonly<Record<string, Moment | "failed-call">>;
}

type Payload = Readonly<Record<string, unknown>>;

export function decodeLike(payload: unknown, dialect: Dialect): readonly HookEvent[] {
  if (!isRecord(payload)) return [];
  const session = text(payload["conversation_id"]) ?? text(payload["session_id"]) ?? text(payload["sessionId"]);
  const event = text(payload["hook_event_name"]) ?? text(payload["hookEventName"]);
  if (session === null || event === null || !Object.hasOwn(dialect.moments, event)) return [];
  const common: Common = {
    host: dialect.host,
    session,
    cwd: text(payload["cwd"]) ?? firstText(payload["workspace_roots"]),
    model: text(payload["model"]),
    agent: text(payload["agent_id"]),
    transcript: text(payload["transcript_path"]),
    heardAs: event,
  };
  switch (dialect.moments[event]) {
    case "session-start":
      return [{ ...common, moment: "session-start", source: text(payload["source"]) }];
    case "prompt":
      return promptIn(common, payload);
    case "before-call":
      return callIn(payload).map((call) => ({ ...common, moment: "before-call", ...call }));
    case "after-call":
      return callIn(payload).map((call) => ({
        ...common,
        moment: "after-call",
        ...call,
        ...resultOf(call.tool, payload["tool_response"] ?? payload["tool_output"]),
        durationMs: duration(payload),
      }));
    case "failed-call":
      return callIn(payload).map((call) => ({
        ...common,
        moment: "after-call",
        ...call,
        ok: false,
        text: failureText(payload),
        exitCode: null,
        durationMs: duration(payload),
      }));
    case "stop":
      return [{ ...common, moment: "stop", again: isAgain(payload), ...markedAnswer(payload) }];
    case "session-end":
      return [{ ...common, moment: "session-end", reason: text(payload["reason"]) }];
    default:
      return [];
  }
}

/** Claude Code's envelope. A decision is said before a call only. */
export function envelope(seen: HookEvent, answer: Answer): string {
  const decision =
    seen.moment === "before-call" && answer.decision
      ? { permissionDecision: answer.decision.kind, permissionDecisionReason: answer.decision.reason }
      : {};
  const context = answer.context === undefined ? {} : { additionalContext: answer.context };
  const said = { ...decision, ...context };
  if (Object.keys(said).length === 0 || seen.heardAs === undefined) return "";
  return JSON.stringify({ hookSpecificOutput: { hookEventName: seen.heardAs, ...said } });
}

/** One text of several, for hosts that take only one. */
function joined(...texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join("\n");
}

export function firstText(value: unknown): string | null {
  return Array.isArray(value) ? text(value[0]) : null;
}

function promptIn(common: Common, payload: Payload): readonly HookEvent[] {
  const prompt = stringOr(payload["prompt"], "");
  if (prompt.trim() === "") return [];
  return [
    { ...common, moment: "prompt", prompt, promptId: text(payload["prompt_id"]) ?? text(payload["generation_id"]) },
  ];
}

function callIn(payload: Payload): readonly CallFields[] {
  const tool = text(payload["tool_name"]);
  return tool === null
    ? []
    : [{ tool, input: asJson(payload["tool_input"]) ?? null, callId: text(payload["tool_use_id"]) }];
}

/** Some hosts send objects as JSON text. */
function asJson(value: unknown): unknown {
  return typeof value === "string" ? (tryParse(value) ?? value) : value;
}

type Result = Pick<Extract<HookEvent, { moment: "after-call" }>, "ok" | "text" | "exitCode">;

function resultOf(tool: string, response: unknown): Result {
  // What a file says is its own: only of a command is a text taken apart.
  const value = /shell|bash|pwsh|exec|terminal|command/i.test(tool) ? asJson(response) : response;
  if (typeof value === "string") return { ok: true, text: text(value), exitCode: null };
  if (!isRecord(value)) return { ok: true, text: jsonOf(value), exitCode: null };
  const list = value["result"];
  const inner = asJson(Array.isArray(list) ? list[0] : list);
  const parts = isRecord(inner) ? { ...inner, ...value } : value;
  const out = [parts["stdout"], parts["stderr"], parts["output"], parts["error"], inner].flatMap(
    (one) => text(one) ?? [],
  );
  return {
    ok: value["success"] !== false && value["isError"] !== true && text(value["error"]) === null,
    text: out.length > 0 ? out.join("\n") : jsonOf(value),
    exitCode: wholeNumber(parts["exitCode"] ?? parts["exit_code"] ?? parts["exit_status"]),
  };
}

function wholeNumber(value: unknown): number | null {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : null;
  return typeof value === "string" && /^-?\d{1,10}$/.test(value) ? Number(value) : null;
}

function jsonOf(value: unknown): string | null {
  return value === null || value === undefined ? null : (JSON.stringify(value) ?? null);
}

/** A flag beside the text tells who ended the call; in the words that are read for it later. */
function failureText(payload: Payload): string | null {
  const { error } = payload;
  const said = text(payload["error_message"]) ?? text(isRecord(error) ? error["message"] : error);
  if (payload["is_interrupt"] === true) return joined("Interrupted by user", said ?? undefined);
  if (payload["failure_type"] === "permission_denied") return joined("Tool execution denied", said ?? undefined);
  return said;
}

function isAgain(payload: Payload): boolean {
  const loops = payload["loop_count"];
  return payload["stop_hook_active"] === true || (typeof loops === "number" && loops > 0);
}

function duration(payload: Payload): number | null {
  const ms = payload["duration_ms"] ?? payload["duration"];
  return typeof ms === "number" && Number.isFinite(ms) ? Math.round(ms) : null;
}
