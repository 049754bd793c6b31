import { toName } from "../../domain/work/addressee.ts";
import { machineOf } from "../../domain/work/job.ts";
import { machineOfProcess } from "../../lib/process-ref.ts";
import type { Db } from "../engine/db.ts";
import { listJobs } from "../nouns/jobs.ts";
import { listWorkers } from "./workers.ts";

/** The machines of a team of which a session, a worker or a job was seen. `except`: not known from this job. */
export async function listKnownMachines(db: Db, except: string | null = null): Promise<readonly string[]> {
  const places = await db.all<{ name: string }>("select distinct machine as name from workspaces order by 1");
  const workers = (await listWorkers(db)).map(({ process }) => machineOfProcess(process));
  const ran = await db.all<{ name: string }>("select distinct worker as name from job_slots where worker is not null");
  const jobs = (await listJobs(db)).flatMap((job) => (job.id === except ? [] : (machineOf(job) ?? [])));
  const seen = [
    ...places.map(({ name }) => name),
    ...workers,
    ...ran.map(({ name }) => machineOfProcess(name)),
    ...jobs,
  ];
  return [...new Set(seen.map(toName))];
}
