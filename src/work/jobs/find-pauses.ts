import type { Config } from "../../config.ts";
import { explainHold, findHold, parseQuietHours, type WorkHold } from "../../domain/work/pause.ts";
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

/** What keeps work from beginning at a time, for any time from `since` on. Null: it may begin. */
export async function findHolds(
  { db, config }: Pick<WorkContext, "db" | "config">,
  since: number,
): Promise<(time: number) => WorkHold | null> {
  if (config.off.everywhere) return () => ({ kind: "off", until: null });
  const pauses = await listPauses(db, since);
  const { quietHours } = config.policy.work;
  // The time zone is slow to find, and workers look each second.
  const quiet = quietHours === "" ? null : (parseQuietHours(quietHours, localTimeZone()) ?? null);
  return (time) => findHold(time, pauses, quiet, minuteOfDay);
}

/** The same in words, for slots. */
export async function findPauses(
  on: Pick<WorkContext, "db" | "config">,
  since: number,
): Promise<(time: number) => string | null> {
  const holdAt = await findHolds(on, since);
  return (time) => {
    const hold = holdAt(time);
    return hold === null ? null : explainHold(hold);
  };
}
