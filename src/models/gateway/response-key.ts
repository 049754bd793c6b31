import { createHash } from "node:crypto";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { isRecord, stableJson, tryParseJson } from "../../lib/json.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import type { ChatMessage } from "../chat/chat.ts";
import type { GatewayRequest } from "./gateway.ts";

/** An answer as the response cache stores it. */
export interface CachedResponse {
  readonly text: string;
  readonly message: ChatMessage;
  readonly model: string;
  /** The call that wrote it. */
  readonly call?: string | undefined;
}

/** Equal requests of one agent have equal keys. */
export function responseKey(request: GatewayRequest, complexity: Complexity): string {
  const { agent, model, preferredProvider = null, taskType, chat, cacheBy } = request;
  const choice = model === undefined ? { taskType, complexity, preferredProvider } : formatModelRef(model);
  return createHash("sha256")
    .update(stableJson({ agent, choice, ...(cacheBy === undefined ? { chat } : { cacheBy }) }))
    .digest("hex");
}

/** Off unless the request sets `useResponseCache`. Never with tools, because their results may differ each time. */
export function mayUseCache({ useResponseCache, chat }: GatewayRequest): boolean {
  if (useResponseCache !== true || (chat.tools?.length ?? 0) > 0) return false;
  return chat.messages.every(({ parts }) => parts.every(({ kind }) => kind === "text" || kind === "reasoning"));
}

export function parseResponse(text: string): CachedResponse | null {
  const parsed = tryParseJson(text);
  return isRecord(parsed) && typeof parsed["text"] === "string" ? (parsed as unknown as CachedResponse) : null;
}
