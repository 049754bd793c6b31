import type { Clock } from "../../lib/clock.ts";
import type { ModelFailure } from "../../domain/model/failure.ts";
import type { ModelRef } from "../../domain/model/model-ref.ts";
import type { TokenUsage } from "../../domain/model/usage.ts";
import { ModelCallError } from "../chat/chat.ts";
import { openProvider } from "./open-provider.ts";
import type { ProviderSettings } from "../../domain/model/endpoint.ts";

export interface TriedModel {
  readonly failure: ModelFailure | null;
  readonly text: string;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  readonly ms: number;
  readonly firstTokenMs: number | null;
  readonly usage: TokenUsage;
}

/** A reasoning model needs some tokens before its first word. */
const MOST_TOKENS = 256;
const PROMPT = "Reply with the word ok.";

/** Makes one small call. A failed call is a value; a missing key throws. */
export async function tryModel(
  ref: ModelRef,
  settings: ProviderSettings,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<TriedModel> {
  const provider = await openProvider(ref.provider, settings);
  const request = {
    model: ref.model,
    messages: [{ role: "user" as const, parts: [{ kind: "text" as const, text: PROMPT }] }],
    maxTokens: MOST_TOKENS,
  };
  const begin = clock.now();
  let firstTokenMs: number | null = null;
  let text = "";
  const taken = () => clock.now() - begin;
  try {
    for await (const event of provider.chat(request, signal)) {
      if (event.kind === "text") text += event.text;
      if (event.kind !== "finish") firstTokenMs ??= taken();
      else return { failure: null, text, model: event.model, ms: taken(), firstTokenMs, usage: event.usage };
    }
    throw new Error("a provider's stream has no finish");
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    return { failure: error.failure, text, model: ref.model, ms: taken(), firstTokenMs, usage: error.usage };
  }
}
