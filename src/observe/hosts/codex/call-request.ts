import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";

type Line = Readonly<Record<string, unknown>>;

/** A call as the hooks report it; the transcript has other names for the same tools. */
export interface CodexCallRequest {
  readonly tool: string;
  readonly input: unknown;
}

/** The call that a transcript line requests; null if there is none. */
export function parseCallRequest(payload: Line): (CodexCallRequest & { readonly callId: string }) | null {
  const { type, call_id: callId } = payload;
  if (typeof callId !== "string") return null;
  if (type === "local_shell_call")
    return { callId, ...parseShellRequest(isRecord(payload["action"]) ? payload["action"] : {}) };
  const name = stringOr(payload["name"], "");
  if (name === "" || (type !== "function_call" && type !== "custom_tool_call")) return null;
  const given = type === "function_call" ? parseArguments(payload["arguments"]) : payload["input"];
  return { callId, ...toHookRequest(name, given, stringOr(payload["namespace"], null)) };
}

/** Takes `["/bin/bash", "-lc", "npm test"]` or the script alone. */
export function parseShellRequest(value: Line): CodexCallRequest {
  const command = value["command"] ?? value["cmd"];
  if (!Array.isArray(command)) return { tool: "Bash", input: { command: stringOr(command, "") } };
  const words = command.filter((word) => typeof word === "string");
  const script = words.length === 3 && /^-l?c$/.test(words[1] ?? "") ? words[2] : undefined;
  return { tool: "Bash", input: { command: script ?? words.join(" ") } };
}

const shells = new Set(["exec_command", "shell", "shell_command", "local_shell", "container.exec"]);

function toHookRequest(name: string, given: unknown, namespace: string | null): CodexCallRequest {
  if (shells.has(name) && isRecord(given)) return parseShellRequest(given);
  if (name === "apply_patch") {
    const patch = isRecord(given) ? given["input"] : given;
    return { tool: name, input: { command: stringOr(patch, "") } };
  }
  return { tool: namespace === null ? name : `${namespace}__${name}`, input: given ?? null };
}

function parseArguments(text: unknown): unknown {
  return typeof text === "string" ? (tryParseJson(text) ?? text) : text;
}
