import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { decodeClaudeLike, type HookEventMap } from "../../protocol/claude-like.ts";
import { type ContextLimits, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import { isRecord } from "../../../lib/json.ts";
import { type Reply, joinReasonAndContext, type HookEvent } from "../../protocol/hook-event.ts";
import { parseHostVersion } from "../../protocol/host-version.ts";

/** The editor drops text given at session start; a reply to a stop would count as a user message. */
const contextLimits: ContextLimits = { prompt: UNBOUNDED, "before-call": UNBOUNDED, "after-call": UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: false };

export const cursorProtocol: Protocol = { contextLimits, calls, decode, encode };

/** Every payload contains the version; storing it with session starts and prompts is enough. */
function decode(payload: unknown): readonly HookEvent[] {
  const version = isRecord(payload) ? parseHostVersion(payload["cursor_version"]) : {};
  return decodeClaudeLike(payload, eventMap).map((event) =>
    event.moment === "session-start" || event.moment === "prompt" ? { ...event, ...version } : event,
  );
}

/** Without the events of single kinds of calls: these report each call already. */
const eventMap: HookEventMap = {
  host: "cursor",
  moments: {
    sessionStart: "session-start",
    beforeSubmitPrompt: "prompt",
    preToolUse: "before-call",
    postToolUse: "after-call",
    postToolUseFailure: "failed-call",
    stop: "stop",
    sessionEnd: "session-end",
  },
};

function encode(event: HookEvent, reply: Reply): string {
  // Text at the end would restart the work, because Cursor takes it as a user message.
  if (event.moment === "stop" || event.moment === "session-end") return "";
  const { context, decision } = reply;
  if (event.moment === "before-call" && decision?.kind === "deny") {
    const message = joinReasonAndContext(decision.reason, context);
    return JSON.stringify({ permission: "deny", user_message: decision.reason, agent_message: message });
  }
  // Before a tool, Cursor cannot ask its user; the question is given to the model instead.
  const message = joinReasonAndContext(event.moment === "before-call" ? decision?.reason : undefined, context);
  return message === "" ? "" : JSON.stringify({ additional_context: message });
}
