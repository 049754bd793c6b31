import type { ExecutionEntry } from "../../domain/goal/cycle.ts";
import type { Db } from "../engine/db.ts";

const columns = "id, at, cycle, action, summary, details, ms, goal, task, source";

/** Once for each id. False if it is there already. */
export async function addExecutionEntry(db: Db, entry: ExecutionEntry): Promise<boolean> {
  const { id, at, cycle, action, summary, details, ms, goal, task, source } = entry;
  const added = await db.run(
    `insert into execution_log (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
    [id, at, cycle, action, summary, JSON.stringify(details), ms, goal, task, source],
  );
  return added === 1;
}

/** The newest first. */
export async function listExecutionEntries(
  db: Db,
  filter: {
    readonly since?: number | undefined;
    readonly goal?: string | undefined;
    readonly limit?: number | undefined;
  } = {},
): Promise<ExecutionEntry[]> {
  const rows = await db.all<EntryRow>(
    `select ${columns} from execution_log where at >= ? ${filter.goal === undefined ? "" : "and goal = ?"}
     order by at desc, id desc limit ?`,
    [filter.since ?? 0, ...(filter.goal === undefined ? [] : [filter.goal]), filter.limit ?? 1_000_000],
  );
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> }));
}

interface EntryRow extends Omit<ExecutionEntry, "details"> {
  readonly details: string;
}
