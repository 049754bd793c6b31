import { isOwner } from "../../domain/actor.ts";
import { type Job, type JobWork, keepMachine, type LatePolicy } from "../../domain/work/job.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

const columns = "id, name, cron, zone, work, late, model, enabled, made_at";

/** By name. */
export async function listJobs(db: Db): Promise<Job[]> {
  return (await db.all<JobRow>(`select ${columns} from jobs order by name`)).map(fromRow);
}

export async function readJob(db: Db, id: string): Promise<Job | null> {
  const row = await db.get<JobRow>(`select ${columns} from jobs where id = ?`, [id]);
  return row ? fromRow(row) : null;
}

export async function findJobByName(db: Db, name: string): Promise<Job | null> {
  const row = await db.get<JobRow>(`select ${columns} from jobs where name = ?`, [name]);
  return row ? fromRow(row) : null;
}

/** Jobs that were removed at some time; some may be there again. */
export async function listRemovedJobIds(db: Db): Promise<readonly string[]> {
  const rows = await db.all<{ subject: string }>(
    "select distinct subject from journal where noun = ? and after is null and scrubbed = 0 order by subject",
    ["job"],
  );
  return rows.map(({ subject }) => subject);
}

/** Only the journal calls these. A job runs programs without a person, so only the owner makes or changes one. */
export const jobNoun: Noun<Job> = {
  name: "job",
  read: readJob,
  write: async (db, id, job) => {
    if (job === null) {
      await db.run("delete from jobs where id = ?", [id]);
      return;
    }
    await db.run(
      `insert into jobs (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do update set name = excluded.name, cron = excluded.cron, zone = excluded.zone,
         work = excluded.work, late = excluded.late, model = excluded.model, enabled = excluded.enabled,
         made_at = excluded.made_at`,
      [
        id,
        job.name,
        job.cron,
        job.zone,
        JSON.stringify(job.work),
        job.late,
        job.model,
        job.enabled ? 1 : 0,
        job.madeAt,
      ],
    );
  },
  all: listJobs,
  dependants: async () => [],
  // A mind of one machine binds no command; in that of a team, one without a machine would run on any.
  fitUndone: (db, now, to) => (db.dialect.name === "postgres" ? keepMachine(now, to) : to),
  refuses: (_before, _after, actor) => (isOwner(actor) ? null : "only the owner decides which jobs run"),
};

interface JobRow {
  readonly id: string;
  readonly name: string;
  readonly cron: string;
  readonly zone: string;
  readonly work: string;
  readonly late: string;
  readonly model: string | null;
  readonly enabled: number;
  readonly made_at: number;
}

function fromRow(row: JobRow): Job {
  return {
    id: row.id,
    name: row.name,
    cron: row.cron,
    zone: row.zone,
    work: JSON.parse(row.work) as JobWork,
    late: row.late as LatePolicy,
    model: row.model,
    enabled: row.enabled === 1,
    madeAt: row.made_at,
  };
}
