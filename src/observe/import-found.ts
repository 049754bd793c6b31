import { statSync } from "node:fs";
import type { Config } from "../config.ts";
import { messageOf, OldhandError, systemCodeOf } from "../lib/errors.ts";
import { thisProcess } from "../lib/owner.ts";
import { bar, plural } from "../lib/text.ts";
import type { Db } from "../store/db.ts";
import { type ImportMark, isImported, markImported } from "../store/imports.ts";
import type { Place } from "./host.ts";
import { hosts } from "./hosts/list.ts";
import type { Imported } from "./import.ts";
import { type FileToImport, importMany } from "./import-many.ts";
import type { ImportFilter } from "./imports/read-file.ts";

export interface FoundImported extends Imported {
  readonly files: number;
  /** Files that are as they were when they were last read, or too old to hold what is asked for. */
  readonly unchanged: number;
  /** Files that could not be read whole. */
  readonly damaged: number;
}

export interface FoundOptions extends ImportFilter {
  /** Where products keep what they record. */
  readonly machine: Pick<Place, "userHome" | "env" | "platform">;
  /** Only of this host. */
  readonly host?: string | undefined;
  readonly progress?: ((text: string) => void) | undefined;
}

/**
 * Everything the hosts of this machine recorded. Can be broken off at any time: a file that was read whole and has not
 * changed since is not read again, and what is in one that has changed is known by its events' own names.
 */
export async function importFound(
  world: { readonly db: Db; readonly config: Config },
  options: FoundOptions,
): Promise<FoundImported> {
  const total = { sessions: 0, events: 0, failures: 0, skipped: 0, files: 0, unchanged: 0, damaged: 0 };
  const found = await filesToRead(world, options, total);
  const whole = options.since === undefined && options.workspace === undefined;
  await importMany(world, found, {
    filter: options,
    tell: (file, { share, events }) =>
      options.progress?.(
        `${bar(share)} ${file.title}: ${file.at} of ${plural(file.of, "transcript")}, ${plural(total.events + events, "event")}`,
      ),
    end: async (file, one) => {
      for (const name of ["sessions", "events", "failures", "skipped"] as const) total[name] += one[name];
      // The mark is the file as it was before it was read: what was written meanwhile is read the next time.
      if (whole) await markImported(world.db, file.mark);
    },
    // One broken file must not keep the others out; it is told, and tried again the next time.
    failed: (file, error) => {
      if (!(error instanceof OldhandError) || error.code !== "input") throw error;
      options.progress?.(`${file.path}: ${messageOf(error)}`);
      total.damaged++;
    },
  });
  return total;
}

interface FoundFile extends FileToImport {
  readonly title: string;
  readonly at: number;
  readonly of: number;
  readonly mark: ImportMark;
}

async function filesToRead(
  world: { readonly db: Db; readonly config: Config },
  options: FoundOptions,
  total: { files: number; unchanged: number },
): Promise<readonly FoundFile[]> {
  const place: Place = { ...options.machine, home: world.config.home, project: null, command: [] };
  const found: FoundFile[] = [];
  for (const host of hosts.filter((one) => options.host === undefined || one.name === options.host)) {
    const paths = (await host.setup()).transcripts(place);
    for (const [at, path] of paths.entries()) {
      total.files++;
      const mark = markOf(path);
      if (mark === null || mark.changedAt < (options.since ?? 0) || (await isImported(world.db, mark)))
        total.unchanged++;
      else found.push({ path, from: host.name, title: host.title, at: at + 1, of: paths.length, mark });
    }
  }
  return found;
}

/** Null where it has gone since it was listed. */
function markOf(path: string): ImportMark | null {
  try {
    const { size, mtimeMs } = statSync(path);
    // Of a database, what was written last may still be in its log.
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
    const changedAt = Math.round(Math.max(mtimeMs, log?.mtimeMs ?? 0));
    return { machine: thisProcess().machine, path, size: size + (log?.size ?? 0), changedAt };
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return null;
    throw error;
  }
}
