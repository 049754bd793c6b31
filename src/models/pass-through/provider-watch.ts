import {
  addFailure,
  addSuccess,
  type Breaker,
  type BreakerPolicy,
  isOfKey,
  isOfProvider,
  newBreaker,
  waitsUntil,
} from "../../domain/model/breaker.ts";
import type { ModelFailureKind } from "../../domain/model/failure.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { changeBreaker, listBreakers } from "../../store/models/breakers.ts";
import { explainFailing } from "../gateway/usable-models.ts";
import type { CallEnd } from "./meter.ts";

export interface ProviderWatch {
  /** Not null: the provider fails, and the call is to be answered at once. */
  readonly held: HeldBack | null;
  /** What the call says about the provider. */
  note(end: Pick<CallEnd, "outcome" | "failure" | "failed">): Promise<void>;
}

export interface HeldBack {
  readonly failure: ModelFailureKind;
  readonly why: string;
  /** After so long the provider is tried again. */
  readonly waitMs: number;
  /** Our own key is at fault: only the owner can help. */
  readonly isOfKey: boolean;
}

/**
 * The breaker of a provider, as it concerns a client. The provider knows a client by its key: what it says of one key (wrong,
 * no credit, too many requests) tells nothing about another. The breaker is that of our own key.
 */
export async function watchProvider(
  { db, clock, policy }: { readonly db: Db; readonly clock: Clock; readonly policy: BreakerPolicy },
  { name, usesOwnKey }: { readonly name: string; readonly usesOwnKey: boolean },
): Promise<ProviderWatch> {
  const now = clock.now();
  const breaker = (await listBreakers(db)).find((one) => one.provider === name) ?? newBreaker(name);
  const concerns = (kind: ModelFailureKind) => isOfProvider(kind) && (usesOwnKey || !isOfKey(kind));
  const isOfOtherKey = ({ why, until }: Breaker) => until !== null && why !== null && !concerns(why);
  return {
    held: isOfOtherKey(breaker) ? null : holdBack(breaker, now, policy),
    note: async ({ outcome, failure, failed }) => {
      const before = failed.map((one) => ({ kind: one.failure, at: one.at + one.ms }));
      const all = failure === null ? before : [...before, { kind: failure, at: clock.now() }];
      const counted = all.filter(({ kind }) => concerns(kind));
      const isGood = outcome === "ok";
      if (counted.length === 0 && (!isGood || breaker.failures === 0)) return;
      await changeBreaker(db, name, (found) => {
        if (isGood) return isOfOtherKey(found) || found.failures === 0 ? null : addSuccess(found);
        return counted.reduce((one, { kind, at }) => addFailure(one, { kind, retryAfterMs: null }, at, policy), found);
      });
    },
  };
}

function holdBack(breaker: Breaker, now: number, policy: BreakerPolicy): HeldBack | null {
  const until = waitsUntil(breaker, policy);
  if (until === null || now >= until) return null;
  const failure = breaker.why ?? "overloaded";
  return {
    failure,
    why: `${explainFailing(breaker)} and is not called for a while`,
    waitMs: until - now,
    isOfKey: failure === "auth" || failure === "quota",
  };
}
