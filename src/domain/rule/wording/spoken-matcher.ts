import type { Matcher } from "../rule.ts";

/**
 * The matcher as a sentence describes it. What calls lack reads as advice to add it, so a sentence leaves out what
 * agents must not be taught, and options that only keep other calls apart.
 */
export function toSpokenMatcher(matcher: Matcher, mayTeach: (trait: string) => boolean): Matcher {
  const { lacks = [], head = null } = matcher;
  const named = lacks.filter((trait) => mayTeach(trait) && !isOfNewBranch(trait, head));
  return named.length === lacks.length ? matcher : { ...matcher, lacks: named };
}

/** With these options, `git checkout` and `git switch` create the branch that they name. */
export const branchCreating: readonly string[] = ["-b", "-B", "-c", "-C", "--orphan"].map((flag) => `flag ${flag}`);

export function isOfNewBranch(trait: string, head: string | null): boolean {
  return /^git (?:checkout|switch)$/.test(head ?? "") && branchCreating.includes(trait);
}
