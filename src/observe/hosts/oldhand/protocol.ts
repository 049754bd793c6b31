import type { CallControl } from "../../../domain/rule/delivery.ts";
import { isRecord } from "../../../lib/json.ts";
import { type ContextLimits, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import type { CallFields, HookEventBase, HookEvent } from "../../protocol/hook-event.ts";

/** Our own agent hears everything at the moment it is said. */
const contextLimits: ContextLimits = {
  "session-start": UNBOUNDED,
  prompt: UNBOUNDED,
  "before-call": UNBOUNDED,
  "after-call": UNBOUNDED,
  stop: UNBOUNDED,
};

const calls: CallControl = { note: "in time", refusal: "the call", asks: "yes", holds: false };

/** Events come in as we have them, one or a list; the answer goes out as it is. */
export const oldhandProtocol: Protocol = {
  contextLimits,
  calls,
  decode: (payload) => (Array.isArray(payload) ? payload : [payload]).flatMap(readEvent),
  encode: (_event, answer) => JSON.stringify(answer),
};

type Payload = Readonly<Record<string, unknown>>;

/** Who embeds oldhand may be older, newer or wrong: what is no event is left out. */
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
      // Who asks in a program of their own decides by themselves whether their agent goes on.
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
