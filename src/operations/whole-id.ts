import type { Context } from "../context.ts";
import { OldhandError } from "../lib/errors.ts";
import { idsBeginning, type NamedById } from "../store/ids.ts";

/**
 * The id that was meant: the one that was typed, or the only one that begins so. What begins none comes back as it is, for
 * whoever knows what to say then.
 */
export async function wholeId(db: Context["db"], table: NamedById, typed: string): Promise<string> {
  return theOnly(typed, await idsBeginning(db, table, typed, SHOWN + 1));
}

/** The same for an id of whatever there is. */
export async function wholeIdOfAny(db: Context["db"], typed: string): Promise<string> {
  const found: string[] = [];
  for (const table of tables) found.push(...(await idsBeginning(db, table, typed, SHOWN + 1)));
  return theOnly(typed, found);
}

const tables: readonly NamedById[] = ["rules", "memories", "mistakes", "wins", "identity_proposals"];

function theOnly(typed: string, found: readonly string[]): string {
  const [first = typed] = found;
  if (found.length < 2 || found.includes(typed)) return found.includes(typed) ? typed : first;
  const more = found.length > SHOWN ? ", …" : "";
  throw new OldhandError("usage", `${typed} could be any of ${found.slice(0, SHOWN).join(", ")}${more}`, {
    hint: "give more of the id",
  });
}

/** More candidates help nobody to choose. */
const SHOWN = 10;
