import { type Job, machineOf, runsOn } from "../../domain/work/job.ts";
import type { Db } from "../../store/engine/db.ts";

/** Jobs that belong to another machine in a mind that only this one has, such as one restored from that of a team. */
export function findStrandedJobs(db: Pick<Db, "dialect">, jobs: readonly Job[], here: string): readonly Job[] {
  return db.dialect.name === "postgres" ? [] : jobs.filter((job) => !runsOn(job, here));
}

/** One sentence for each machine that they belong to. */
export function explainStrandedJobs(jobs: readonly Job[], here: string): readonly string[] {
  const machines = [...new Set(jobs.map(machineOf))];
  return machines.map((machine) => {
    const names = jobs.filter((job) => machineOf(job) === machine).map(({ name }) => name);
    const commands = names.map((name) => `\`oldhand job edit ${name} --machine ${here}\``).join(", ");
    const [runs, lets] = names.length === 1 ? ["runs", "lets it"] : ["run", "let them"];
    return `${names.join(", ")} ${runs} only on ${machine ?? ""}, and this mind is only on ${here}: ${commands} ${lets} run here`;
  });
}
