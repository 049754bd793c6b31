import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { decodeClaudeLike, type HookEventMap } from "../../protocol/claude-like.ts";
import type { ContextLimits, Protocol } from "../../protocol/host.ts";

const contextLimits: ContextLimits = {};

const calls: CallControl = { note: "never", refusal: "nothing", asks: "no", holds: false };

/**
 * Encodes nothing: before a call Kiro only takes a refusal by exit code, which our hooks never use; after a call it
 * takes nothing.
 */
export const kiroProtocol: Protocol = {
  contextLimits,
  calls,
  decode: (payload) => decodeClaudeLike(payload, eventMap),
  encode: () => "",
};

/** The event names of version 3, and those of version 2 for migrated hooks. */
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
