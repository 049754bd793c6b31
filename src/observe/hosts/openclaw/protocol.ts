import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { isRecord, nonEmptyText } from "../../../lib/json.ts";
import { type ContextLimits, type Protocol, UNBOUNDED } from "../../protocol/host.ts";
import type { CallFields, HookEventBase, HookEvent } from "../../protocol/hook-event.ts";
import { encodeForPlugin } from "../../protocol/plugin-reply.ts";
import { readPiContent } from "../../transcripts/pi-texts.ts";

/** A session start takes no reply, and after a run the agent does not continue because a hook asks for it. */
const contextLimits: ContextLimits = { prompt: UNBOUNDED, "after-call": UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: true };

export const openclawProtocol: Protocol = { contextLimits, calls, decode, encode: encodeForPlugin };

type Payload = Readonly<Record<string, unknown>>;

/** Payloads come from our plugin: OpenClaw's own fields plus the folder and the model. */
function decode(payload: unknown): readonly HookEvent[] {
  const session = isRecord(payload) ? nonEmptyText(payload["session"]) : null;
  if (!isRecord(payload) || session === null) return [];
  const isSubAgent = /:subagent:/.test(nonEmptyText(payload["sessionKey"]) ?? "");
  const common: HookEventBase = {
    host: "openclaw",
    session,
    cwd: nonEmptyText(payload["cwd"]),
    model: nonEmptyText(payload["model"]),
    // A sub-agent has its own session.
    agent: isSubAgent ? session : null,
    transcript: null,
  };
  return isSubAgent
    ? parseCallEvent(common, payload)
    : (parseSessionEvent(common, payload) ?? parseCallEvent(common, payload));
}

function parseSessionEvent(common: HookEventBase, payload: Payload): readonly HookEvent[] | null {
  switch (payload["hook"]) {
    case "session_start":
      return [{ ...common, moment: "session-start", source: null }];
    case "before_prompt_build":
      return parsePrompt(common, payload);
    case "agent_end":
      return [{ ...common, moment: "stop", again: false }];
    case "session_end":
      return [{ ...common, moment: "session-end", reason: nonEmptyText(payload["reason"]) }];
    default:
      return null;
  }
}

/** Prompts from a timer or another session are replied to, but not stored as the user's words. */
function parsePrompt(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const prompt = (nonEmptyText(payload["prompt"]) ?? "").trim();
  const { askedBy, provenance } = payload;
  const isUsers =
    (nonEmptyText(askedBy) ?? "user") === "user" && (nonEmptyText(provenance) ?? "external_user") === "external_user";
  if (prompt === "") return [];
  const only = isUsers ? {} : ({ only: "heard" } as const);
  return [{ ...common, ...only, moment: "prompt", prompt, promptId: nonEmptyText(payload["runId"]) }];
}

function parseCallEvent(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  if (payload["hook"] === "before_tool_call")
    return parseCall(payload).map((fields) => ({ ...common, moment: "before-call", ...fields, takes: "decision" }));
  return payload["hook"] === "after_tool_call" ? parseAfterCall(common, payload) : [];
}

/** OpenClaw takes no text before a call, so it is returned with the result. */
function parseAfterCall(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const { durationMs, exitCode, isError, status } = payload;
  const error = nonEmptyText(payload["error"]);
  const end = {
    ok: isError !== true && error === null && status !== "error" && status !== "failed",
    text: readPiContent(payload["content"]) ?? error,
    exitCode: Number.isSafeInteger(exitCode) ? Number(exitCode) : null,
    durationMs: Number.isFinite(durationMs) ? Math.round(Number(durationMs)) : null,
  };
  return parseCall(payload).flatMap((fields): HookEvent[] => [
    { ...common, moment: "after-call", ...fields, ...end },
    { ...common, moment: "before-call", ...fields, takes: "context" },
  ]);
}

function parseCall(payload: Payload): readonly CallFields[] {
  const tool = nonEmptyText(payload["tool"]);
  return tool === null ? [] : [{ tool, input: payload["params"] ?? null, callId: nonEmptyText(payload["toolCallId"]) }];
}
