import { HOUR } from "../../lib/clock.ts";

/** A sentence for the owner if no cycle ran for too long although one should; null if all is well. */
export function findCycleGap({
  lastAt,
  since,
  hasJob,
  openGoals,
  hours,
  now,
}: {
  /** When the last cycle began; null: there was none. */
  readonly lastAt: number | null;
  /** Since when the job is there. */
  readonly since: number;
  readonly hasJob: boolean;
  readonly openGoals: number;
  readonly hours: number;
  readonly now: number;
}): string | null {
  const from = Math.max(lastAt ?? 0, since);
  const gap = Math.floor((now - from) / HOUR);
  if (!hasJob || openGoals === 0 || now - from <= hours * HOUR) return null;
  return `No cycle ran for ${gap} hours although the job cycle is on (oldhand job why cycle).`;
}
