import type { Route } from "./choose.ts";
import type { RoutePolicy } from "./policy.ts";
import type { Complexity, Tally } from "./tally.ts";

/** What goes before the router's choice, with the reason as the end of a sentence. Null: the router decides. */
export type DefaultDecision =
  | { readonly kind: "default"; readonly why: string }
  /** The router's choice goes first, but only to learn about it: by its verdicts the default would. */
  | { readonly kind: "trial"; readonly why: string }
  | null;

/**
 * Whether the default model goes first. A verdict may take the default away, but only a bad one of its own, or one on another
 * model: what is expected of a model that nobody has judged counts for less than good verdicts. Such a model gets trials.
 */
export function decideDefault(
  tallies: readonly Tally[],
  of: {
    readonly taskType: string;
    readonly complexity: Complexity;
    readonly model: string;
    /** What the router chose. */
    readonly chosen: Route;
    /** Whether the router may try other models to learn about them, and for how many dollars more. */
    readonly mayExplore: boolean;
    readonly exploreMoney: number;
  },
  { priorQuality }: RoutePolicy,
): DefaultDecision {
  const { chosen, model } = of;
  const judged = tallies.filter(
    (one) =>
      one.judged > 0 && one.attempt === "first" && one.taskType === of.taskType && one.complexity === of.complexity,
  );
  const own = judged.find((one) => one.model === model);
  if (judged.length > (own === undefined ? 0 : 1)) return null;
  if (own === undefined) return { kind: "default", why: "nobody has judged a call of this kind of task yet" };
  // Guesses have quality 0, so that the sum is that of the verdicts. They do not count here: only a verdict may replace the default.
  const isGood = own.quality / own.judged >= priorQuality;
  if (!isGood || chosen.explored || chosen.model === null || (of.mayExplore && chosen.model === model)) return null;
  if (!of.mayExplore || chosen.model === model)
    return { kind: "default", why: "no other model has been judged at this kind of task" };
  const costOf = (name: string) => chosen.weighed.find((one) => one.model === name)?.cost ?? 0;
  return chosen.exploreLeft >= 1 && costOf(chosen.model) <= costOf(model) + of.exploreMoney
    ? {
        kind: "trial",
        why: `nobody has judged its calls of this kind of task, and those of ${model}, the default model, were judged good`,
      }
    : {
        kind: "default",
        why: "its verdicts are good; no other model has been judged at this kind of task, and none may be tried now",
      };
}
