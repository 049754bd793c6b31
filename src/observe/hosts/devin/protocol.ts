import type { CallControl } from "../../../domain/rule/delivery.ts";
import { decodeLike, type Dialect, envelope } from "../../protocol/claude-like.ts";
import { type Hearing, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import { type Answer, inOneText, type HookEvent } from "../../protocol/hook-event.ts";

const hears: Hearing = {
  "session-start": UNBOUNDED,
  prompt: UNBOUNDED,
  "before-call": UNBOUNDED,
  "after-call": UNBOUNDED,
};

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: false };

export const devinProtocol: Protocol = { hears, calls, decode: (payload) => decodeLike(payload, dialect), encode };

const dialect: Dialect = {
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

/** Its documentation knows one decision, to block. What its user would have been asked is told to the model. */
function encode(seen: HookEvent, answer: Answer): string {
  const { context, decision } = answer;
  if (seen.moment === "stop" || seen.moment === "session-end") return "";
  if (seen.moment === "before-call" && decision?.kind === "deny")
    return JSON.stringify({ decision: "block", reason: inOneText(decision.reason, context) });
  const said = inOneText(seen.moment === "before-call" ? decision?.reason : undefined, context);
  return said === "" ? "" : envelope(seen, { context: said });
}
