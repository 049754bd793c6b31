import type { CallControl } from "../../../domain/rule/delivery.ts";
import { isRecord, text } from "../../../lib/json.ts";
import { firstText } from "../../protocol/claude-like.ts";
import type { Hearing, Protocol } from "../../protocol/host.ts";
import { type Answer, type Common, inOneText, type HookEvent } from "../../protocol/hook-event.ts";

const hears: Hearing = {};

const calls: CallControl = { note: "never", refusal: "the call", asks: "yes", holds: false };

export const antigravityProtocol: Protocol = { hears, calls, decode, encode, silence };

type Payload = Readonly<Record<string, unknown>>;

/** A payload does not say which event it is of; what is in it tells. */
function decode(payload: unknown): readonly HookEvent[] {
  if (!isRecord(payload)) return [];
  const session = text(payload["conversationId"]);
  if (session === null) return [];
  const call = callIn(payload);
  const common: Common = {
    host: "antigravity",
    session,
    cwd: firstText(payload["workspacePaths"]) ?? cwdOf(call?.input),
    model: text(payload["modelName"]),
    agent: null,
    transcript: text(payload["transcriptPath"]),
  };
  if (call !== null && isBefore(payload)) {
    // A call is allowed or not; there is no room for words beside it.
    return [{ ...common, moment: "before-call", ...call, takes: "decision" }];
  }
  if (call !== null) return [{ ...common, moment: "after-call", ...call, ...endOf(payload) }];
  return "terminationReason" in payload ? [{ ...common, moment: "stop", again: false }] : [];
}

function encode(seen: HookEvent, answer: Answer): string {
  const { decision } = answer;
  if (seen.moment !== "before-call") return "{}";
  if (!decision) return allow;
  return JSON.stringify({ decision: decision.kind, reason: inOneText(decision.reason, answer.context) });
}

/** An empty answer to a call that is about to run means no; to anything else, a word too many is an error. */
function silence(payload: unknown): string {
  return payload === undefined || isBefore(payload) ? allow : "{}";
}

const allow = '{"decision":"allow"}';

/** Only a call that has ended has an error, be it an empty one. */
function isBefore(payload: unknown): boolean {
  return isRecord(payload) && "toolCall" in payload && !("error" in payload) && !("result" in payload);
}

/** A step of a conversation is one call: before and after it the number is the same. */
function callIn(
  payload: Payload,
): { readonly tool: string; readonly input: unknown; readonly callId: string | null } | null {
  const call = payload["toolCall"];
  const tool = isRecord(call) ? text(call["name"]) : null;
  if (!isRecord(call) || tool === null) return null;
  const step = payload["stepIdx"];
  const callId =
    typeof step === "number" && Number.isInteger(step) ? `${text(payload["conversationId"])}:${step}` : null;
  return { tool, input: call["args"] ?? null, callId };
}

function cwdOf(input: unknown): string | null {
  return isRecord(input) ? text(input["Cwd"]) : null;
}

function endOf(payload: Payload) {
  const error = text(payload["error"]);
  return { ok: error === null, text: error ?? text(payload["result"]), exitCode: null, durationMs: null };
}
