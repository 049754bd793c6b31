import type { Config } from "../../config.ts";
import { type Job, machineOf } from "../../domain/work/job.ts";
import { findHold, isOwnHold, parseQuietHours, type WorkHold } from "../../domain/work/pause.ts";
import { minuteOfDay } from "../../lib/cron.ts";
import { localTimeZone } from "../../lib/local-zone.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
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

/**
 * True for times at which only settings of this home keep a job from beginning, that are not late yet, and that another
 * machine of a team may still run.
 */
export function newLeftTest(
  { db, config }: Pick<WorkContext, "db" | "config">,
  job: Pick<Job, "work">,
  { now, holdAt }: { readonly now: number; holdAt(time: number): WorkHold | null },
): (time: number) => boolean {
  if (db.dialect.name !== "postgres" || machineOf(job) !== null) return () => false;
  const lateAfterMs = config.policy.work.lateSeconds * SECOND;
  return (time) => {
    const hold = now - time > lateAfterMs ? null : holdAt(time);
    return hold !== null && isOwnHold(hold);
  };
}
