import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { decodeClaudeLike, type HookEventMap, encodeClaudeLike } from "../../protocol/claude-like.ts";
import { type ContextLimits, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import { type Reply, joinReasonAndContext, type HookEvent } from "../../protocol/hook-event.ts";

const contextLimits: ContextLimits = {
  "session-start": UNBOUNDED,
  prompt: UNBOUNDED,
  "before-call": UNBOUNDED,
  "after-call": UNBOUNDED,
};

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: false };

export const devinProtocol: Protocol = {
  contextLimits,
  calls,
  decode: (payload) => decodeClaudeLike(payload, eventMap),
  encode,
};

const eventMap: HookEventMap = {
  host: "devin",
  moments: {
    SessionStart: "session-start",
    UserPromptSubmit: "prompt",
    PreToolUse: "before-call",
    PostToolUse: "after-call",
    Stop: "stop",
    SessionEnd: "session-end",
  },
};

/** Its documentation has one decision, block. A question for the user is given to the model instead. */
function encode(event: HookEvent, reply: Reply): string {
  const { context, decision } = reply;
  if (event.moment === "stop" || event.moment === "session-end") return "";
  if (event.moment === "before-call" && decision?.kind === "deny")
    return JSON.stringify({ decision: "block", reason: joinReasonAndContext(decision.reason, context) });
  const message = joinReasonAndContext(event.moment === "before-call" ? decision?.reason : undefined, context);
  return message === "" ? "" : encodeClaudeLike(event, { context: message });
}
