import type { CallControl } from "../../../domain/rule/delivery.ts";
import { isRecord, stringOr, text } from "../../../lib/json.ts";
import { type Hearing, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import { type Answer, type CallFields, type Common, type HookEvent, systemMessage } from "../../protocol/hook-event.ts";
import { callIdIn, lastMessage, promptIdAfter } from "./identity.ts";
import { commandEnd, textOfParts, withoutHookContext } from "./texts.ts";

const hears: Hearing = { "session-start": UNBOUNDED, prompt: UNBOUNDED, "after-call": UNBOUNDED, stop: UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "hangs", holds: true };

export const geminiProtocol: Protocol = {
  hears,
  calls,
  // Not at a stop: what is said there takes the place of the reason to go on.
  tells: ["session-start"],
  decode,
  encode,
  catchUp: async (ctx, seen) => {
    if (quiet.has(seen.moment)) await (await import("./transcript.ts")).catchUp(ctx, seen);
  },
};

/** When nobody waits for a tool: then there is time to look what the hooks missed. */
const quiet: ReadonlySet<HookEvent["moment"]> = new Set(["session-start", "prompt", "stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;

function decode(payload: unknown, env: Readonly<Record<string, string | undefined>>): readonly HookEvent[] {
  if (!isRecord(payload) || typeof payload["session_id"] !== "string" || payload["session_id"] === "") return [];
  // Its offspring know the same settings and some of the same events.
  if (env["QWEN_CODE_SESSION_ID"] === payload["session_id"]) return [];
  const common: Common = {
    host: "gemini",
    session: payload["session_id"],
    cwd: text(payload["cwd"]),
    model: null,
    agent: null,
    transcript: text(payload["transcript_path"]),
  };
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [{ ...common, moment: "session-start", source: text(payload["source"]) }];
    case "BeforeAgent":
      return promptOf(common, payload);
    case "BeforeTool":
      return call(common, payload).map((fields) => ({
        ...common,
        moment: "before-call",
        ...fields,
        takes: "decision",
      }));
    case "AfterTool":
      return afterCall(common, payload);
    case "AfterAgent":
      return [{ ...common, moment: "stop", again: payload["stop_hook_active"] === true }];
    case "SessionEnd":
      return [{ ...common, moment: "session-end", reason: text(payload["reason"]) }];
    default:
      return [];
  }
}

/** Nothing but JSON: Gemini CLI shows its user any other text. */
function encode(seen: HookEvent, answer: Answer): string {
  const event = seen.heardAs ?? eventName[seen.moment];
  if (event === "BeforeTool") {
    const { decision } = answer;
    return decision ? JSON.stringify({ decision: decision.kind, reason: decision.reason }) : "";
  }
  if (seen.moment === "stop" && answer.context !== undefined)
    return JSON.stringify({ decision: "deny", reason: answer.context });
  // The one way in which something comes with a tool's error: as the error itself, so that it begins with what it was.
  if (seen.moment === "after-call" && event === TOOL_ERROR)
    return answer.context === undefined
      ? ""
      : JSON.stringify({ decision: "deny", reason: `${seen.text ?? ""}\n${answer.context}`.trim() });
  const told = systemMessage(answer);
  if (event === undefined || answer.context === undefined)
    return answer.forPerson === undefined ? "" : JSON.stringify(told);
  return JSON.stringify({ ...told, hookSpecificOutput: { hookEventName: event, additionalContext: answer.context } });
}

/** The same event, of a call whose result is thrown away. */
const TOOL_ERROR = "AfterTool, with an error";

/** Where context reaches the model, and the one moment that takes a decision. */
const eventName: Readonly<Partial<Record<HookEvent["moment"], string>>> = {
  "session-start": "SessionStart",
  prompt: "BeforeAgent",
  "before-call": "BeforeTool",
  "after-call": "AfterTool",
};

function promptOf(common: Common, payload: Payload): readonly HookEvent[] {
  const prompt = withoutHookContext(stringOr(payload["prompt"], ""));
  if (prompt === "") return [];
  const before = lastMessage(common.transcript, "any");
  return [{ ...common, moment: "prompt", prompt, promptId: before && promptIdAfter(before, prompt) }];
}

/**
 * What is said before a call is thrown away, so it is said with the result. Of a call that ended in a tool's error
 * the result is thrown away too, and with it what was added to it; a command's exit code is no such error.
 */
function afterCall(common: Common, payload: Payload): readonly HookEvent[] {
  const response = isRecord(payload["tool_response"]) ? payload["tool_response"] : {};
  const { error } = response;
  const heard = { ...common, heardAs: "AfterTool" };
  return call(common, payload).flatMap((fields): HookEvent[] => {
    const after = { ...heard, moment: "after-call", ...fields, durationMs: null } as const;
    if (isRecord(error))
      return [{ ...after, heardAs: TOOL_ERROR, ok: false, text: text(error["message"]), exitCode: null }];
    const said = textOfParts(response["llmContent"]);
    const late: HookEvent = { ...heard, moment: "before-call", ...fields, takes: "context" };
    return [{ ...after, text: said, ...commandEnd(fields.tool, said) }, late];
  });
}

function call(common: Common, payload: Payload): readonly CallFields[] {
  const tool = payload["tool_name"];
  if (typeof tool !== "string" || tool === "") return [];
  const input = payload["tool_input"] ?? null;
  const message = payload["hook_event_name"] === "AfterTool" ? lastMessage(common.transcript, "model") : null;
  return [{ tool, input, callId: message && callIdIn(message, tool, input) }];
}
