import { type ModelRef, parseModelRef, formatModelRef } from "../../domain/model/model-ref.ts";
import { redactValue } from "../../domain/redact/redact.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import { storable } from "../../lib/text.ts";
import { findResponse, storeResponse } from "../../store/models/response-cache.ts";
import type { ChatMessage } from "../chat/chat.ts";
import type { OpenParts } from "./gateway-parts.ts";
import type { GatewayAnswer, GatewayRequest } from "./gateway.ts";
import { type CachedResponse, mayUseCache, parseResponse, responseKey } from "./response-key.ts";
import { parseChain } from "./usable-models.ts";
import type { RunningCall } from "./running-call.ts";

/** The answer to an equal request of the same agent, if it is not too old and its model is still in use. */
export async function findCached(
  { db, config }: Pick<OpenParts, "db" | "config">,
  request: GatewayRequest,
  complexity: Complexity,
  now: number,
): Promise<{
  readonly text: string;
  readonly message: ChatMessage;
  readonly model: ModelRef;
  readonly call?: string | undefined;
} | null> {
  if (!mayUseCache(request)) return null;
  const value = await findResponse(db, responseKey(request, complexity), now);
  const found = value === null ? null : parseResponse(value);
  const model = found === null ? null : parseModelRef(found.model);
  if (found === null || model === null) return null;
  return request.model !== undefined || isInUse(config, model) ? { ...found, model } : null;
}

function isInUse({ providers, policy }: OpenParts["config"], { provider, model }: ModelRef): boolean {
  const own = [...providers.models, ...parseChain(policy.models.chain)];
  const all = providers.defaultModel === null ? own : [...own, providers.defaultModel];
  return all.some((one) => one.provider === provider && one.model === model);
}

/** Caches a complete answer, unless the request or the answer contains a secret. */
export async function keepResponse(
  { db, clock, config }: OpenParts,
  call: RunningCall,
  answer: GatewayAnswer,
): Promise<void> {
  const { request, complexity, attempts } = call;
  // Who names a model is never given the answer of another one.
  if (request.model !== undefined && formatModelRef(request.model) !== formatModelRef(answer.model)) return;
  if (!mayUseCache(request) || attempts.at(-1)?.finish?.reason !== "stop" || answer.message === null) return;
  const model = formatModelRef(answer.model);
  const kept: CachedResponse = { text: answer.text, message: answer.message, model, call: answer.call };
  const checked = { chat: request.chat, kept };
  if (redactValue(checked) !== checked || attempts.at(-1)?.placeholders?.redact(checked) !== checked) return;
  const value = JSON.stringify(kept);
  if (storable(value) !== value) return;
  const ttlMs = config.policy.models.responseMinutes * 60_000;
  await storeResponse(db, { key: responseKey(request, complexity), value, now: clock.now(), ttlMs });
}
