import { openContext } from "../../src/mind.ts";
import { findJobByName } from "../../src/store/nouns/jobs.ts";
import { alertSubject } from "../../src/work/jobs/run-slot.ts";
import { insertAlert } from "../../src/store/work/alerts.ts";
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
      const text = `Job ${name} failed 3 times in a row, last: exit 1: red.`;
      await insertAlert(tx, { subject: alertSubject(job), text, now: clock.now() });
    });
  } finally {
    await close();
  }
}
