import { costOf, expectUsage } from "../../domain/model/cost.ts";
import { formatDollars } from "../../domain/model/money.ts";
import type { ModelRef } from "../../domain/model/model-ref.ts";
import type { TokenUsage } from "../../domain/model/usage.ts";
import { choosePrice } from "../prices/choose-price.ts";
import { askWhetherMeant } from "../prices/explain-no-price.ts";
import type { PriceTable } from "../prices/prices.ts";
import type { GatewayConfig } from "./choose-models.ts";
import type { GatewayRequest } from "./gateway.ts";

/** The tokens that the answer to a request will probably use. */
export function expectTokens({ chat, inputTokens }: Sized): TokenUsage {
  const usual = expectUsage(chat);
  return { ...usual, in: inputTokens ?? usual.in };
}

interface Sized {
  readonly chat: GatewayRequest["chat"];
  readonly inputTokens?: number | undefined;
}

/** A sentence if the prompt and the answer are longer than the largest context window; otherwise null. */
export function explainTooLong(expected: TokenUsage, window: number): string | null {
  if (window >= expected.in + expected.out) return null;
  return `The prompt has about ${count(expected.in)} tokens, and the largest context window holds ${count(window)}: the call will probably fail.`;
}

/** What is known of the call of one model before it is sent: what it may cost, and what the model can hold. */
export function explainPinned(
  { prices, config }: { readonly prices: PriceTable; readonly config: GatewayConfig },
  { ref, now, ...request }: Sized & { readonly ref: ModelRef; readonly now: number },
): readonly string[] {
  const expected = expectTokens(request);
  const chosen = choosePrice(prices, ref, now, config.policy.models.unknownPrice);
  const { context } = prices.window(ref);
  return [
    chosen === null
      ? `Its price is unknown, so it is not called (models.unknownPrice); check its name${askWhetherMeant(prices, ref)}.`
      : explainCost(chosen.isKnown ? null : askWhetherMeant(prices, ref), costOf(chosen.price, expected), {
          expected,
          most: request.chat.maxTokens,
        }),
    context === null ? "Its context window is not known." : `Its context window holds ${count(context)} tokens.`,
  ];
}

/** `meant`: null if the price is known. */
function explainCost(
  meant: string | null,
  cost: number,
  { expected, most }: { readonly expected: TokenUsage; readonly most: number },
): string {
  if (meant === null && cost === 0) return "It costs nothing.";
  const of = `${formatDollars(cost)} for a prompt of ${count(expected.in)} tokens and an answer of ${count(expected.out)} tokens (at most ${count(most)})`;
  return meant === null
    ? `It is expected to cost ${of}.`
    : `Its price is unknown, so it counts at the highest known price (models.unknownPrice): ${of}; check its name${meant}.`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
