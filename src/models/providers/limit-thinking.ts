import { isRecord, tryParseJson } from "../../lib/json.ts";

/** The smallest budget that Anthropic accepts. */
const LEAST_BUDGET = 1_024;
/** The largest share of the tokens for thinking. The rest is for the answer. */
const MOST_SHARE = 0.8;

/**
 * A `fetch` for Anthropic's SDK. The SDK adds the thinking budget to `max_tokens`, so that a call for 500 tokens could use
 * 38,900. The reservation counts only the caller's limit, so this makes the budget a part of that limit again.
 */
export function limitThinking(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) =>
    typeof init?.body === "string" && init.body.includes('"budget_tokens"')
      ? fetch(input, { ...init, body: limitBody(init.body) })
      : fetch(input, init);
}

function limitBody(text: string): string {
  const body = tryParseJson(text);
  const thinking = isRecord(body) ? body["thinking"] : undefined;
  if (!isRecord(body) || !isRecord(thinking)) return text;
  const { max_tokens: total, thinking: _thinking, ...rest } = body;
  const budget = thinking["budget_tokens"];
  if (typeof total !== "number" || typeof budget !== "number") return text;
  const most = total - budget;
  const part = Math.min(budget, Math.floor(most * MOST_SHARE));
  // Too few tokens to think and answer: only answer.
  if (part < LEAST_BUDGET) return JSON.stringify({ ...rest, max_tokens: most });
  return JSON.stringify({ ...rest, max_tokens: most, thinking: { ...thinking, budget_tokens: part } });
}
