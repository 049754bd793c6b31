import { purposeOfHead } from "../domain/event/recovery.ts";
import { grouped } from "../lib/grouped.ts";
import type { Db } from "../store/engine/db.ts";
import { groupNames, groupsToMine } from "../store/tries.ts";

/** Groups whose commands serve the same purpose: spellings of one command. A tool that is no shell stands alone. */
export type Family = readonly string[];

/** Those that together failed often enough; with `fresh` only where one of their groups has something new. */
export async function familiesToMine(
  db: Db,
  { least, fresh }: { readonly least: number; readonly fresh: boolean },
): Promise<readonly Family[]> {
  const news = await groupsToMine(db, 1, fresh);
  if (news.length === 0) return [];
  const failed = new Map<string, number>();
  for (const group of await groupsToMine(db, 1, false))
    failed.set(familyOf(group.group), (failed.get(familyOf(group.group)) ?? 0) + group.failed);
  const wanted = new Set(
    news.map(({ group }) => familyOf(group)).filter((family) => (failed.get(family) ?? 0) >= least),
  );
  const names = (await groupNames(db)).filter((name) => wanted.has(familyOf(name)));
  return [...grouped(names, familyOf).values()];
}

function familyOf(group: string): string {
  const head = headIn(group);
  return head === null || head === "" ? group : `shell for ${purposeOfHead(head)}`;
}

export function headIn(group: string): string | null {
  return group.startsWith("shell ") ? group.slice("shell ".length) : null;
}
