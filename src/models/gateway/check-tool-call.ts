import { isRecord } from "../../lib/json.ts";
import { type ChatEvent, type ChatRequest, ModelCallError } from "../chat/chat.ts";

/** Throws `malformed` for a call of a tool that was not offered, or without an input that the tool requires. */
export function checkToolCall(
  call: Extract<ChatEvent, { kind: "tool-call" }>,
  { tools = [] }: Pick<ChatRequest, "tools">,
): void {
  const why = findFault(call, tools);
  if (why === null) return;
  throw new ModelCallError({ kind: "malformed", status: null, retryAfterMs: null, message: why });
}

function findFault(
  { name, input }: Extract<ChatEvent, { kind: "tool-call" }>,
  tools: NonNullable<ChatRequest["tools"]>,
): string | null {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return `the model called a tool that was not offered: ${name}`;
  if (!isRecord(input)) return `the model called ${name} with an input that is not an object`;
  const required: unknown = tool.input["required"];
  const missing = Array.isArray(required) ? required.find((key) => typeof key === "string" && !(key in input)) : null;
  return missing == null ? null : `the model called ${name} without ${String(missing)}`;
}
