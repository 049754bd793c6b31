import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { isRecord, stringOr, nonEmptyText } from "../../../lib/json.ts";
import { type ContextLimits, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import type { CallFields, HookEventBase, HookEvent } from "../../protocol/hook-event.ts";
import { encodeForPlugin } from "../../protocol/plugin-reply.ts";
import { parseCompletedCall, type OpencodeCallEnd, parseThrownCall } from "./call-end.ts";

/** Session start and idle are broadcast events, which take no reply. */
const contextLimits: ContextLimits = { prompt: UNBOUNDED, "after-call": UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: true };

export const opencodeProtocol: Protocol = {
  contextLimits,
  calls,
  personMoments: ["session-start", "stop"],
  decode,
  encode: encodeForPlugin,
};

type Payload = Readonly<Record<string, unknown>>;

/**
 * Payloads come from our plugin: opencode's own fields plus the folder, the model and the session that a sub-agent
 * works for.
 */
function decode(payload: unknown): readonly HookEvent[] {
  if (!isRecord(payload)) return [];
  const own = nonEmptyText(payload["session"]);
  if (own === null) return [];
  const session = nonEmptyText(payload["root"]) ?? own;
  const common: HookEventBase = {
    host: "opencode",
    session,
    cwd: nonEmptyText(payload["directory"]),
    model: nonEmptyText(payload["model"]),
    // A sub-agent has its own session.
    agent: own === session ? null : own,
    hasScreen: payload["hasScreen"] === true,
    transcript: null,
  };
  return common.agent === null
    ? (parseSessionEvent(common, payload) ?? parseCallEvent(common, payload))
    : parseCallEvent(common, payload);
}

/** A sub-agent's start, task and end are part of the call that started it. */
function parseSessionEvent(common: HookEventBase, payload: Payload): readonly HookEvent[] | null {
  switch (payload["hook"]) {
    case "session.created":
      return [{ ...common, moment: "session-start", source: null }];
    case "chat.message":
      return parsePrompt(common, payload);
    case "session.idle":
      return [{ ...common, moment: "stop", again: false }];
    case "dispose":
      return [{ ...common, moment: "session-end", reason: null }];
    default:
      return null;
  }
}

function parseCallEvent(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  switch (payload["hook"]) {
    case "tool.execute.before":
      return parseCall(payload, "args").map((fields) => ({
        ...common,
        moment: "before-call",
        ...fields,
        takes: "decision",
      }));
    case "tool.execute.after":
      return parseAfterCall(common, parseCall(payload, "args"), {
        ...parseCompletedCall(stringOr(payload["tool"], ""), payload["result"]),
        durationMs: wholeNumber(payload["durationMs"]),
      });
    case "message.part.updated": {
      const part = isRecord(payload["part"]) ? payload["part"] : {};
      const state = isRecord(part["state"]) ? part["state"] : {};
      if (state["status"] !== "error") return [];
      return parseAfterCall(common, parseCall({ ...part, input: state["input"] }, "input"), parseThrownCall(state));
    }
    default:
      return [];
  }
}

/** opencode takes no text before a call, so it is returned with the result. */
function parseAfterCall(
  common: HookEventBase,
  calls: readonly CallFields[],
  end: OpencodeCallEnd,
): readonly HookEvent[] {
  return calls.flatMap((fields): HookEvent[] => [
    { ...common, moment: "after-call", ...fields, ...end },
    { ...common, moment: "before-call", ...fields, takes: "context" },
  ]);
}

function parsePrompt(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const texts = Array.isArray(payload["texts"]) ? payload["texts"].filter((one) => typeof one === "string") : [];
  const prompt = texts.join("\n").trim();
  return prompt === "" ? [] : [{ ...common, moment: "prompt", prompt, promptId: nonEmptyText(payload["messageID"]) }];
}

function parseCall(fields: Payload, input: string): readonly CallFields[] {
  const tool = nonEmptyText(fields["tool"]);
  return tool === null ? [] : [{ tool, input: fields[input] ?? null, callId: nonEmptyText(fields["callID"]) }];
}

function wholeNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) ? Number(value) : null;
}
