import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { decodeClaudeLike, type HookEventMap, encodeClaudeLike } from "../../protocol/claude-like.ts";
import { type ContextLimits, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import type { Reply, HookEvent } from "../../protocol/hook-event.ts";

const contextLimits: ContextLimits = { "session-start": UNBOUNDED, "before-call": UNBOUNDED, "after-call": UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "yes", holds: false };

export const vscodeProtocol: Protocol = {
  contextLimits,
  calls,
  // Copilot CLI runs every hook in the same folder, and has its own oldhand hooks there.
  decode: (payload, env) => (env["COPILOT_CLI"] ? [] : decodeClaudeLike(payload, eventMap)),
  encode,
};

const eventMap: HookEventMap = {
  host: "vscode",
  moments: {
    SessionStart: "session-start",
    UserPromptSubmit: "prompt",
    PreToolUse: "before-call",
    PostToolUse: "after-call",
    Stop: "stop",
  },
};

/** A prompt takes no context, and a text at stop would prevent the stop. */
function encode(event: HookEvent, reply: Reply): string {
  return event.moment === "prompt" || event.moment === "stop" ? "" : encodeClaudeLike(event, reply);
}
