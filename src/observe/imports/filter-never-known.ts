import type { Db } from "../../store/engine/db.ts";
import { filterEverKnown } from "../../store/journal/journal.ts";
import type { Noun } from "../../store/nouns/noun.ts";

/** What was never stored, even if it was forgotten or undone since. */
export async function filterNeverKnown<T extends { readonly id: string }>(
  tx: Db,
  noun: Noun<T>,
  things: readonly T[],
): Promise<readonly T[]> {
  const ids = things.map((one) => one.id);
  // If two items of a store have the same name, the first one is kept.
  const known = new Set(await filterEverKnown(tx, noun.name, ids));
  return things.filter(({ id }) => {
    const isNew = !known.has(id);
    known.add(id);
    return isNew;
  });
}
