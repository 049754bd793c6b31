import { openContext } from "../../src/mind.ts";
import { findJobByName } from "../../src/store/nouns/jobs.ts";
import { lockJobState, writeJobBreaker } from "../../src/store/work/job-states.ts";
import type { Place } from "../program.ts";

/** As after three failures of its schedule. */
export async function openJobBreaker({ home }: Place, name: string): Promise<void> {
  const { clock, db, close } = await openContext({ home, env: {} });
  try {
    await db.tx(async (tx) => {
      const job = await findJobByName(tx, name);
      if (job === null) throw new Error(`no job ${name}`);
      await lockJobState(tx, job.id, job.madeAt);
      await writeJobBreaker(tx, job.id, { failures: 3, openedAt: clock.now(), alertedAt: clock.now() });
    });
  } finally {
    await close();
  }
}
