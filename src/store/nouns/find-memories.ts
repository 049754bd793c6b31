import type { Memory } from "../../domain/memory/memory.ts";
import type { Db } from "../engine/db.ts";
import { getMemoriesByIds } from "./memories.ts";

/** Active memories that contain all of these texts, in text or key, the most important first. */
export async function findMemoriesContaining(
  db: Db,
  pieces: readonly string[],
  limit: number,
): Promise<readonly Memory[]> {
  const contains = pieces.map(() => "and (lower(text) like ? escape '!' or lower(key) like ? escape '!')").join(" ");
  const rows = await db.all<{ id: string }>(
    `select id from memories where status = 'active' ${contains} order by importance desc, created_at desc, id limit ?`,
    [...pieces.flatMap((piece) => [patternOf(piece), patternOf(piece)]), limit],
  );
  const found = await getMemoriesByIds(
    db,
    rows.map((row) => row.id),
  );
  return rows.flatMap((row) => found.get(row.id) ?? []);
}

function patternOf(piece: string): string {
  return `%${piece.toLowerCase().replaceAll(/[!%_]/g, "!$&")}%`;
}
