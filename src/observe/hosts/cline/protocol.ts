import type { CallControl } from "../../../domain/rule/delivery.ts";
import { join } from "node:path";
import { isRecord, text } from "../../../lib/json.ts";
import type { Hearing, Protocol } from "../../protocol/host.ts";
import type { Answer, CallFields, Common, Moment, HookEvent } from "../../protocol/hook-event.ts";
import { endOf } from "./texts.ts";

const hears: Hearing = { "before-call": 50_000, "after-call": 50_000 };

const calls: CallControl = { note: "with the result", refusal: "the run", asks: "no", holds: false };

export const clineProtocol: Protocol = {
  hears,
  calls,
  decode,
  encode,
  catchUp: async (ctx, seen) => {
    if (quiet.has(seen.moment)) await (await import("./transcript.ts")).catchUp(ctx, seen);
  },
};

/** When nobody waits for a tool: then there is time to look what the hooks missed. */
const quiet: ReadonlySet<Moment> = new Set(["stop", "session-end"]);

type Payload = Readonly<Record<string, unknown>>;
type Env = Readonly<Record<string, string | undefined>>;

function decode(payload: unknown, env: Env): readonly HookEvent[] {
  const common = isRecord(payload) ? commonOf(payload, env) : null;
  if (common === null || !isRecord(payload)) return [];
  switch (payload["hookName"]) {
    case "tool_call":
      return call(payload["tool_call"]).map((fields) => ({
        ...common,
        moment: "before-call",
        ...fields,
        // The one decision it takes ends the whole run, which no rule is worth.
        takes: "context",
      }));
    case "tool_result":
      return afterCall(common, payload["tool_result"]);
  }
  // A sub-agent's beginning and end are not the session's.
  if (common.agent !== null) return [];
  switch (payload["hookName"]) {
    case "agent_start":
      return [{ ...common, moment: "session-start", source: null }];
    case "agent_end":
    case "agent_error":
    case "agent_abort":
      return [{ ...common, moment: "stop", again: false }];
    case "session_shutdown":
      return [{ ...common, moment: "session-end", reason: text(payload["reason"]) }];
    default:
      return [];
  }
}

/** Heard around a call only. */
function encode(seen: HookEvent, answer: Answer): string {
  const isHeard = seen.moment === "before-call" || seen.moment === "after-call";
  return isHeard && answer.context !== undefined ? JSON.stringify({ contextModification: answer.context }) : "";
}

function commonOf(payload: Payload, env: Env): Common | null {
  const context = isRecord(payload["sessionContext"]) ? payload["sessionContext"] : {};
  const session = text(context["rootSessionId"]) ?? text(payload["taskId"]);
  if (session === null) return null;
  const roots = Array.isArray(payload["workspaceRoots"]) ? payload["workspaceRoots"] : [];
  return {
    host: "cline",
    session,
    cwd: text(roots[0]),
    model: null,
    agent: payload["parent_agent_id"] == null ? null : text(payload["agent_id"]),
    transcript: transcriptOf(session, env),
  };
}

function afterCall(common: Common, result: unknown): readonly HookEvent[] {
  if (!isRecord(result)) return [];
  const ms = result["durationMs"];
  const durationMs = typeof ms === "number" && Number.isFinite(ms) ? Math.round(ms) : null;
  return call(result).map((fields) => ({
    ...common,
    moment: "after-call",
    ...fields,
    ...endOf(result["output"]),
    durationMs,
  }));
}

function call(told: unknown): readonly CallFields[] {
  if (!isRecord(told)) return [];
  const tool = text(told["name"]);
  return tool === null ? [] : [{ tool, input: told["input"] ?? null, callId: text(told["id"]) }];
}

/** No payload tells where it is. */
function transcriptOf(session: string, env: Env): string | null {
  const home = env["HOME"] || env["USERPROFILE"];
  if (!home || !/^[\w-]+$/.test(session)) return null;
  return join(home, ".cline", "data", "sessions", session, `${session}.messages.json`);
}
