import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { isRecord, nonEmptyText } from "../../../lib/json.ts";
import { type ContextLimits, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import type { CallFields, HookEventBase, HookEvent } from "../../protocol/hook-event.ts";
import { encodeForPlugin } from "../../protocol/plugin-reply.ts";
import { readPiContent, piPromptId } from "../../transcripts/pi-texts.ts";

/** A session start takes no reply. */
const contextLimits: ContextLimits = { prompt: UNBOUNDED, "after-call": UNBOUNDED, stop: UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: true };

export const piProtocol: Protocol = {
  contextLimits,
  calls,
  personMoments: ["session-start", "stop"],
  decode,
  encode: encodeForPlugin,
};

type Payload = Readonly<Record<string, unknown>>;

/** Payloads come from our extension: pi's own fields plus the session, its folder and the model. */
function decode(payload: unknown): readonly HookEvent[] {
  const session = isRecord(payload) ? nonEmptyText(payload["session"]) : null;
  if (!isRecord(payload) || session === null) return [];
  const common: HookEventBase = {
    host: "pi",
    session,
    cwd: nonEmptyText(payload["cwd"]),
    model: nonEmptyText(payload["model"]),
    agent: null,
    hasScreen: payload["hasScreen"] === true,
    transcript: nonEmptyText(payload["transcript"]),
  };
  switch (payload["hook"]) {
    case "session_start":
      return [{ ...common, moment: "session-start", source: nonEmptyText(payload["reason"]) }];
    // Before the agent starts, a prompt has no id yet; when it has one, pi no longer takes a reply.
    case "before_agent_start":
      return parsePrompt({ ...common, only: "heard" }, { content: payload["prompt"] });
    case "message_end":
      return parsePrompt({ ...common, only: "stored" }, payload);
    case "tool_call":
      return parseCall(payload).map((fields) => ({ ...common, moment: "before-call", ...fields, takes: "decision" }));
    case "tool_result":
    case "tool_execution_end":
      return parseAfterCall(common, payload);
    case "agent_before_settle":
      return [{ ...common, only: "heard", moment: "stop", again: payload["again"] === true }];
    case "agent_settled":
      return [{ ...common, only: "stored", moment: "stop", again: false }];
    case "session_shutdown":
      return [{ ...common, moment: "session-end", reason: nonEmptyText(payload["reason"]) }];
    default:
      return [];
  }
}

function parsePrompt(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const prompt = (readPiContent(payload["content"]) ?? "").trim();
  return prompt === "" ? [] : [{ ...common, moment: "prompt", prompt, promptId: piPromptId(payload["timestamp"]) }];
}

/** pi takes no text before a call, so it is returned with the result. */
function parseAfterCall(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const { durationMs } = payload;
  const end = {
    ok: payload["isError"] !== true,
    text: readPiContent(payload["content"]),
    // It is part of the text.
    exitCode: null,
    durationMs: Number.isSafeInteger(durationMs) ? Number(durationMs) : null,
  };
  return parseCall(payload).flatMap((fields): HookEvent[] => [
    { ...common, moment: "after-call", ...fields, ...end },
    { ...common, moment: "before-call", ...fields, takes: "context" },
  ]);
}

function parseCall(payload: Payload): readonly CallFields[] {
  const tool = nonEmptyText(payload["toolName"]);
  return tool === null ? [] : [{ tool, input: payload["input"] ?? null, callId: nonEmptyText(payload["toolCallId"]) }];
}
