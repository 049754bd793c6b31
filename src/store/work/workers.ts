import type { Db } from "../engine/db.ts";

/** A process that does work: `oldhand run` on some machine. */
export interface Worker {
  readonly id: string;
  /** The process, as in `lib/process-ref.ts`. */
  readonly process: string;
  readonly startedAt: number;
  /** It said that it lives. */
  readonly beatAt: number;
  /** What it does now, in words; null: nothing. */
  readonly doing: string | null;
}

export async function saveWorker(db: Db, worker: Worker): Promise<void> {
  await db.run(
    `insert into workers (id, process, started_at, beat_at, doing) values (?, ?, ?, ?, ?)
     on conflict (id) do update set beat_at = excluded.beat_at, doing = excluded.doing`,
    [worker.id, worker.process, worker.startedAt, worker.beatAt, worker.doing],
  );
}

export async function deleteWorker(db: Db, id: string): Promise<void> {
  await db.run("delete from workers where id = ?", [id]);
}

/** Oldest first. */
export async function listWorkers(db: Db): Promise<Worker[]> {
  const rows = await db.all<WorkerRow>(
    "select id, process, started_at, beat_at, doing from workers order by started_at, id",
  );
  return rows.map((row) => ({
    id: row.id,
    process: row.process,
    startedAt: row.started_at,
    beatAt: row.beat_at,
    doing: row.doing,
  }));
}

/** Deletes workers that have said nothing since. */
export function pruneWorkers(db: Db, before: number): Promise<number> {
  return db.run("delete from workers where beat_at < ?", [before]);
}

interface WorkerRow {
  readonly id: string;
  readonly process: string;
  readonly started_at: number;
  readonly beat_at: number;
  readonly doing: string | null;
}
