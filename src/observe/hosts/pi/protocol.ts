import type { CallControl } from "../../../domain/rule/delivery.ts";
import { isRecord, text } from "../../../lib/json.ts";
import { type Hearing, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import type { CallFields, Common, HookEvent } from "../../protocol/hook-event.ts";
import { encodeForPlugin } from "../../protocol/plugin-answer.ts";
import { contentText, promptName } from "../../transcripts/pi-texts.ts";

/** Nobody waits for an answer when a session begins. */
const hears: Hearing = { prompt: UNBOUNDED, "after-call": UNBOUNDED, stop: UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: true };

export const piProtocol: Protocol = { hears, calls, tells: ["session-start", "stop"], decode, encode: encodeForPlugin };

type Payload = Readonly<Record<string, unknown>>;

/** Payloads are our extension's: pi's own words, with the session, its folder and the model. */
function decode(payload: unknown): readonly HookEvent[] {
  const session = isRecord(payload) ? text(payload["session"]) : null;
  if (!isRecord(payload) || session === null) return [];
  const common: Common = {
    host: "pi",
    session,
    cwd: text(payload["cwd"]),
    model: text(payload["model"]),
    agent: null,
    hasScreen: payload["hasScreen"] === true,
    transcript: text(payload["transcript"]),
  };
  switch (payload["hook"]) {
    case "session_start":
      return [{ ...common, moment: "session-start", source: text(payload["reason"]) }];
    // Before the agent starts a prompt has no name yet, and when it has one nobody listens.
    case "before_agent_start":
      return promptOf({ ...common, only: "heard" }, { content: payload["prompt"] });
    case "message_end":
      return promptOf({ ...common, only: "stored" }, payload);
    case "tool_call":
      return call(payload).map((fields) => ({ ...common, moment: "before-call", ...fields, takes: "decision" }));
    case "tool_result":
    case "tool_execution_end":
      return afterCall(common, payload);
    case "agent_before_settle":
      return [{ ...common, only: "heard", moment: "stop", again: payload["again"] === true }];
    case "agent_settled":
      return [{ ...common, only: "stored", moment: "stop", again: false }];
    case "session_shutdown":
      return [{ ...common, moment: "session-end", reason: text(payload["reason"]) }];
    default:
      return [];
  }
}

function promptOf(common: Common, payload: Payload): readonly HookEvent[] {
  const prompt = (contentText(payload["content"]) ?? "").trim();
  return prompt === "" ? [] : [{ ...common, moment: "prompt", prompt, promptId: promptName(payload["timestamp"]) }];
}

/** Nothing can be said before a call, so it is said with the result. */
function afterCall(common: Common, payload: Payload): readonly HookEvent[] {
  const { durationMs } = payload;
  const end = {
    ok: payload["isError"] !== true,
    text: contentText(payload["content"]),
    // Written into the text.
    exitCode: null,
    durationMs: Number.isSafeInteger(durationMs) ? Number(durationMs) : null,
  };
  return call(payload).flatMap((fields): HookEvent[] => [
    { ...common, moment: "after-call", ...fields, ...end },
    { ...common, moment: "before-call", ...fields, takes: "context" },
  ]);
}

function call(payload: Payload): readonly CallFields[] {
  const tool = text(payload["toolName"]);
  return tool === null ? [] : [{ tool, input: payload["input"] ?? null, callId: text(payload["toolCallId"]) }];
}
