import { isRecord } from "../../lib/json.ts";
import type { ChatEvent, ChatRequest } from "../chat/chat.ts";

/** Why a call is `malformed`: its tool was not offered, or an input that the tool requires is missing. Null if it is not. */
export function findCallFault(
  { name, input }: Extract<ChatEvent, { kind: "tool-call" }>,
  { tools = [] }: Pick<ChatRequest, "tools">,
): string | null {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return `the model called a tool that was not offered: ${name}`;
  if (!isRecord(input)) return `the model called ${name} with an input that is not an object`;
  const required: unknown = tool.input["required"];
  const missing = Array.isArray(required) ? required.find((key) => typeof key === "string" && !(key in input)) : null;
  return missing == null ? null : `the model called ${name} without ${String(missing)}`;
}
