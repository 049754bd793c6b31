import { plural } from "../../lib/text.ts";
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
  /** How many of those had no attempt yet. */
  readonly untried: number;
}

export type Healing =
  | { readonly kind: "retry"; readonly waitMs: number }
  /** `laterMs`: once the others have failed too, the same model may be tried again, after this time. */
  | { readonly kind: "next"; readonly laterMs: number | null }
  | { readonly kind: "give-up"; readonly why: string };

/** Decides what follows a failed attempt. `random` returns numbers from 0 up to 1. */
export function afterFailure(
  failure: Pick<ModelFailure, "kind" | "retryAfterMs">,
  state: HealingState,
  policy: HealingPolicy,
  random: () => number,
): Healing {
  if (isFinal(failure.kind)) return giveUp("another attempt cannot help");
  if (state.hasBegun && !state.mayRestart) return giveUp("a part of the answer has reached the caller");
  if (state.attempts >= policy.attempts) return giveUp(`${plural(state.attempts, "attempt")} failed (models.attempts)`);
  const waitMs = waitBeforeRetry(failure, state.triesHere, policy, random);
  const laterMs = state.triesHere <= mostRetries(failure.kind, state, policy) ? waitMs : null;
  // After a timeout, another model is quicker than waiting for the time limit again.
  const isLate = failure.kind === "timeout" && state.hasNext;
  if (laterMs !== null && !isLate && leavesRoom(state, policy)) return { kind: "retry", waitMs: laterMs };
  return state.hasNext ? { kind: "next", laterMs: isLate ? null : laterMs } : giveUp("no other model is left");
}

/** Every model gets its first attempt before another one gets its third, and before the attempts are used up. */
function leavesRoom({ triesHere, attempts, untried }: HealingState, policy: HealingPolicy): boolean {
  return untried === 0 || (triesHere < 2 && attempts + 1 + untried <= policy.attempts);
}

/** How often the same request may be repeated with the same model. */
function mostRetries(kind: ModelFailureKind, { hasNext }: HealingState, { retries }: HealingPolicy): number {
  if (!REPEATED.has(kind)) return 0;
  // A connection may break once; a server that does not run needs longer than a call waits, if another model can answer.
  return kind === "unreachable" && hasNext ? Math.min(1, retries) : retries;
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
