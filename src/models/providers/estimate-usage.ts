import { noUsage, type TokenUsage } from "../../domain/model/usage.ts";
import type { ChatRequest } from "../chat/chat.ts";

/** English has about four characters per token, code fewer. Estimates are rather too high, because caps depend on them. */
const CHARACTERS_PER_TOKEN = 3;

/** For servers that report no usage. */
export function estimateUsage(request: ChatRequest, answered: number): TokenUsage {
  const { system = "", messages, tools = [] } = request;
  const asked = system.length + JSON.stringify(messages).length + JSON.stringify(tools).length;
  return { ...noUsage, in: Math.ceil(asked / CHARACTERS_PER_TOKEN), out: Math.ceil(answered / CHARACTERS_PER_TOKEN) };
}
