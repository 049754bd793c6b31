import type { Db } from "./engine/db.ts";

/** A file that was read to its end, as it was then; a mind may be shared by machines that have the same paths. */
export interface ImportMark {
  readonly machine: string;
  readonly path: string;
  readonly size: number;
  readonly changedAt: number;
}

export async function isImported(db: Db, mark: ImportMark): Promise<boolean> {
  const row = await db.get<{ size: number; changed_at: number }>(
    "select size, changed_at from imports where machine = ? and path = ?",
    [mark.machine, mark.path],
  );
  return row !== undefined && row.size === mark.size && row.changed_at === mark.changedAt;
}

export async function markImported(db: Db, mark: ImportMark): Promise<void> {
  await db.run(
    `insert into imports (machine, path, size, changed_at) values (?, ?, ?, ?)
     on conflict (machine, path) do update set size = excluded.size, changed_at = excluded.changed_at`,
    [mark.machine, mark.path, mark.size, mark.changedAt],
  );
}
