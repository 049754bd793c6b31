import type { ModelFailure, ModelFailureKind } from "./failure.ts";

export interface HealingPolicy {
  /** How often the same model is tried again. */
  readonly retries: number;
  /** How many attempts a call may have in all. */
  readonly attempts: number;
  /** The first wait. Each further wait is twice as long. */
  readonly baseMs: number;
  /** The longest wait. If a provider asks for more, the next model is tried. */
  readonly maxWaitMs: number;
}

/** The state of a call after a failed attempt. */
export interface HealingState {
  /** Attempts with the model that failed, and attempts in all. */
  readonly triesHere: number;
  readonly attempts: number;
  /** A part of an answer has reached the caller. */
  readonly hasBegun: boolean;
  readonly mayRestart: boolean;
  /** Another model is left in the chain. */
  readonly hasNext: boolean;
}

export type Healing =
  | { readonly kind: "retry"; readonly waitMs: number }
  | { readonly kind: "next" }
  | { readonly kind: "give-up"; readonly why: string };

/** Decides what follows a failed attempt. `random` returns numbers from 0 up to 1. */
export function afterFailure(
  failure: Pick<ModelFailure, "kind" | "retryAfterMs">,
  state: HealingState,
  policy: HealingPolicy,
  random: () => number,
): Healing {
  if (isFinal(failure.kind)) return giveUp("no other attempt can help");
  if (state.hasBegun && !state.mayRestart) return giveUp("a part of the answer has reached the caller");
  if (state.attempts >= policy.attempts) return giveUp(`${state.attempts} attempts failed`);
  const waitMs = waitBeforeRetry(failure, state.triesHere, policy, random);
  const mayRetry = isWorthRepeating(failure.kind) && state.triesHere <= policy.retries && waitMs !== null;
  // After a timeout, another model is quicker than waiting for the time limit again.
  if (mayRetry && !(failure.kind === "timeout" && state.hasNext)) return { kind: "retry", waitMs };
  return state.hasNext ? { kind: "next" } : giveUp("no other model is left");
}

/** Never shorter than the provider asks for. Null if it asks for a longer wait than allowed. */
function waitBeforeRetry(
  { retryAfterMs }: Pick<ModelFailure, "retryAfterMs">,
  triesHere: number,
  policy: HealingPolicy,
  random: () => number,
): number | null {
  const wait = policy.baseMs * 2 ** Math.max(0, triesHere - 1);
  if (retryAfterMs === null) return Math.round(Math.min(policy.maxWaitMs, wait * (0.5 + random())));
  if (retryAfterMs > policy.maxWaitMs) return null;
  return Math.round(retryAfterMs + policy.baseMs * random());
}

/** The request itself is wrong, or the caller or a cap stopped it. */
function isFinal(kind: ModelFailureKind): boolean {
  return kind === "aborted" || kind === "cap" || kind === "bad-request";
}

/** The same request may succeed with the same model a moment later. */
function isWorthRepeating(kind: ModelFailureKind): boolean {
  return REPEATED.has(kind);
}

const REPEATED: ReadonlySet<ModelFailureKind> = new Set([
  "timeout",
  "rate-limited",
  "overloaded",
  "unreachable",
  "cut-off",
  "malformed",
]);

function giveUp(why: string): Healing {
  return { kind: "give-up", why };
}
