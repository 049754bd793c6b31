import { nextDueTime } from "../../lib/cron.ts";
import { explainJobFailures, isBreakerOpen, type JobBreaker, type JobBreakerPolicy } from "./job-breaker.ts";
import type { Job } from "./job.ts";
import { explainHoldNow, type WorkHold } from "./pause.ts";

export interface NextRun {
  /** Null if no time is known. */
  readonly at: number | null;
  /** Why it is not its next due time, in words; null if it is. */
  readonly waits: string | null;
}

export interface RunSituation {
  readonly now: number;
  readonly breaker: JobBreaker;
  readonly breakerPolicy: JobBreakerPolicy;
  /** What keeps work from beginning at that time. */
  holdAt(time: number): WorkHold | null;
  /** Whose settings hold it, in a team; null: there is only one machine. */
  readonly machine: string | null;
}

/** More than the nights of a year: a job that is due once a day, always in the quiet hours, never runs. */
const MOST_HOLDS = 400;

/** When the next slot of a job is run, as far as anybody knows now. */
export function findNextRun(
  job: Pick<Job, "cron" | "zone" | "enabled">,
  { now, breaker, breakerPolicy, holdAt, machine }: RunSituation,
): NextRun {
  if (!job.enabled) return { at: null, waits: null };
  const isOpen = isBreakerOpen(breaker, now, breakerPolicy);
  const opensAt = isOpen && breaker.openedAt !== null ? breaker.openedAt + breakerPolicy.openMs : null;
  let waits = opensAt === null ? null : explainJobFailures(breaker.failures);
  let after = opensAt === null ? now : opensAt - 1;
  for (let holds = 0; holds < MOST_HOLDS; holds++) {
    const due = nextDueTime(job, after);
    const hold = due === null ? null : holdAt(due);
    if (due === null || hold === null) return { at: due, waits };
    waits ??= explainHoldNow(hold, machine);
    if (hold.until === null) return { at: null, waits };
    after = Math.max(due, hold.until - 1);
  }
  return { at: null, waits: `all its times are in the quiet hours${machine === null ? "" : ` of ${machine}`}` };
}
