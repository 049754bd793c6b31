import type { CallControl } from "../../../domain/rule/delivery/delivery.ts";
import { isRecord, nonEmptyText } from "../../../lib/json.ts";
import type { ContextLimits, Protocol } from "../../protocol/host.ts";
import type { HookEventBase, HookEvent } from "../../protocol/hook-event.ts";

const contextLimits: ContextLimits = {};

const calls: CallControl = { note: "never", refusal: "nothing", asks: "no", holds: false };

/** Encodes nothing: Windsurf ignores what a hook prints, and its exit code can only stop the work. */
export const windsurfProtocol: Protocol = { contextLimits, calls, decode, encode: () => "" };

type Payload = Readonly<Record<string, unknown>>;

function decode(payload: unknown): readonly HookEvent[] {
  if (!isRecord(payload)) return [];
  const session = nonEmptyText(payload["trajectory_id"]);
  if (session === null) return [];
  const info = isRecord(payload["tool_info"]) ? payload["tool_info"] : {};
  const common: HookEventBase = {
    host: "windsurf",
    session,
    cwd: nonEmptyText(info["cwd"]) ?? nonEmptyText(payload["cwd"]),
    model: nonEmptyText(payload["model_name"]),
    agent: null,
    transcript: null,
  };
  switch (payload["agent_action_name"]) {
    case "pre_user_prompt":
      return parsePrompt(common, payload, info);
    case "post_run_command":
      return [newAfterCall(common, "run_command", info)];
    case "post_write_code":
      return [newAfterCall(common, "write_code", info)];
    case "post_read_code":
      return [newAfterCall(common, "read_code", info)];
    case "post_mcp_tool_use":
      return parseMcpCall(common, info);
    case "post_cascade_response":
      return [{ ...common, moment: "stop", again: false }];
    default:
      return [];
  }
}

function parsePrompt(common: HookEventBase, payload: Payload, info: Payload): readonly HookEvent[] {
  const prompt = nonEmptyText(info["user_prompt"]);
  return prompt === null
    ? []
    : [{ ...common, moment: "prompt", prompt, promptId: nonEmptyText(payload["execution_id"]) }];
}

function parseMcpCall(common: HookEventBase, info: Payload): readonly HookEvent[] {
  const tool = [nonEmptyText(info["mcp_server_name"]), nonEmptyText(info["mcp_tool_name"])].filter(
    (part) => part !== null,
  );
  if (tool.length === 0) return [];
  const result = nonEmptyText(info["mcp_result"]);
  return [{ ...newAfterCall(common, tool.join("."), info["mcp_tool_arguments"] ?? null), text: result }];
}

/**
 * Payloads do not say how a call ended, so it counts as successful. They have no call id either, only one for the
 * turn.
 */
function newAfterCall(common: HookEventBase, tool: string, input: unknown) {
  const end = { ok: true, text: null, exitCode: null, durationMs: null };
  return { ...common, moment: "after-call", tool, input, callId: null, ...end } as const;
}
