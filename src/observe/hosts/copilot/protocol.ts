import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { join } from "node:path";
import { isRecord, stringOr, nonEmptyText, tryParseJson } from "../../../lib/json.ts";
import { type ContextLimits, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import {
  type Reply,
  type HookEventBase,
  isFailedCallEvent,
  type Moment,
  type HookEvent,
} from "../../protocol/hook-event.ts";
import { readCopilotExitCode, copilotPromptId } from "./texts.ts";
import { findOpenCall } from "./open-call.ts";

const contextLimits: ContextLimits = {
  "session-start": UNBOUNDED,
  prompt: UNBOUNDED,
  "before-call": UNBOUNDED,
  "after-call": UNBOUNDED,
  stop: UNBOUNDED,
};

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "yes", holds: true };

export const copilotProtocol: Protocol = {
  contextLimits,
  calls,
  decode,
  encode,
  readNewTranscriptLines: async (ctx, event) => {
    if (idleMoments.has(event.moment)) await (await import("./transcript.ts")).readNewTranscriptLines(ctx, event);
  },
};

/** Moments when no tool waits, so there is time to read what the hooks missed. */
const idleMoments: ReadonlySet<Moment> = new Set(["session-start", "prompt", "stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;
type Env = Readonly<Record<string, string | undefined>>;

/** A payload does not name its event; its fields show which one it is. */
function decode(payload: unknown, env: Env): readonly HookEvent[] {
  // A payload with `session_id` belongs to a hook in Claude Code's format, which others install. Payloads about
  // sub-agents and notifications have more names.
  if (!isRecord(payload) || typeof payload["sessionId"] !== "string" || payload["sessionId"] === "") return [];
  // VS Code runs these hooks too, and names the event.
  if ("hookName" in payload || "agentName" in payload || "hookEventName" in payload) return [];
  // A sub-agent sends its own id as the session; its calls are recorded in the session it works for.
  const session = nonEmptyText(payload["parentAgentId"]) ?? payload["sessionId"];
  const common: HookEventBase = {
    host: "copilot",
    session,
    cwd: nonEmptyText(payload["cwd"]),
    model: null,
    agent: nonEmptyText(payload["agentId"]),
    transcript: nonEmptyText(payload["transcriptPath"]) ?? locateTranscript(session, env),
  };
  if ("toolName" in payload) return parseCall(common, payload);
  // A sub-agent's prompt was not written by a person, and its end is not the session's.
  if (common.agent !== null) return [];
  if ("stopReason" in payload) return [{ ...common, moment: "stop", again: payload["stop_hook_active"] === true }];
  if (typeof payload["prompt"] === "string") return parsePrompt(common, payload);
  if ("source" in payload) return [{ ...common, moment: "session-start", source: nonEmptyText(payload["source"]) }];
  if ("reason" in payload) return [{ ...common, moment: "session-end", reason: nonEmptyText(payload["reason"]) }];
  return [];
}

/** Flat, because Copilot reads the nested format of other hosts at one event only. */
function encode(event: HookEvent, reply: Reply): string {
  if (event.moment === "session-end") return "";
  if (event.moment === "stop")
    return reply.context === undefined ? "" : JSON.stringify({ decision: "block", reason: reply.context });
  const context = reply.context === undefined ? {} : { additionalContext: reply.context };
  const { decision } = reply;
  if (decision && event.moment === "before-call")
    return JSON.stringify({
      permissionDecision: decision.kind,
      permissionDecisionReason: decision.reason,
      ...context,
    });
  return reply.context === undefined ? "" : JSON.stringify(context);
}

function parsePrompt(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const prompt = stringOr(payload["prompt"], "").trim();
  if (prompt === "") return [];
  const at = payload["timestamp"];
  const promptId = typeof at === "number" && Number.isFinite(at) ? copilotPromptId(at, prompt) : null;
  return [{ ...common, moment: "prompt", prompt, promptId }];
}

function parseCall(common: HookEventBase, payload: Payload): readonly HookEvent[] {
  const tool = payload["toolName"];
  if (typeof tool !== "string" || tool === "" || !("toolArgs" in payload)) return [];
  const input = parseCallInput(payload["toolArgs"]);
  const end = parseResult(tool, payload);
  if (end === null) return [{ ...common, moment: "before-call", tool, input, callId: null }];
  const call = findOpenCall(common.transcript, tool, input);
  const ended = { ...common, moment: "after-call", tool, input, durationMs: null, ...end } as const;
  // Without an id it would be stored again from the transcript, which is read at the next stop anyway. A failure is
  // replied to now.
  if (call === "unknown")
    return isFailedCallEvent({ ...ended, callId: null }) ? [{ ...ended, callId: null, only: "heard" }] : [];
  if (call === null && common.agent !== null) return [];
  return [{ ...ended, callId: call }];
}

/** Null if the call has not ended. */
function parseResult(
  tool: string,
  payload: Payload,
): Pick<Extract<HookEvent, { moment: "after-call" }>, "ok" | "text" | "exitCode"> | null {
  if ("error" in payload) return { ok: false, text: readErrorText(payload["error"]), exitCode: null };
  if (!("toolResult" in payload)) return null;
  const result = isRecord(payload["toolResult"]) ? payload["toolResult"] : {};
  const output = nonEmptyText(result["textResultForLlm"]);
  return { ok: result["resultType"] === "success", text: output, exitCode: readCopilotExitCode(tool, output) };
}

function readErrorText(error: unknown): string | null {
  return isRecord(error) ? nonEmptyText(error["message"]) : nonEmptyText(error);
}

/** In older versions this is JSON in a string. */
export function parseCallInput(args: unknown): unknown {
  return (typeof args === "string" ? (tryParseJson(args) ?? args) : args) ?? null;
}

/** Only the payload of a stop contains the path. */
function locateTranscript(session: string, env: Env): string | null {
  const home = env["HOME"] || env["USERPROFILE"];
  const folder = env["COPILOT_HOME"] || (home ? join(home, ".copilot") : null);
  return folder === null || !/^[\w-]+$/.test(session) ? null : join(folder, "session-state", session, "events.jsonl");
}
