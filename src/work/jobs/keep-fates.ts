import type { Db } from "../../store/engine/db.ts";
import { listJobs } from "../../store/nouns/jobs.ts";
import { type JobState, listJobStates, lockJobState, writePlannedUntil } from "../../store/work/job-states.ts";
import { listSlots, type Slot, storeSlots } from "../../store/work/slots.ts";

/** What a mind knows of its slots. */
export interface KnownFates {
  readonly slots: readonly Slot[];
  readonly states: ReadonlyMap<string, JobState>;
}

export async function readFates(tx: Db): Promise<KnownFates> {
  const all = { since: 0, until: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER };
  return { slots: await listSlots(tx, all), states: await listJobStates(tx) };
}

/**
 * After a restore: what became of slots since the backup stays. A command that ran cannot be taken back, so its slot must
 * not be run again.
 */
export async function keepFates(tx: Db, known: KnownFates): Promise<void> {
  const jobs = new Map((await listJobs(tx)).map((job) => [job.id, job]));
  await storeSlots(
    tx,
    known.slots.filter(({ job }) => jobs.has(job)),
  );
  for (const [id, { plannedUntil }] of known.states) {
    const job = jobs.get(id);
    if (job === undefined) continue;
    const restored = await lockJobState(tx, id, job.madeAt);
    if (plannedUntil > restored.plannedUntil) await writePlannedUntil(tx, id, plannedUntil);
  }
}
