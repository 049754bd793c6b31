import { statSync } from "node:fs";
import type { Config } from "../config.ts";
import { messageOf, OldhandError, systemCodeOf } from "../lib/errors.ts";
import { thisProcess } from "../lib/owner.ts";
import { plural } from "../lib/text.ts";
import type { Db } from "../store/db.ts";
import { type ImportMark, isImported, markImported } from "../store/imports.ts";
import type { Place } from "./host.ts";
import { hosts } from "./hosts/list.ts";
import { type Imported, type ImportFilter, importFile } from "./import.ts";

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
  const place: Place = { ...options.machine, home: world.config.home, project: null, command: [] };
  const whole = options.since === undefined && options.workspace === undefined;
  for (const host of hosts.filter((one) => options.host === undefined || one.name === options.host)) {
    const setup = await host.setup();
    const paths = setup.transcripts(place);
    for (const [at, path] of paths.entries()) {
      options.progress?.(
        `${host.title}: ${at + 1} of ${plural(paths.length, "transcript")}, ${plural(total.events, "new event")}`,
      );
      total.files++;
      const mark = markOf(path);
      if (mark === null || mark.changedAt < (options.since ?? 0) || (await isImported(world.db, mark))) {
        total.unchanged++;
        continue;
      }
      const one = await importFile(world, path, host.name, options).catch(told(options, path));
      if (one === null) {
        total.damaged++;
        continue;
      }
      for (const name of ["sessions", "events", "failures", "skipped"] as const) total[name] += one[name];
      // The mark is the file as it was before it was read: what was written meanwhile is read the next time.
      if (whole) await markImported(world.db, mark);
    }
  }
  return total;
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

/** One broken file must not keep the others out; it is told, and tried again the next time. */
function told(options: FoundOptions, path: string): (error: unknown) => null {
  return (error) => {
    if (!(error instanceof OldhandError) || error.code !== "input") throw error;
    options.progress?.(`${path}: ${messageOf(error)}`);
    return null;
  };
}
