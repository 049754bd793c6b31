import type { Config } from "../../config.ts";
import { type Job, machineOf } from "../../domain/work/job.ts";
import { findHold, isOwnHold, parseQuietHours, type WorkHold } from "../../domain/work/pause.ts";
import { minuteOfDay } from "../../lib/cron.ts";
import { localTimeZone } from "../../lib/local-zone.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";
import { machineOfProcess } from "../../lib/process-ref.ts";
import { listWorkers } from "../../store/work/workers.ts";
import { workerState } from "./worker-state.ts";
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
 * What keeps each job from beginning, as far as this home knows. In a team, its own settings concern the jobs that run here,
 * and those for any machine only while no other machine has a worker.
 */
export async function findHoldsByJob(
  { db, clock, config }: WorkContext,
  since: number,
): Promise<(job: Pick<Job, "work">) => (time: number) => WorkHold | null> {
  const own = await findHolds({ db, config }, since);
  const here = teamMachineName({ db, config });
  if (here === null) return () => own;
  const pauses = await listPauses(db, since);
  const forAll = (time: number) => findHold(time, pauses, null, minuteOfDay);
  const workers = await listWorkers(db);
  const isHelped = workers.some(
    (one) => machineOfProcess(one.process) !== here && workerState(one, clock.now()) === "lives",
  );
  return (job) => ((machineOf(job) ?? (isHelped ? null : here)) === here ? own : forAll);
}

/** The name of this machine in a team; null in a mind of one machine. */
export function teamMachineName({ db, config }: Pick<WorkContext, "db" | "config">): string | null {
  return db.dialect.name === "postgres" ? ownMachineName(config) : null;
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
