import type { CallControl } from "../../../domain/rule/delivery.ts";
import { isRecord, text } from "../../../lib/json.ts";
import { type Hearing, type Protocol, UNBOUNDED } from "../../protocol/host.ts";
import type { CallFields, Common, HookEvent } from "../../protocol/hook-event.ts";
import { encodeForPlugin } from "../../protocol/plugin-answer.ts";

/** Nobody answers when a session begins; an answer to a stop would be a message of the user's. */
const hears: Hearing = { prompt: UNBOUNDED, "after-call": UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: false };

export const ampProtocol: Protocol = { hears, calls, decode, encode: encodeForPlugin };

type Payload = Readonly<Record<string, unknown>>;

/** Payloads are our plugin's: Amp's own words, with the folder. */
function decode(payload: unknown): readonly HookEvent[] {
  const session = isRecord(payload) ? text(payload["thread"]) : null;
  if (!isRecord(payload) || session === null) return [];
  const common: Common = {
    host: "amp",
    session,
    cwd: text(payload["cwd"]),
    model: null,
    agent: null,
    transcript: null,
  };
  switch (payload["hook"]) {
    case "session.start":
      return [{ ...common, moment: "session-start", source: null }];
    case "agent.start":
      return promptOf(common, payload);
    case "tool.call":
      return call(payload).map((fields) => ({ ...common, moment: "before-call", ...fields, takes: "decision" }));
    case "tool.result":
      return afterCall(common, payload);
    case "agent.end":
      return [{ ...common, moment: "stop", again: false }];
    case "dispose":
      return [{ ...common, moment: "session-end", reason: null }];
    default:
      return [];
  }
}

/** Its messages are numbered within a thread, or have a name. */
function promptOf(common: Common, payload: Payload): readonly HookEvent[] {
  const prompt = (text(payload["message"]) ?? "").trim();
  const { id } = payload;
  const promptId = Number.isSafeInteger(id) ? String(id) : text(id);
  return prompt === "" ? [] : [{ ...common, moment: "prompt", prompt, promptId }];
}

/** Nothing can be said before a call, so it is said with the result. */
function afterCall(common: Common, payload: Payload): readonly HookEvent[] {
  const { durationMs } = payload;
  const end = { ...endOf(payload), durationMs: Number.isSafeInteger(durationMs) ? Number(durationMs) : null };
  return call(payload).flatMap((fields): HookEvent[] => [
    { ...common, moment: "after-call", ...fields, ...end },
    { ...common, moment: "before-call", ...fields, takes: "context" },
  ]);
}

type End = Pick<Extract<HookEvent, { moment: "after-call" }>, "ok" | "text" | "exitCode">;

/** A command that exited with 3 is done like any other. */
function endOf({ status, error, output }: Payload): End {
  const { exitCode } = isRecord(output) ? output : {};
  const parts = [status === "cancelled" ? "Interrupted by user" : null, text(error), outputText(output)];
  const told = parts.filter((part) => part !== null).join("\n");
  return {
    ok: status === "done",
    text: text(told),
    exitCode: Number.isSafeInteger(exitCode) ? Number(exitCode) : null,
  };
}

function outputText(output: unknown): string | null {
  if (output === undefined || output === null || typeof output === "string") return text(output);
  if (Array.isArray(output))
    return text(output.flatMap((part) => (isRecord(part) ? (text(part["text"]) ?? []) : [])).join("\n"));
  return (isRecord(output) ? text(output["output"]) : null) ?? JSON.stringify(output) ?? null;
}

function call(payload: Payload): readonly CallFields[] {
  const tool = text(payload["tool"]);
  return tool === null ? [] : [{ tool, input: payload["input"] ?? null, callId: text(payload["toolUseID"]) }];
}
