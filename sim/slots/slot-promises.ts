import type { Job } from "../../src/domain/work/job.ts";
import { DAY } from "../../src/lib/clock.ts";
import { listDueTimes } from "../../src/lib/cron.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { listSlots, type Slot } from "../../src/store/work/slots.ts";

/** Sees the work of every slot begin, whatever the store says. */
export interface SlotWitness {
  begins(job: string, slot: number): void;
  count(job: string, slot: number): number;
}

export function newSlotWitness(): SlotWitness {
  const seen = new Map<string, number>();
  return {
    begins: (job, slot) => void seen.set(`${job}@${slot}`, (seen.get(`${job}@${slot}`) ?? 0) + 1),
    count: (job, slot) => seen.get(`${job}@${slot}`) ?? 0,
  };
}

/** By fate, or by the reason of those that were missed. */
export type SlotCounts = Readonly<Record<string, number>>;

/** Longer than any jump of a simulated clock. */
const LONGEST_JUMP = 10 * DAY;

/** Every due time up to `until` has one row with one fate, no other time has one, and no work was done twice. */
export async function checkSlots(
  db: Db,
  of: { readonly jobs: readonly Job[]; readonly witness: SlotWitness; readonly until: number },
): Promise<{ readonly broken: readonly string[]; readonly counts: SlotCounts }> {
  const broken: string[] = [];
  const counts: Record<string, number> = {};
  for (const job of of.jobs) {
    const range = { jobs: [job.id], since: 0, until: of.until, limit: Number.MAX_SAFE_INTEGER };
    const rows = (await listSlots(db, range)).toReversed();
    const due = listDueTimes(job, { after: job.madeAt, until: of.until });
    const there = new Set(rows.map(({ slot }) => slot));
    const missing = due.find((time) => !there.has(time));
    // A clock that is put back before a job was made gives the job its due times of then too.
    const known = new Set(listDueTimes(job, { after: job.madeAt - LONGEST_JUMP, until: of.until }));
    const extra = rows.find(({ slot }) => !known.has(slot));
    if (missing !== undefined) broken.push(`${job.name} of ${new Date(missing).toISOString()} has no row`);
    if (extra !== undefined) broken.push(`${job.name} was not due at ${new Date(extra.slot).toISOString()}`);
    for (const row of rows) {
      const kind = row.reason ?? row.fate;
      counts[kind] = (counts[kind] ?? 0) + 1;
      const fault = findFault(row, of.witness.count(row.job, row.slot));
      if (fault !== null) broken.push(`${job.name} of ${new Date(row.slot).toISOString()} ${fault}`);
    }
  }
  return { broken, counts };
}

function findFault({ fate }: Slot, begun: number): string | null {
  if (fate === "due" || fate === "running") return `is still ${fate}`;
  if (begun > 1) return `was run ${begun} times`;
  if (fate === "ran" && begun === 0) return "is recorded as run, but was not";
  return fate === "missed" && begun > 0 ? "is recorded as missed, but was run" : null;
}
