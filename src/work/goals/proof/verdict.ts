import type { ChangedPath } from "./clean-repository.ts";

/** What came of a check. */
export type CheckVerdict =
  /** `what` was run or found, for the task's result. */
  | { readonly kind: "verified"; readonly what: string }
  /** It may be done, but that is not shown. */
  | { readonly kind: "claimed"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string };

/** What a check judges: the difference between two commits. */
export interface Judged {
  /** The commit when the task was made, or the empty tree. */
  readonly base: string;
  readonly head: string;
  readonly changes: readonly ChangedPath[];
  /** Why nothing can be verified, whatever the check says; null if it can. */
  readonly doubt: string | null;
}

export const claimed = (why: string): CheckVerdict => ({ kind: "claimed", why });
export const failed = (why: string): CheckVerdict => ({ kind: "failed", why });

/** A commit as a person reads it. */
export function shortly(commit: string): string {
  return commit.slice(0, 10);
}
