import { setImmediate } from "node:timers/promises";
import type { Context } from "../context.ts";
import type { Bypass } from "../domain/skill-registry.ts";
import type { Db } from "../store/db.ts";
import { type ToldEvent, toldAfter } from "../store/events.ts";
import { readMeta, takeMark, writeMeta } from "../store/meta.ts";
import { bypassesReader, repeatsReader } from "./read-repeats.ts";
import { triesReader } from "./read-tries.ts";

/** Somebody who finds something in each event, once. */
export interface Reader {
  /** Under this name it is kept how far it has read. */
  readonly mark: string;
  /** Events come in the order they were stored. */
  read(tx: Db, event: ToldEvent): Promise<void> | void;
  /** Stores what was found in a range of events. */
  write(tx: Db, range: { readonly after: number; readonly upTo: number }): Promise<void>;
}

/** Read at a time: few enough to be gone before the next, so that a million cost no more memory than a thousand. */
const PAGE = 250;
/** Written at a time. */
const PAGES = 16;

export async function catchUpTries(world: Pick<Context, "db">): Promise<void> {
  await catchUp(world, [await triesReader(world.db)]);
}

export async function catchUpRepeats(world: Pick<Context, "db" | "config">): Promise<void> {
  await catchUp(world, [repeatsReader(world.config.policy.observe.recoveryWithin)]);
}

/** Brings all that miners count up to what has been digested. */
export async function catchUpAll(world: Pick<Context, "db" | "config">, bypasses: readonly Bypass[]): Promise<void> {
  await catchUp(world, [
    await triesReader(world.db),
    repeatsReader(world.config.policy.observe.recoveryWithin),
    ...bypasses.map(bypassesReader),
  ]);
}

/**
 * Each event is taken up and read once for all who are equally far; those who are behind, such as a pattern that is new to
 * its registry, first read on to where the others are.
 */
async function catchUp({ db }: Pick<Context, "db">, readers: readonly Reader[]): Promise<void> {
  for (let last = false; !last;) {
    last = await db.tx((tx) => oneBatch(tx, readers));
    // A process that lives has others to answer meanwhile.
    await setImmediate();
  }
}

async function oneBatch(tx: Db, readers: readonly Reader[]): Promise<boolean> {
  const marks = new Map<string, number>();
  // Whoever else catches up waits; in one order, so that no two wait for each other.
  for (const { mark } of readers.toSorted((a, b) => (a.mark < b.mark ? -1 : 1)))
    marks.set(mark, await takeMark(tx, mark));
  const end = Number((await readMeta(tx, "digested")) ?? 0);
  const after = Math.min(...marks.values());
  if (after >= end) return true;
  const due = readers.filter(({ mark }) => marks.get(mark) === after);
  const next = Math.min(end, ...[...marks.values()].filter((mark) => mark > after));
  const upTo = await readPages(tx, due, { after, upTo: next });
  for (const reader of due) {
    await reader.write(tx, { after, upTo });
    await writeMeta(tx, reader.mark, String(upTo));
  }
  return upTo >= end;
}

async function readPages(
  tx: Db,
  readers: readonly Reader[],
  range: { readonly after: number; readonly upTo: number },
): Promise<number> {
  let at = range.after;
  for (let pages = 0; pages < PAGES && at < range.upTo; pages++) {
    const events = await toldAfter(tx, at, range.upTo, PAGE);
    for (const event of events)
      for (const reader of readers) {
        const reading = reader.read(tx, event);
        if (reading !== undefined) await reading;
      }
    at = events.length < PAGE ? range.upTo : (events.at(-1)?.id ?? range.upTo);
  }
  return at;
}
