import type { CallControl } from "../../../domain/rule/delivery.ts";
import { decodeLike, type Dialect, envelope } from "../../protocol/claude-like.ts";
import { type Hearing, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import type { Answer, HookEvent } from "../../protocol/hook-event.ts";

const hears: Hearing = { "session-start": UNBOUNDED, "before-call": UNBOUNDED, "after-call": UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "yes", holds: false };

export const vscodeProtocol: Protocol = {
  hears,
  calls,
  // Copilot CLI runs every hook in the same folder, and has its own of ours there.
  decode: (payload, env) => (env["COPILOT_CLI"] ? [] : decodeLike(payload, dialect)),
  encode,
};

const dialect: Dialect = {
  host: "vscode",
  moments: {
    SessionStart: "session-start",
    UserPromptSubmit: "prompt",
    PreToolUse: "before-call",
    PostToolUse: "after-call",
    Stop: "stop",
  },
};

/** A prompt takes no context, and a stop that says something does not stop. */
function encode(seen: HookEvent, answer: Answer): string {
  return seen.moment === "prompt" || seen.moment === "stop" ? "" : envelope(seen, answer);
}
