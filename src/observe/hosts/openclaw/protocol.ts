import type { CallControl } from "../../../domain/rule/delivery.ts";
import { isRecord, text } from "../../../lib/json.ts";
import { type Hearing, type Protocol, UNBOUNDED } from "../../protocol/host.ts";
import type { CallFields, Common, HookEvent } from "../../protocol/hook-event.ts";
import { encodeForPlugin } from "../../protocol/plugin-answer.ts";
import { contentText } from "../../transcripts/pi-texts.ts";

/** Nobody waits for an answer when a session begins; once a call has run, it does not go on for a hook that asks for it. */
const hears: Hearing = { prompt: UNBOUNDED, "after-call": UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: true };

export const openclawProtocol: Protocol = { hears, calls, decode, encode: encodeForPlugin };

type Payload = Readonly<Record<string, unknown>>;

/** Payloads are our plugin's: OpenClaw's own words, with the folder and the model. */
function decode(payload: unknown): readonly HookEvent[] {
  const session = isRecord(payload) ? text(payload["session"]) : null;
  if (!isRecord(payload) || session === null) return [];
  const isSubAgent = /:subagent:/.test(text(payload["sessionKey"]) ?? "");
  const common: Common = {
    host: "openclaw",
    session,
    cwd: text(payload["cwd"]),
    model: text(payload["model"]),
    // A sub-agent has a session of its own.
    agent: isSubAgent ? session : null,
    transcript: null,
  };
  return isSubAgent ? ofCall(common, payload) : (ofSession(common, payload) ?? ofCall(common, payload));
}

function ofSession(common: Common, payload: Payload): readonly HookEvent[] | null {
  switch (payload["hook"]) {
    case "session_start":
      return [{ ...common, moment: "session-start", source: null }];
    case "before_prompt_build":
      return promptOf(common, payload);
    case "agent_end":
      return [{ ...common, moment: "stop", again: false }];
    case "session_end":
      return [{ ...common, moment: "session-end", reason: text(payload["reason"]) }];
    default:
      return null;
  }
}

/** What a timer, or another session, asks of the agent is answered, and not taken for its user's words. */
function promptOf(common: Common, payload: Payload): readonly HookEvent[] {
  const prompt = (text(payload["prompt"]) ?? "").trim();
  const { askedBy, provenance } = payload;
  const isUsers = (text(askedBy) ?? "user") === "user" && (text(provenance) ?? "external_user") === "external_user";
  if (prompt === "") return [];
  const only = isUsers ? {} : ({ only: "heard" } as const);
  return [{ ...common, ...only, moment: "prompt", prompt, promptId: text(payload["runId"]) }];
}

function ofCall(common: Common, payload: Payload): readonly HookEvent[] {
  if (payload["hook"] === "before_tool_call")
    return call(payload).map((fields) => ({ ...common, moment: "before-call", ...fields, takes: "decision" }));
  return payload["hook"] === "after_tool_call" ? afterCall(common, payload) : [];
}

/** Nothing can be said before a call, so it is said with the result. */
function afterCall(common: Common, payload: Payload): readonly HookEvent[] {
  const { durationMs, exitCode, isError, status } = payload;
  const error = text(payload["error"]);
  const end = {
    ok: isError !== true && error === null && status !== "error" && status !== "failed",
    text: contentText(payload["content"]) ?? error,
    exitCode: Number.isSafeInteger(exitCode) ? Number(exitCode) : null,
    durationMs: Number.isFinite(durationMs) ? Math.round(Number(durationMs)) : null,
  };
  return call(payload).flatMap((fields): HookEvent[] => [
    { ...common, moment: "after-call", ...fields, ...end },
    { ...common, moment: "before-call", ...fields, takes: "context" },
  ]);
}

function call(payload: Payload): readonly CallFields[] {
  const tool = text(payload["tool"]);
  return tool === null ? [] : [{ tool, input: payload["params"] ?? null, callId: text(payload["toolCallId"]) }];
}
