/** A call in which the mistake of a rule could be made. */
export interface ChanceCall {
  /** Equal for a call that is repeated unchanged. */
  readonly key: string;
  readonly isMistake: boolean;
  readonly result: "worked" | "failed" | "unclear";
}

/** The last such call of a session, so that the count can go on after it. */
export interface LastChanceCall {
  readonly key: string;
  /** True if it failed, or made the mistake: what follows corrects or retries it. */
  readonly isOpen: boolean;
}

export interface Chances {
  readonly chances: number;
  readonly mistakes: number;
  readonly last: LastChanceCall | null;
}

/**
 * Counts the first attempts of one session, in order. A call that corrects, retries or repeats the one before it is no
 * further chance: else a rule after which agents try more often would seem to prevent mistakes. With `everyMistake`, a
 * mistake in other words is a chance of its own, because the rule is a wish that a call may break and still work.
 */
export function countChances(
  calls: readonly ChanceCall[],
  { last: before, everyMistake }: { readonly last: LastChanceCall | null; readonly everyMistake: boolean },
): Chances {
  let last = before;
  let [chances, mistakes] = [0, 0];
  for (const { key, isMistake, result } of calls) {
    const isRetry = last?.isOpen === true && !(everyMistake && isMistake);
    if (last?.key !== key && !isRetry) {
      chances++;
      if (isMistake) mistakes++;
    }
    const isOpen = isMistake || result === "failed" || (result === "unclear" && last?.isOpen === true);
    last = { key, isOpen };
  }
  return { chances, mistakes, last };
}
