import type { CallControl } from "../../../domain/rule/delivery.ts";
import { decodeClaudeLike, type HookEventMap } from "../../protocol/claude-like.ts";
import type { ContextLimits, Protocol } from "../../protocol/host.ts";

const contextLimits: ContextLimits = {};

const calls: CallControl = { note: "never", refusal: "nothing", asks: "no", holds: false };

/**
 * Nothing is said: before a call Kiro hears a refusal only, and that by an exit code, which a hook of ours never uses;
 * after a call it hears nothing.
 */
export const kiroProtocol: Protocol = {
  contextLimits,
  calls,
  decode: (payload) => decodeClaudeLike(payload, eventMap),
  encode: () => "",
};

/** The names of version 3, and those of version 2 for hooks that were moved there. */
const eventMap: HookEventMap = {
  host: "kiro",
  moments: {
    UserPromptSubmit: "prompt",
    userPromptSubmit: "prompt",
    PostToolUse: "after-call",
    postToolUse: "after-call",
    Stop: "stop",
    stop: "stop",
  },
};
