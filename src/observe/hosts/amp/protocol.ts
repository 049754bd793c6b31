import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { isRecord, nonEmptyText } from "../../../lib/json.ts";
import { type ContextLimits, type Protocol, UNBOUNDED } from "../../protocol/host.ts";
import type { CallFields, HookEventBase, HookEvent } from "../../protocol/hook-event.ts";
import { encodeForPlugin } from "../../protocol/plugin-reply.ts";

/** A session start takes no reply; a reply to a stop would count as a user message. */
const contextLimits: ContextLimits = { prompt: UNBOUNDED, "after-call": UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: false };

export const ampProtocol: Protocol = { contextLimits, calls, decode, encode: encodeForPlugin };

type Payload = Readonly<Record<string, unknown>>;

/** Payloads come from our plugin: Amp's own fields plus the folder. */
function decode(payload: unknown): readonly HookEvent[] {
  const session = isRecord(payload) ? nonEmptyText(payload["thread"]) : null;
  if (!isRecord(payload) || session === null) return [];
  const common: HookEventBase = {
    host: "amp",
    session,
    cwd: nonEmptyText(payload["cwd"]),
    model: null,
    agent: null,
    transcript: null,
  };
  switch (payload["hook"]) {
    case "session.start":
      return [{ ...common, moment: "session-start", source: null }];
    case "agent.start":
      return parsePrompt(common, payload);
    case "tool.call":
      return parseCall(payload).map((fields) => ({ ...common, moment: "before-call", ...fields, takes: "decision" }));
    case "tool.result":
      return parseAfterCall(common, payload);
    case "agent.end":
      return [{ ...common, moment: "stop", again: false }];
    case "dispose":
      return [{ ...common, moment: "session-end", reason: null }];
    default:
      return [];
  }
}

/** A message has a number within its thread, or a name. */
function parsePrompt(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const prompt = (nonEmptyText(payload["message"]) ?? "").trim();
  const { id } = payload;
  const promptId = Number.isSafeInteger(id) ? String(id) : nonEmptyText(id);
  return prompt === "" ? [] : [{ ...common, moment: "prompt", prompt, promptId }];
}

/** Amp takes no text before a call, so it is returned with the result. */
function parseAfterCall(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const { durationMs } = payload;
  const end = { ...parseResult(payload), durationMs: Number.isSafeInteger(durationMs) ? Number(durationMs) : null };
  return parseCall(payload).flatMap((fields): HookEvent[] => [
    { ...common, moment: "after-call", ...fields, ...end },
    { ...common, moment: "before-call", ...fields, takes: "context" },
  ]);
}

type End = Pick<Extract<HookEvent, { moment: "after-call" }>, "ok" | "text" | "exitCode">;

/** A command with a non-zero exit code also has the status `done`. */
function parseResult({ status, error, output }: Payload): End {
  const { exitCode } = isRecord(output) ? output : {};
  const parts = [status === "cancelled" ? "Interrupted by user" : null, nonEmptyText(error), readOutput(output)];
  const printed = parts.filter((part) => part !== null).join("\n");
  return {
    ok: status === "done",
    text: nonEmptyText(printed),
    exitCode: Number.isSafeInteger(exitCode) ? Number(exitCode) : null,
  };
}

function readOutput(output: unknown): string | null {
  if (output === undefined || output === null || typeof output === "string") return nonEmptyText(output);
  if (Array.isArray(output))
    return nonEmptyText(
      output.flatMap((part) => (isRecord(part) ? (nonEmptyText(part["text"]) ?? []) : [])).join("\n"),
    );
  return (isRecord(output) ? nonEmptyText(output["output"]) : null) ?? JSON.stringify(output) ?? null;
}

function parseCall(payload: Payload): readonly CallFields[] {
  const tool = nonEmptyText(payload["tool"]);
  return tool === null ? [] : [{ tool, input: payload["input"] ?? null, callId: nonEmptyText(payload["toolUseID"]) }];
}
