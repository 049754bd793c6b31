import type { ModelFailure } from "./failure.ts";
import { formatModelRef, type ModelRef } from "./model-ref.ts";

/** Each model with its failure, for a person: `openai/gpt-5: answers 429: slow down (asks to wait 120 s)`. */
export function explainFailures(
  failures: readonly { readonly model: ModelRef; readonly failure: ModelFailure }[],
): string {
  return failures.map(({ model, failure }) => `${formatModelRef(model)}: ${explainFailure(model, failure)}`).join("; ");
}

function explainFailure({ provider }: ModelRef, { kind, message, retryAfterMs }: ModelFailure): string {
  // The model's name begins with the provider, so the message need not.
  const bare = message.startsWith(`${provider}: `) ? message.slice(provider.length + 2) : message;
  const short = bare.length <= MOST_CHARACTERS ? bare : `${bare.slice(0, MOST_CHARACTERS)}…`;
  const waits = retryAfterMs !== null && retryAfterMs > 0 && kind === "rate-limited";
  return waits ? `${short} (asks to wait ${Math.ceil(retryAfterMs / 1_000)} s)` : short;
}

const MOST_CHARACTERS = 160;
