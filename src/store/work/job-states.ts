import { closedBreaker, type JobBreaker } from "../../domain/work/job-breaker.ts";
import type { Db } from "../engine/db.ts";

/** What changes with every slot of a job, and so is not journalled. */
export interface JobState {
  /** Every slot up to here has a row. */
  readonly plannedUntil: number;
  readonly breaker: JobBreaker;
}

/** The state of a job, locked until the transaction ends: one process at a time plans its slots. */
export async function lockJobState(tx: Db, job: string, madeAt: number): Promise<JobState> {
  await tx.run(
    `insert into job_states (job, planned_until, failures, opened_at, alerted_at) values (?, ?, 0, null, null)
     on conflict (job) do update set failures = job_states.failures`,
    [job, madeAt],
  );
  return (await readJobState(tx, job)) ?? { plannedUntil: madeAt, breaker: closedBreaker };
}

export async function readJobState(db: Db, job: string): Promise<JobState | null> {
  const row = await db.get<JobStateRow>(`select ${columns} from job_states where job = ?`, [job]);
  return row ? fromRow(row) : null;
}

export async function listJobStates(db: Db): Promise<ReadonlyMap<string, JobState>> {
  const rows = await db.all<JobStateRow>(`select ${columns} from job_states`);
  return new Map(rows.map((row) => [row.job, fromRow(row)]));
}

export async function writePlannedUntil(tx: Db, job: string, until: number): Promise<void> {
  await tx.run("update job_states set planned_until = ? where job = ?", [until, job]);
}

export async function writeJobBreaker(tx: Db, job: string, breaker: JobBreaker): Promise<void> {
  await tx.run("update job_states set failures = ?, opened_at = ?, alerted_at = ? where job = ?", [
    breaker.failures,
    breaker.openedAt,
    breaker.alertedAt,
    job,
  ]);
}

const columns = "job, planned_until, failures, opened_at, alerted_at";

interface JobStateRow {
  readonly job: string;
  readonly planned_until: number;
  readonly failures: number;
  readonly opened_at: number | null;
  readonly alerted_at: number | null;
}

function fromRow(row: JobStateRow): JobState {
  return {
    plannedUntil: row.planned_until,
    breaker: { failures: row.failures, openedAt: row.opened_at, alertedAt: row.alerted_at },
  };
}
