import { toName } from "../../domain/work/addressee.ts";
import { machineOfProcess } from "../../lib/process-ref.ts";
import type { Db } from "../engine/db.ts";
import { listWorkers } from "./workers.ts";

/** The machines of a team of which a session or a worker was seen. */
export async function listKnownMachines(db: Db): Promise<readonly string[]> {
  const places = await db.all<{ name: string }>("select distinct machine as name from workspaces order by 1");
  const workers = (await listWorkers(db)).map(({ process }) => machineOfProcess(process));
  return [...new Set([...places.map(({ name }) => name), ...workers].map(toName))];
}
