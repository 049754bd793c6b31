import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { isRecord, nonEmptyText } from "../../../lib/json.ts";
import { firstText } from "../../protocol/claude-like.ts";
import type { ContextLimits, Protocol } from "../../protocol/host.ts";
import { type Reply, type HookEventBase, joinReasonAndContext, type HookEvent } from "../../protocol/hook-event.ts";

const contextLimits: ContextLimits = {};

const calls: CallControl = { note: "never", refusal: "the call", asks: "yes", holds: false };

export const antigravityProtocol: Protocol = {
  contextLimits,
  calls,
  decode,
  encode,
  defaultReply,
};

type Payload = Readonly<Record<string, unknown>>;

/** A payload does not name its event; its fields show which one it is. */
function decode(payload: unknown): readonly HookEvent[] {
  if (!isRecord(payload)) return [];
  const session = nonEmptyText(payload["conversationId"]);
  if (session === null) return [];
  const call = parseCall(payload);
  const common: HookEventBase = {
    host: "antigravity",
    session,
    cwd: firstText(payload["workspacePaths"]) ?? readCwd(call?.input),
    model: nonEmptyText(payload["modelName"]),
    agent: null,
    transcript: nonEmptyText(payload["transcriptPath"]),
  };
  if (call !== null && isBeforeCall(payload)) {
    // The reply to a call is allow or deny; there is no field for text.
    return [{ ...common, moment: "before-call", ...call, takes: "decision" }];
  }
  if (call !== null) return [{ ...common, moment: "after-call", ...call, ...parseResult(payload) }];
  return "terminationReason" in payload ? [{ ...common, moment: "stop", again: false }] : [];
}

function encode(event: HookEvent, reply: Reply): string {
  const { decision } = reply;
  if (event.moment !== "before-call") return "{}";
  if (!decision) return ALLOW;
  return JSON.stringify({ decision: decision.kind, reason: joinReasonAndContext(decision.reason, reply.context) });
}

/** Before a call, an empty reply means no. At other events, a `decision` is an error. */
function defaultReply(payload: unknown): string {
  return payload === undefined || isBeforeCall(payload) ? ALLOW : "{}";
}

const ALLOW = '{"decision":"allow"}';

/** Only a finished call has an `error`, which may be empty. */
function isBeforeCall(payload: unknown): boolean {
  return isRecord(payload) && "toolCall" in payload && !("error" in payload) && !("result" in payload);
}

/** Each step of a conversation is one call, with the same number before and after it. */
function parseCall(
  payload: Payload,
): { readonly tool: string; readonly input: unknown; readonly callId: string | null } | null {
  const call = payload["toolCall"];
  const tool = isRecord(call) ? nonEmptyText(call["name"]) : null;
  if (!isRecord(call) || tool === null) return null;
  const step = payload["stepIdx"];
  const callId =
    typeof step === "number" && Number.isInteger(step) ? `${nonEmptyText(payload["conversationId"])}:${step}` : null;
  return { tool, input: call["args"] ?? null, callId };
}

function readCwd(input: unknown): string | null {
  return isRecord(input) ? nonEmptyText(input["Cwd"]) : null;
}

function parseResult(payload: Payload) {
  const error = nonEmptyText(payload["error"]);
  return { ok: error === null, text: error ?? nonEmptyText(payload["result"]), exitCode: null, durationMs: null };
}
