import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { join } from "node:path";
import { isRecord, nonEmptyText } from "../../../lib/json.ts";
import type { ContextLimits, Protocol } from "../../protocol/host.ts";
import type { Reply, CallFields, HookEventBase, Moment, HookEvent } from "../../protocol/hook-event.ts";
import { parseToolOutput } from "./texts.ts";

const contextLimits: ContextLimits = { "before-call": 50_000, "after-call": 50_000 };

const calls: CallControl = { note: "with the result", refusal: "the run", asks: "no", holds: false };

export const clineProtocol: Protocol = {
  contextLimits,
  calls,
  decode,
  encode,
  readNewTranscriptLines: async (ctx, event) => {
    if (idleMoments.has(event.moment)) await (await import("./transcript.ts")).readNewTranscriptLines(ctx, event);
  },
};

/** Moments when no tool waits, so there is time to read what the hooks missed. */
const idleMoments: ReadonlySet<Moment> = new Set(["stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;
type Env = Readonly<Record<string, string | undefined>>;

function decode(payload: unknown, env: Env): readonly HookEvent[] {
  const common = isRecord(payload) ? parseCommon(payload, env) : null;
  if (common === null || !isRecord(payload)) return [];
  switch (payload["hookName"]) {
    case "tool_call":
      return parseCall(payload["tool_call"]).map((fields) => ({
        ...common,
        moment: "before-call",
        ...fields,
        // A denial would end the whole run, which no rule justifies.
        takes: "context",
      }));
    case "tool_result":
      return parseAfterCall(common, payload["tool_result"]);
  }
  // A sub-agent's start and end are not the session's.
  if (common.agent !== null) return [];
  switch (payload["hookName"]) {
    case "agent_start":
      return [{ ...common, moment: "session-start", source: null }];
    case "agent_end":
    case "agent_error":
    case "agent_abort":
      return [{ ...common, moment: "stop", again: false }];
    case "session_shutdown":
      return [{ ...common, moment: "session-end", reason: nonEmptyText(payload["reason"]) }];
    default:
      return [];
  }
}

/** Cline takes text only before and after a call. */
function encode(event: HookEvent, reply: Reply): string {
  const takesContext = event.moment === "before-call" || event.moment === "after-call";
  return takesContext && reply.context !== undefined ? JSON.stringify({ contextModification: reply.context }) : "";
}

function parseCommon(payload: Payload, env: Env): HookEventBase | null {
  const context = isRecord(payload["sessionContext"]) ? payload["sessionContext"] : {};
  const session = nonEmptyText(context["rootSessionId"]) ?? nonEmptyText(payload["taskId"]);
  if (session === null) return null;
  const roots = Array.isArray(payload["workspaceRoots"]) ? payload["workspaceRoots"] : [];
  return {
    host: "cline",
    session,
    cwd: nonEmptyText(roots[0]),
    model: null,
    agent: payload["parent_agent_id"] == null ? null : nonEmptyText(payload["agent_id"]),
    transcript: locateTranscript(session, env),
  };
}

function parseAfterCall(common: HookEventBase, result: unknown): readonly HookEvent[] {
  if (!isRecord(result)) return [];
  const ms = result["durationMs"];
  const durationMs = typeof ms === "number" && Number.isFinite(ms) ? Math.round(ms) : null;
  return parseCall(result).map((fields) => ({
    ...common,
    moment: "after-call",
    ...fields,
    ...parseToolOutput(result["output"]),
    durationMs,
  }));
}

function parseCall(value: unknown): readonly CallFields[] {
  if (!isRecord(value)) return [];
  const tool = nonEmptyText(value["name"]);
  return tool === null ? [] : [{ tool, input: value["input"] ?? null, callId: nonEmptyText(value["id"]) }];
}

/** Payloads do not contain the path. */
function locateTranscript(session: string, env: Env): string | null {
  const home = env["HOME"] || env["USERPROFILE"];
  if (!home || !/^[\w-]+$/.test(session)) return null;
  return join(home, ".cline", "data", "sessions", session, `${session}.messages.json`);
}
