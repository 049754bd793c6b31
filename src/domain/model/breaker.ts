import type { ModelFailureKind } from "./failure.ts";

/**
 * A provider's circuit breaker. Closed: calls go through. Open: no calls before `until`. After that it is half-open: one call may
 * try the provider. Its success closes the breaker; its failure opens it again.
 */
export interface Breaker {
  readonly provider: string;
  /** Failures in a row. Simultaneous failures count as one. */
  readonly failures: number;
  /** When the last failure was counted. */
  readonly failedAt: number | null;
  /** How often it opened in a row. Each time it stays open longer. */
  readonly opened: number;
  /** Open until then; null while it is closed. */
  readonly until: number | null;
  /** If half-open: a call is trying the provider until then, at most. */
  readonly probeUntil: number | null;
  /** The process that makes this call. */
  readonly probeBy: string | null;
  /** What failed last, or what a person must mend before it can close. */
  readonly why: ModelFailureKind | null;
}

export interface BreakerPolicy {
  /** This many failures in a row open the breaker. */
  readonly failures: number;
  /** A failure this soon after a counted one does not count, because many connections can break at once. */
  readonly burstMs: number;
  readonly openMs: number;
  readonly maxOpenMs: number;
  /** How long the trying call of a half-open breaker may take before another call may try. */
  readonly probeMs: number;
}

export type BreakerState = "closed" | "open" | "half-open";

export function newBreaker(provider: string): Breaker {
  return { provider, failures: 0, failedAt: null, opened: 0, until: null, probeUntil: null, probeBy: null, why: null };
}

/** `half-open` only if no other call is trying. */
export function getBreakerState({ until, probeUntil }: Breaker, now: number): BreakerState {
  if (until === null) return "closed";
  if (now < until) return "open";
  return probeUntil !== null && now < probeUntil ? "open" : "half-open";
}

/**
 * Until when a caller without another provider waits; null while the breaker is closed. Never longer than `openMs` after the
 * last failure, however often the breaker opened: it has nothing else to try meanwhile.
 */
export function waitsUntil({ until, failedAt }: Breaker, { openMs }: BreakerPolicy): number | null {
  return until === null || failedAt === null ? until : Math.min(until, failedAt + openMs);
}

/** Until when an open breaker lets no call through, unless the call that tries the provider ends earlier. */
export function openUntil({ until, probeUntil }: Breaker): number | null {
  return until === null ? null : Math.max(until, probeUntil ?? 0);
}

/** Claims the one call of a half-open breaker. Null if the breaker is not half-open. */
export function takeProbe(
  breaker: Breaker,
  { now, by }: { readonly now: number; readonly by: string },
  policy: BreakerPolicy,
): Breaker | null {
  if (getBreakerState(breaker, now) !== "half-open") return null;
  return { ...breaker, probeUntil: now + policy.probeMs, probeBy: by };
}

/** Gives the claim back if no request was sent. Null if it has ended already, or another call has one. */
export function returnProbe(breaker: Breaker, probe: Pick<Breaker, "probeUntil" | "probeBy">): Breaker | null {
  const isSame = breaker.probeUntil === probe.probeUntil && breaker.probeBy === probe.probeBy;
  return isSame && probe.probeUntil !== null ? { ...breaker, probeUntil: null, probeBy: null } : null;
}

export function addSuccess(breaker: Breaker): Breaker {
  return newBreaker(breaker.provider);
}

/** A failure that says nothing about the provider only ends the probe. */
export function addFailure(
  breaker: Breaker,
  failure: { readonly kind: ModelFailureKind; readonly retryAfterMs: number | null },
  now: number,
  policy: BreakerPolicy,
): Breaker {
  if (!isOfProvider(failure.kind)) return { ...breaker, probeUntil: null, probeBy: null };
  const isProbe = breaker.probeUntil !== null;
  const isBurst = breaker.failedAt !== null && now - breaker.failedAt < policy.burstMs;
  if (isBurst && !isProbe && !opensAtOnce(failure.kind)) return breaker;
  const failures = breaker.failures + 1;
  const counted = { ...breaker, failures, failedAt: now };
  if (breaker.until === null && failures < policy.failures && !opensAtOnce(failure.kind))
    return { ...counted, why: failure.kind };
  // The call began before the breaker opened, so its failure says nothing new.
  if (breaker.until !== null && now < breaker.until && !isProbe)
    // The texts name the latest trouble, but what a person must mend stays named.
    return mustBeMended(breaker.why) && !opensAtOnce(failure.kind) ? counted : { ...counted, why: failure.kind };
  const openMs = Math.min(policy.maxOpenMs, policy.openMs * 2 ** breaker.opened);
  return {
    provider: breaker.provider,
    failures,
    failedAt: now,
    opened: breaker.opened + 1,
    until: now + Math.max(openMs, Math.min(policy.maxOpenMs, failure.retryAfterMs ?? 0)),
    probeUntil: null,
    probeBy: null,
    why: failure.kind,
  };
}

/** Whether a failure concerns the whole provider, not one request or one model. */
export function isOfProvider(kind: ModelFailureKind): boolean {
  return PROVIDER_FAILURES.has(kind);
}

/** Whether a failure of a provider is one of the key that was used, so that another key may work. */
export function isOfKey(kind: ModelFailureKind): boolean {
  return opensAtOnce(kind) || kind === "rate-limited";
}

/** No further call can succeed until a person acts. */
function opensAtOnce(kind: ModelFailureKind): boolean {
  return kind === "auth" || kind === "quota";
}

function mustBeMended(why: ModelFailureKind | null): boolean {
  return why !== null && opensAtOnce(why);
}

const PROVIDER_FAILURES: ReadonlySet<ModelFailureKind> = new Set([
  "timeout",
  "rate-limited",
  "quota",
  "overloaded",
  "unreachable",
  "cut-off",
  "auth",
]);
