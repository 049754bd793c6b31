import type { RecordedCall } from "../src/domain/fact/fact-tracker.ts";
import { newFactTracker } from "../src/domain/fact/fact-tracker.ts";
import { wilsonLower } from "../src/domain/proof/wilson.ts";

/** A recorded call; sessions are in the order in which they began. */
export interface FactCall extends RecordedCall {
  readonly failed: boolean;
  readonly good: boolean;
  readonly isLater: boolean;
}

/** The kinds of facts that each later call of a source matches, and how reliable each kind was on the earlier calls. */
export interface JudgedFacts {
  /** One list for each later call, in order, such as `fact missing-path`. */
  readonly marks: readonly (readonly string[])[];
  /** Earlier calls that matched a kind, and how many of them failed. */
  readonly earlier: ReadonlyMap<string, { readonly failed: number; readonly total: number }>;
}

/**
 * Facts are learned from the first failure on, in the later part too. Recorded sessions have no disk, so only a
 * successful call shows that a path, program or script exists again.
 */
export function judgeFacts(calls: readonly FactCall[]): JudgedFacts {
  const book = newFactTracker();
  const factKindsMet: string[][] = [];
  const earlier = new Map<string, { failed: number; total: number }>();
  for (const call of calls) {
    const kinds = [...new Set(book.before(call).map((fact) => `fact ${fact.kind}`))];
    book.after(call);
    if (call.isLater) factKindsMet.push(kinds);
    else if (call.failed || call.good)
      for (const kind of kinds) {
        const { failed, total } = earlier.get(kind) ?? { failed: 0, total: 0 };
        earlier.set(kind, { failed: failed + (call.failed ? 1 : 0), total: total + 1 });
      }
  }
  return { marks: factKindsMet, earlier };
}

/** The lower bound of each kind's precision on the earlier calls of all sources; 0 for a kind they never matched. */
export function computeFactBounds(judged: readonly JudgedFacts[]): ReadonlyMap<string, number> {
  const sums = new Map<string, { failed: number; total: number }>();
  for (const one of judged) {
    for (const kind of one.marks.flat()) if (!sums.has(kind)) sums.set(kind, { failed: 0, total: 0 });
    for (const [kind, { failed, total }] of one.earlier) {
      const sum = sums.get(kind) ?? { failed: 0, total: 0 };
      sums.set(kind, { failed: sum.failed + failed, total: sum.total + total });
    }
  }
  return new Map(
    [...sums].map(([kind, { failed, total }]) => [kind, total === 0 ? 0 : wilsonLower(failed, total)] as const),
  );
}
