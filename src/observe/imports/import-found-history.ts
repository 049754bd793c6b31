import { existsSync, statSync } from "node:fs";
import type { Context } from "../../context.ts";
import { errorMessage, OldhandError } from "../../lib/errors.ts";
import { currentProcess } from "../../lib/process-ref.ts";
import { plural } from "../../lib/text.ts";
import { type ImportedFile, isFileImported, markFileImported } from "../../store/events/imported-files.ts";
import type { InstallTarget } from "../protocol/host.ts";
import { hosts } from "../hosts/list.ts";
import { type FileToImport, type ImportResult, emptyImportResult, addImportResults } from "./import.ts";
import { importManyFiles } from "./import-files.ts";
import type { ImportFilter } from "./read-file.ts";
import { otherStores } from "../stores/list.ts";

export interface FoundImportResult extends ImportResult {
  readonly files: number;
  /** Files that are unchanged since they were last read, or older than `since`. */
  readonly unchanged: number;
  /** Files that could not be read completely. */
  readonly damaged: number;
}

export interface FoundImportOptions extends ImportFilter {
  /** Where products keep their files. */
  readonly machine: Pick<InstallTarget, "userHome" | "env" | "platform">;
  /** Only from this host. */
  readonly host?: string | undefined;
}

type FoundContext = Pick<Context, "db" | "config" | "clock" | "signal" | "report">;

/**
 * Imports everything that the hosts on this machine recorded. Can be interrupted at any time: a file that was read
 * completely and has not changed since is skipped, and events of a changed file are deduplicated by their uids.
 */
export async function importFoundHistory(ctx: FoundContext, options: FoundImportOptions): Promise<FoundImportResult> {
  const total = { files: 0, unchanged: 0, damaged: 0 };
  let sum = emptyImportResult;
  const found = await listFilesToRead(ctx, options, total);
  const whole = options.since === undefined && options.workspace === undefined;
  await importManyFiles(ctx, found, {
    filter: options,
    onProgress: (file, { done, total: bytes, events }) =>
      ctx.report({
        done,
        total: bytes,
        text: `${file.title}: ${file.at} of ${plural(file.of, file.one)}, ${plural(sum.events + events, "event")}`,
      }),
    end: async (file, one) => {
      sum = addImportResults(sum, one);
      // The mark is the file's state before it was read, so what was written meanwhile is read next time.
      if (whole) await markFileImported(ctx.db, file.mark);
    },
    // A broken file must not stop the others. It is reported, and tried again next time.
    failed: (file, error) => {
      if (!(error instanceof OldhandError) || error.code !== "input") throw error;
      ctx.report({ text: `${file.path}: ${errorMessage(error)}` });
      total.damaged++;
    },
  });
  return { ...sum, ...total };
}

interface FoundFile extends FileToImport {
  readonly title: string;
  /** The word for one such file. */
  readonly one: string;
  readonly at: number;
  readonly of: number;
  readonly mark: ImportedFile;
}

async function listFilesToRead(
  ctx: FoundContext,
  options: FoundImportOptions,
  total: { files: number; unchanged: number },
): Promise<readonly FoundFile[]> {
  const target: InstallTarget = { ...options.machine, home: ctx.config.home, project: null, command: [] };
  const found: FoundFile[] = [];
  const readsAgain = options.again === true || options.includeOff === true;
  const isOld = async (mark: ImportedFile): Promise<boolean> =>
    mark.changedAt < (options.since ?? 0) || (!readsAgain && (await isFileImported(ctx.db, mark)));
  for (const host of hosts.filter((one) => options.host === undefined || one.name === options.host)) {
    const paths = (await host.setup()).transcripts(target);
    for (const [at, path] of paths.entries()) {
      total.files++;
      const mark = readImportMark([path], path);
      if (mark === null || (await isOld(mark))) total.unchanged++;
      else
        found.push({
          path,
          from: host.name,
          title: host.title,
          one: "transcript",
          at: at + 1,
          of: paths.length,
          mark,
        });
    }
  }
  for (const store of otherStores.filter((one) => options.host === undefined || one.name === options.host)) {
    const paths = store.defaultPaths(target).filter((path) => store.files(path).some((file) => existsSync(file)));
    for (const [at, path] of paths.entries()) {
      total.files++;
      const mark = readImportMark(store.files(path), path);
      if (mark === null || (await isOld(mark))) total.unchanged++;
      else found.push({ path, from: store.name, title: store.title, one: "store", at: at + 1, of: paths.length, mark });
    }
  }
  return found;
}

/** Null if it was deleted since it was listed. */
function readImportMark(files: readonly string[], path: string): ImportedFile | null {
  let size = 0;
  let changedAt = 0;
  for (const file of files) {
    // The latest writes of a database may still be in its log.
    for (const one of [file, `${file}-wal`]) {
      const there = statSync(one, { throwIfNoEntry: false });
      if (there === undefined) continue;
      size += there.size;
      changedAt = Math.max(changedAt, Math.round(there.mtimeMs));
    }
  }
  return changedAt === 0 ? null : { machine: currentProcess().machine, path, size, changedAt };
}
