import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { isRecord } from "../../../lib/json.ts";
import { type ContextLimits, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import type { CallFields, HookEventBase, HookEvent } from "../../protocol/hook-event.ts";

/** Our own agent takes text at every moment. */
const contextLimits: ContextLimits = {
  "session-start": UNBOUNDED,
  prompt: UNBOUNDED,
  "before-call": UNBOUNDED,
  "after-call": UNBOUNDED,
  stop: UNBOUNDED,
};

const calls: CallControl = { note: "in time", refusal: "the call", asks: "yes", holds: false };

/** Takes events in our own form, one or a list; the reply is not converted. */
export const oldhandProtocol: Protocol = {
  contextLimits,
  calls,
  decode: (payload) => (Array.isArray(payload) ? payload : [payload]).flatMap(readEvent),
  encode: (_event, reply) => JSON.stringify(reply),
};

type Payload = Readonly<Record<string, unknown>>;

/** The embedding program may be older, newer or wrong: anything that is not an event is skipped. */
function readEvent(payload: unknown): readonly HookEvent[] {
  const session = isRecord(payload) ? text(payload["session"]) : null;
  if (!isRecord(payload) || session === null) return [];
  const common: HookEventBase = {
    host: "oldhand",
    session,
    cwd: text(payload["cwd"]),
    model: text(payload["model"]),
    agent: text(payload["agent"]),
    transcript: null,
  };
  switch (payload["moment"]) {
    case "session-start":
      return [{ ...common, moment: "session-start", source: text(payload["source"]) }];
    case "prompt": {
      const prompt = text(payload["prompt"]);
      return prompt === null ? [] : [{ ...common, moment: "prompt", prompt, promptId: text(payload["promptId"]) }];
    }
    case "before-call":
      return parseCall(payload).map((call) => ({ ...common, moment: "before-call", ...call }));
    case "after-call":
      return parseCall(payload).map((call) => ({ ...common, moment: "after-call", ...call, ...parseResult(payload) }));
    case "stop": {
      const lastMessage = text(payload["said"]);
      // The embedding program decides itself whether its agent continues.
      return [
        {
          ...common,
          hasScreen: true,
          moment: "stop",
          again: payload["again"] === true,
          ...(lastMessage === null ? {} : { said: lastMessage }),
        },
      ];
    }
    case "session-end":
      return [{ ...common, moment: "session-end", reason: text(payload["reason"]) }];
    default:
      return [];
  }
}

function parseCall(payload: Payload): readonly CallFields[] {
  const tool = text(payload["tool"]);
  return tool === null ? [] : [{ tool, input: payload["input"] ?? null, callId: text(payload["callId"]) }];
}

function parseResult(payload: Payload) {
  return {
    ok: payload["ok"] !== false,
    text: text(payload["text"]),
    exitCode: wholeNumber(payload["exitCode"]),
    durationMs: wholeNumber(payload["durationMs"]),
  };
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function wholeNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) ? Number(value) : null;
}
