import type { Db } from "../engine/db.ts";

/**
 * A file that was read to its end, with its size and time then. With its machine, because machines that share
 * a mind may have the same paths.
 */
export interface ImportedFile {
  readonly machine: string;
  readonly path: string;
  readonly size: number;
  readonly changedAt: number;
}

export async function isFileImported(db: Db, file: ImportedFile): Promise<boolean> {
  const row = await db.get<{ size: number; changed_at: number }>(
    "select size, changed_at from imports where machine = ? and path = ?",
    [file.machine, file.path],
  );
  return row !== undefined && row.size === file.size && row.changed_at === file.changedAt;
}

export async function markFileImported(db: Db, file: ImportedFile): Promise<void> {
  await db.run(
    `insert into imports (machine, path, size, changed_at) values (?, ?, ?, ?)
     on conflict (machine, path) do update set size = excluded.size, changed_at = excluded.changed_at`,
    [file.machine, file.path, file.size, file.changedAt],
  );
}
