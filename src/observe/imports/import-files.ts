import { existsSync, statSync } from "node:fs";
import type { Context } from "../../context.ts";
import { throwIfStopped } from "../../lib/stopped.ts";
import { type FileToImport, type ImportResult, refuseUnreadable } from "./import.ts";
import { importStore } from "./import-store.ts";
import { type Importers, openImporters } from "./importers.ts";
import type { ImportFilter } from "./read-file.ts";
import { findOtherStore } from "../stores/list.ts";

export interface ImportManyOptions<T extends FileToImport> {
  readonly filter: ImportFilter;
  /** Called with the progress: bytes read of all files, bytes of all files, and events of this file stored so far. */
  onProgress?(file: T, at: { readonly done: number; readonly total: number; readonly events: number }): void;
  end(file: T, imported: ImportResult): Promise<void> | void;
  /** Called for a file that could not be imported; may throw to stop the whole import. */
  failed(file: T, error: unknown): void;
  /** Importers to use; they are not closed. */
  readonly importers?: Importers;
}

/** Imports many files, several at the same time if threads are worth it. */
export async function importManyFiles<T extends FileToImport>(
  ctx: ManyContext,
  files: readonly T[],
  options: ImportManyOptions<T>,
): Promise<void> {
  const sizes = files.map(({ path }) => (existsSync(path) ? statSync(path).size : 0));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const importers = options.importers ?? openImporters(ctx, bytes);
  let next = 0;
  let before = 0;
  let stopped = false;
  const lane = async () => {
    while (!stopped && next < files.length) {
      throwIfStopped(ctx.signal);
      const at = next++;
      const file = files[at] as T;
      const done = before;
      const onStored = (events: number, read = 0) =>
        options.onProgress?.(file, { done: done + read, total: bytes, events });
      before += sizes[at] ?? 0;
      onStored(0);
      await importOne({ ...ctx, onStored, importers }, { path: file.path, from: file.from }, options.filter).then(
        (imported) => options.end(file, imported),
        (error: unknown) => options.failed(file, error),
      );
    }
  };
  const lanes = Array.from({ length: importers.atOnce }, () =>
    lane().catch((error: unknown) => {
      stopped = true;
      throw error;
    }),
  );
  try {
    // Waits for all lanes even if one fails: they must finish storing before the database is closed.
    for (const ended of await Promise.allSettled(lanes)) if (ended.status === "rejected") throw ended.reason;
  } finally {
    if (options.importers === undefined) await importers.close();
  }
}

type ManyContext = Pick<Context, "db" | "config" | "clock" | "signal">;

/** Imports a file of events, or another product's store. A store is read in this thread, because it has few items. */
async function importOne(
  ctx: ManyContext & { readonly onStored: (things: number, bytes?: number) => void; readonly importers: Importers },
  file: FileToImport,
  filter: ImportFilter,
): Promise<ImportResult> {
  refuseUnreadable(file.path);
  const store = findOtherStore(file.path, file.from);
  if (store !== null) return importStore(ctx, { store, path: file.path }, filter);
  const { since, workspace, again, includeOff } = filter;
  return ctx.importers.importFile(file, { since, workspace, again, includeOff }, ctx.onStored);
}
