import { accessSync, constants, statSync } from "node:fs";
import type { Config } from "../config.ts";
import { isFailure } from "../domain/event.ts";
import { OldhandError, systemCodeOf } from "../lib/errors.ts";
import type { Db } from "../store/db.ts";
import { appendNewEvents } from "../store/events.ts";
import { type Batch, batchesOf, type ImportFilter, type ReadRequest } from "./imports/read-file.ts";

export interface Imported {
  readonly sessions: number;
  readonly events: number;
  readonly failures: number;
  /** Lines that were there already, or that could not be read. */
  readonly skipped: number;
}

export interface ImportWorld {
  readonly db: Db;
  readonly config: Config;
  /** Who reads: this thread, unless others are at hand. */
  readonly read?: (request: ReadRequest) => AsyncIterable<Batch>;
}

/** Brings one file in. The same file again changes nothing; a file cut short is stored up to the cut. */
export async function importFile(
  world: ImportWorld,
  { path, from }: { readonly path: string; readonly from: string | null },
  filter: ImportFilter = {},
): Promise<Imported> {
  refuseUnreadable(path);
  const tally = newTally(world.db);
  const read = world.read ?? batchesOf;
  try {
    for await (const batch of read({ path, from, filter, policy: world.config.policy.observe })) await tally.add(batch);
  } catch (error) {
    if (!isReadError(error)) throw error;
    throw new OldhandError("input", `cannot read all of ${path}: it is damaged or cut short`, {
      hint: "what came before was stored; with a whole file the same command goes on from there",
      cause: error,
    });
  }
  return tally.sum();
}

/** Of the disk, or of a gzip that is none or not whole. */
function isReadError(error: unknown): boolean {
  return /^(Z_|E[A-Z]+$)/.test(systemCodeOf(error)) || (error instanceof OldhandError && isReadError(error.cause));
}

function refuseUnreadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
    if (!statSync(path).isDirectory()) return;
  } catch (cause) {
    const missing = systemCodeOf(cause) === "ENOENT";
    throw new OldhandError(
      "input",
      `cannot import ${path}: ${missing ? "there is no such file" : "it cannot be read"}`,
      {
        hint: "check the path; nothing was changed by it",
        cause,
      },
    );
  }
  throw new OldhandError("input", `cannot import ${path}: it is a folder`, { hint: "name the files in it" });
}

function newTally(db: Db) {
  const sessions = new Set<string>();
  const sum = { events: 0, failures: 0, skipped: 0 };
  return {
    add: async ({ events, skipped }: Batch): Promise<void> => {
      const fresh = await appendNewEvents(db, events);
      for (const event of fresh) {
        sessions.add(`${event.host} ${event.session}`);
        sum.events++;
        if (isFailure(event)) sum.failures++;
      }
      sum.skipped += skipped + events.length - fresh.length;
    },
    sum: (): Imported => ({ sessions: sessions.size, ...sum }),
  };
}
