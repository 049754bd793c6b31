import { plural } from "../../lib/text.ts";
import type { AdviceFailures } from "../rule/rule.ts";

/** How the advised call ended in one session, the last time it was made there. */
export interface AdvisedSession {
  readonly failed: boolean;
  /** True if the error says that what is advised does not exist: a path, an option, a subcommand. */
  readonly isGone: boolean;
}

/** Older sessions say nothing about the advice of today. */
const LATEST = 6;
/** A single failure may be chance. */
const LEAST = 2;

/**
 * The failures of an advised call that no longer helps; null if it still does. It no longer helps if it failed in half
 * of the latest sessions, or if what it names was gone in the last two.
 */
export function findAdviceFailures(sessions: readonly AdvisedSession[]): AdviceFailures | null {
  const latest = sessions.slice(-LATEST);
  const failed = latest.filter((one) => one.failed).length;
  const last = latest.slice(-LEAST);
  const isGone = last.length === LEAST && last.every((one) => one.failed && one.isGone);
  return isGone || (failed >= LEAST && failed * 2 >= latest.length) ? { failed, of: latest.length } : null;
}

export function explainAdviceFailures({ failed, of }: AdviceFailures): string {
  return `the call that it advises failed in ${failed} of the latest ${plural(of, "session")}`;
}
