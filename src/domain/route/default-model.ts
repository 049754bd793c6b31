import type { RoutePolicy } from "./policy.ts";
import type { Complexity, Tally } from "./tally.ts";

/** Why the default model goes first, as the end of a sentence; null if the router decides. */
export function explainDefault(
  tallies: readonly Tally[],
  of: {
    readonly taskType: string;
    readonly complexity: Complexity;
    readonly model: string;
    /** Whether the router may try other models to learn about them. */
    readonly mayExplore: boolean;
  },
  { priorQuality }: RoutePolicy,
): string | null {
  const judged = tallies.filter(
    (one) =>
      one.judged > 0 && one.attempt === "first" && one.taskType === of.taskType && one.complexity === of.complexity,
  );
  const own = judged.find((one) => one.model === of.model);
  if (judged.length > (own === undefined ? 0 : 1)) return null;
  if (own === undefined) return "nobody has judged a call of this kind of task yet";
  // Guesses have quality 0, so that the sum is that of the verdicts. They do not count here: only a verdict may replace the default.
  const isGood = own.quality / own.judged >= priorQuality;
  return !of.mayExplore && isGood ? "no other model has been judged at this kind of task" : null;
}
