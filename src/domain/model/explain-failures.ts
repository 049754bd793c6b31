import type { ModelFailure } from "./failure.ts";
import { formatWaitTime } from "./describe-wait.ts";
import { formatModelRef, type ModelRef } from "./model-ref.ts";

/** Each model with its failure, for a person: `openai/gpt-5: answers 429: slow down (asks to wait 120 s)`. */
export function explainFailures(failures: readonly Failed[]): string {
  return failures.map((one) => `${formatModelRef(one.model)}: ${explainFailure(one)}`).join("; ");
}

interface Failed {
  readonly model: ModelRef;
  readonly failure: ModelFailure;
  /** It was not called, because its provider failed before. */
  readonly isHeldBack?: true | undefined;
}

function explainFailure({ model: { provider }, failure, isHeldBack }: Failed): string {
  const { kind, message, retryAfterMs } = failure;
  // The model's name begins with the provider, so the message need not.
  const bare = message.startsWith(`${provider}: `) ? message.slice(provider.length + 2) : message;
  const short = bare.length <= MOST_CHARACTERS ? bare : `${bare.slice(0, MOST_CHARACTERS)}…`;
  if (retryAfterMs === null || retryAfterMs <= 0) return short;
  const seconds = Math.ceil(retryAfterMs / 1_000);
  if (isHeldBack === true) return message.endsWith(" UTC") ? `${short} (${seconds} s from now)` : short;
  if (kind === "quota") return `${short} (${explainLongWait(retryAfterMs)})`;
  return kind === "rate-limited" ? `${short} (asks to wait ${seconds} s)` : short;
}

function explainLongWait(ms: number): string {
  return `asks to wait ${formatWaitTime(ms)}; perhaps the plan's limit is used up`;
}

const MOST_CHARACTERS = 160;
