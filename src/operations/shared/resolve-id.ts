import type { Context } from "../../context.ts";
import { OldhandError } from "../../lib/errors.ts";
import { listIdsByPrefix, type TableWithIds } from "../../store/state/ids.ts";

/** The typed id, or the only one that begins with it; if none does, the input, so that the caller can report it. */
export async function resolveId(db: Context["db"], table: TableWithIds, typed: string): Promise<string> {
  return requireSingleId(typed, await listIdsByPrefix(db, table, typed, MAX_SHOWN + 1));
}

/** Like `resolveId`, over all tables. */
export async function resolveAnyId(db: Context["db"], typed: string): Promise<string> {
  const found: string[] = [];
  for (const table of tables) found.push(...(await listIdsByPrefix(db, table, typed, MAX_SHOWN + 1)));
  return requireSingleId(typed, found);
}

const tables: readonly TableWithIds[] = ["rules", "memories", "mistakes", "wins", "identity_proposals"];

function requireSingleId(typed: string, found: readonly string[]): string {
  const [first = typed] = found;
  if (found.length < 2 || found.includes(typed)) return found.includes(typed) ? typed : first;
  const more = found.length > MAX_SHOWN ? ", …" : "";
  throw new OldhandError("usage", `${typed} is ambiguous: ${found.slice(0, MAX_SHOWN).join(", ")}${more}`, {
    hint: "type more of the id",
  });
}

/** A longer list does not help to choose. */
const MAX_SHOWN = 10;
