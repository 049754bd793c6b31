import type { CallControl } from "../../../domain/rule/delivery.ts";
import { isRecord, text } from "../../../lib/json.ts";
import type { Hearing, Protocol } from "../../protocol/host.ts";
import type { Common, HookEvent } from "../../protocol/hook-event.ts";

const hears: Hearing = {};

const calls: CallControl = { note: "never", refusal: "nothing", asks: "no", holds: false };

/** Nothing is said: what a hook prints reaches nobody, and its exit code can only stop the work. */
export const windsurfProtocol: Protocol = { hears, calls, decode, encode: () => "" };

type Payload = Readonly<Record<string, unknown>>;

function decode(payload: unknown): readonly HookEvent[] {
  if (!isRecord(payload)) return [];
  const session = text(payload["trajectory_id"]);
  if (session === null) return [];
  const info = isRecord(payload["tool_info"]) ? payload["tool_info"] : {};
  const common: Common = {
    host: "windsurf",
    session,
    cwd: text(info["cwd"]) ?? text(payload["cwd"]),
    model: text(payload["model_name"]),
    agent: null,
    transcript: null,
  };
  switch (payload["agent_action_name"]) {
    case "pre_user_prompt":
      return promptIn(common, payload, info);
    case "post_run_command":
      return [called(common, "run_command", info)];
    case "post_write_code":
      return [called(common, "write_code", info)];
    case "post_read_code":
      return [called(common, "read_code", info)];
    case "post_mcp_tool_use":
      return mcpCall(common, info);
    case "post_cascade_response":
      return [{ ...common, moment: "stop", again: false }];
    default:
      return [];
  }
}

function promptIn(common: Common, payload: Payload, info: Payload): readonly HookEvent[] {
  const prompt = text(info["user_prompt"]);
  return prompt === null ? [] : [{ ...common, moment: "prompt", prompt, promptId: text(payload["execution_id"]) }];
}

function mcpCall(common: Common, info: Payload): readonly HookEvent[] {
  const tool = [text(info["mcp_server_name"]), text(info["mcp_tool_name"])].filter((part) => part !== null);
  if (tool.length === 0) return [];
  const said = text(info["mcp_result"]);
  return [{ ...called(common, tool.join("."), info["mcp_tool_arguments"] ?? null), text: said }];
}

/** How a call ended is not told: it ran, that is all. Nor has it a name; a turn's is the same for all its calls. */
function called(common: Common, tool: string, input: unknown) {
  const end = { ok: true, text: null, exitCode: null, durationMs: null };
  return { ...common, moment: "after-call", tool, input, callId: null, ...end } as const;
}
