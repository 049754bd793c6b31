import type { CallControl } from "../../../domain/rule/delivery.ts";
import { hashText } from "../../../lib/hash.ts";
import { isRecord, stringOr, text } from "../../../lib/json.ts";
import type { Hearing, Protocol } from "../../protocol/host.ts";
import { type Answer, type Common, inOneText, type HookEvent, systemMessage } from "../../protocol/hook-event.ts";
import { endInTail } from "./call-end.ts";
import { markedAnswer } from "../../protocol/marked-answer.ts";
import { screenOf } from "./screen.ts";

/** Over 2,500 tokens, which it counts as four bytes each, the text goes into a file and only its beginning is shown. */
const MOST = 9_000;

const hears: Hearing = { "session-start": MOST, prompt: MOST, "before-call": MOST, "after-call": MOST, stop: MOST };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: true };

export const codexProtocol: Protocol = {
  hears,
  calls,
  tells: ["session-start", "stop"],
  decode,
  encode,
  catchUp: async (ctx, seen) => {
    if (quiet.has(seen.moment)) await (await import("./catch-up.ts")).catchUp(ctx, seen);
  },
};

/** When nobody waits for a tool: then there is time to look what the hooks missed. */
const quiet: ReadonlySet<HookEvent["moment"]> = new Set(["session-start", "prompt", "stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;

function decode(payload: unknown): readonly HookEvent[] {
  if (!isRecord(payload) || typeof payload["session_id"] !== "string" || payload["session_id"] === "") return [];
  const common: Common = {
    host: "codex",
    session: payload["session_id"],
    cwd: text(payload["cwd"]),
    model: text(payload["model"]),
    agent: text(payload["agent_id"]),
    transcript: text(payload["transcript_path"]),
  };
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [{ ...common, ...screenOf(common.transcript), moment: "session-start", source: text(payload["source"]) }];
    case "UserPromptSubmit":
      return promptOf(common, payload);
    case "PreToolUse":
      return callOf(payload).map((call) => ({ ...common, moment: "before-call", ...call }));
    case "PostToolUse":
      return callOf(payload).map((call) => ({ ...common, moment: "after-call", ...call, ...endOf(common, payload) }));
    case "Stop":
      return [
        {
          ...common,
          ...screenOf(common.transcript),
          moment: "stop",
          again: payload["stop_hook_active"] === true,
          ...markedAnswer(payload),
        },
      ];
    case "SessionEnd":
      return [{ ...common, moment: "session-end", reason: text(payload["reason"]) }];
    default:
      return [];
  }
}

/** One key that Codex does not know, or a decision it does not know, and it drops the whole answer. */
function encode(seen: HookEvent, answer: Answer): string {
  const hookEventName = eventName[seen.moment];
  const { context, decision } = answer;
  const told = systemMessage(answer);
  if (seen.moment === "stop" && context !== undefined)
    return JSON.stringify({ ...told, decision: "block", reason: cut(context) });
  if (context === undefined && answer.forPerson !== undefined) return JSON.stringify(told);
  if (hookEventName === undefined) return "";
  if (seen.moment === "before-call" && decision?.kind === "deny") {
    // Early versions refuse a context beside a decision, so it goes into the reason.
    const permissionDecisionReason = cut(inOneText(decision.reason, context));
    return envelope({ hookEventName, permissionDecision: "deny", permissionDecisionReason });
  }
  // It cannot be made to ask: what its user would have been asked is told to the model.
  const said = inOneText(seen.moment === "before-call" ? decision?.reason : undefined, context);
  return said === "" ? "" : envelope({ hookEventName, additionalContext: cut(said) }, told);
}

/** Where a context reaches the model. */
const eventName: Readonly<Partial<Record<HookEvent["moment"], string>>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "before-call": "PreToolUse",
  "after-call": "PostToolUse",
};

function envelope(hookSpecificOutput: Readonly<Record<string, string>>, told: object = {}): string {
  return JSON.stringify({ ...told, hookSpecificOutput });
}

function cut(said: string): string {
  return said.slice(0, MOST);
}

/** What a sub-agent is asked comes from another agent: nobody's words. */
function promptOf(common: Common, payload: Payload): readonly HookEvent[] {
  const prompt = stringOr(payload["prompt"], "");
  if (prompt === "" || common.agent !== null) return [];
  return [{ ...common, moment: "prompt", prompt, promptId: promptId(text(payload["turn_id"]), prompt) }];
}

/** A turn may hear several prompts, typed while it runs; the transcript names them no better. */
export function promptId(turn: string | null, prompt: string): string | null {
  return turn === null ? null : `${turn}:${hashText(prompt)}`;
}

function callOf(payload: Payload): readonly { tool: string; input: unknown; callId: string | null }[] {
  const tool = text(payload["tool_name"]);
  return tool === null ? [] : [{ tool, input: payload["tool_input"] ?? null, callId: text(payload["tool_use_id"]) }];
}

/** A command that failed is told like one that did not; how it ended stands in the transcript already. */
function endOf(common: Common, payload: Payload) {
  const callId = text(payload["tool_use_id"]);
  const response = payload["tool_response"];
  const end = common.transcript === null || callId === null ? null : endInTail(common.transcript, callId);
  return {
    ok: end?.ok ?? !(isRecord(response) && response["isError"] === true),
    text: resultText(response),
    exitCode: end?.exitCode ?? null,
    durationMs: end?.durationMs ?? null,
  };
}

/** A string for its own tools, what the server said for the tools of others. */
export function resultText(result: unknown): string | null {
  if (typeof result === "string") return result;
  const content = isRecord(result) ? result["content"] : result;
  if (typeof content === "string") return content;
  const texts = Array.isArray(content) ? content.filter(isRecord).flatMap((part) => text(part["text"]) ?? []) : [];
  if (texts.length > 0) return texts.join("\n");
  return result === undefined || result === null ? null : JSON.stringify(result);
}
