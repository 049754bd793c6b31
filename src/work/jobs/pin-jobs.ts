import { machineInTeam } from "../../domain/work/job.ts";
import type { Db } from "../../store/engine/db.ts";
import { applyChange, type Provenance } from "../../store/journal/journal.ts";
import { jobNoun, listJobs } from "../../store/nouns/jobs.ts";

/** A command that belongs to one machine from now on. */
export interface PinnedJob {
  readonly job: string;
  readonly machine: string;
}

/** A mind of one machine became that of a team: gives every command without a machine the one where it was added. */
export async function pinJobs(tx: Db, by: Provenance, here: string): Promise<readonly PinnedJob[]> {
  const pinned: PinnedJob[] = [];
  for (const { id, name, ...job } of await listJobs(tx)) {
    const machine = machineInTeam(job, here);
    if (machine === null) continue;
    await applyChange(tx, { noun: jobNoun, id }, by, (before) => {
      if (before?.work.kind !== "command") return before;
      const { addedOn: _addedOn, ...work } = before.work;
      return { ...before, work: { ...work, machine } };
    });
    pinned.push({ job: name, machine });
  }
  return pinned;
}
