import { DAY } from "../../lib/clock.ts";
import type { RoutePolicy } from "./policy.ts";
import { explainEvidence } from "./explain.ts";
import { type Complexity, fadeTally, type Tally } from "./tally.ts";

/** A model whose quality fell at one kind of task. */
export interface FallenModel {
  readonly taskType: string;
  readonly complexity: Complexity;
  readonly model: string;
  /** Its mean quality before and since. */
  readonly from: number;
  readonly to: number;
  readonly at: number;
  /** The model of the others that does this kind of task best, if one is better. */
  readonly better: { readonly model: string; readonly quality: number; readonly judged: number } | null;
}

/** Falls of the last thirty days that still hold: a model that has come back is not named. */
export function findFallen(tallies: readonly Tally[], now: number, policy: RoutePolicy): readonly FallenModel[] {
  const faded = tallies.filter(({ attempt }) => attempt === "first").map((one) => fadeTally(one, now, policy));
  return faded.flatMap((one) => {
    const { taskType, complexity, model, fellFrom, fellAt } = one;
    if (fellFrom === null || fellAt === null || one.outcomes === 0 || now - fellAt > SHOWN_MS) return [];
    const to = meanOf(one);
    if (to >= fellFrom - policy.fallSlack) return [];
    const others = faded.filter((other) => other.model !== model && isSameKind(other, one) && other.judged >= 1);
    const [best] = others.filter((other) => meanOf(other) > to).toSorted((a, b) => meanOf(b) - meanOf(a));
    const better = best === undefined ? null : { model: best.model, quality: meanOf(best), judged: best.judged };
    return [{ taskType, complexity, model, from: fellFrom, to, at: fellAt, better }];
  });
}

/** One sentence without its full stop. */
export function explainFall({ model, complexity, taskType, from, to, better }: FallenModel): string {
  const fell = `the quality of ${model} at ${complexity} ${taskType} tasks fell from ${from.toFixed(2)} to ${to.toFixed(2)}`;
  if (better === null) return `${fell}; there is no stronger model among yours`;
  const evidence = explainEvidence({ outcomes: better.judged, judged: better.judged });
  return `${fell}; the best of your other models is ${better.model}: ${better.quality.toFixed(2)} (${evidence})`;
}

function meanOf({ quality, outcomes }: Tally): number {
  return outcomes === 0 ? 0 : quality / outcomes;
}

function isSameKind(a: Tally, b: Tally): boolean {
  return a.taskType === b.taskType && a.complexity === b.complexity;
}

const SHOWN_MS = 30 * DAY;
