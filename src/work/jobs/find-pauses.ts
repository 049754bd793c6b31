import type { Config } from "../../config.ts";
import { findPauseReason, parseQuietHours } from "../../domain/work/pause.ts";
import { localTimeZone, minuteOfDay } from "../../lib/cron.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { listPauses } from "../../store/work/pauses.ts";

/** What planning and running slots needs. */
export interface WorkContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Pick<Config, "policy" | "off">;
}

/** Says why no work begins at a time, in words, for any time from `since` on. Null: it may. */
export async function findPauses(
  { db, config }: Pick<WorkContext, "db" | "config">,
  since: number,
): Promise<(time: number) => string | null> {
  if (config.off.everywhere) return () => "oldhand was switched off";
  const pauses = await listPauses(db, since);
  const { quietHours } = config.policy.work;
  // The time zone is slow to find, and workers look each second.
  const quiet = quietHours === "" ? null : (parseQuietHours(quietHours, localTimeZone()) ?? null);
  return (time) => findPauseReason(time, pauses, quiet, minuteOfDay);
}
