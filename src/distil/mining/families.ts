import { normalisePurpose } from "../../domain/event/recovery.ts";
import { hasDeclaredFlags } from "../../domain/shell/command.ts";
import { isScript, plainPrograms } from "../../domain/shell/programs.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Db } from "../../store/engine/db.ts";
import { listGroupNames, listGroupsToMine } from "../../store/derived/tries.ts";

/** Groups whose commands serve the same purpose: spellings of one command. A tool that is no shell stands alone. */
export type CommandFamily = readonly string[];

/** Those that together failed often enough; with `fresh` only where one of their groups has something new. */
export async function listFamiliesToMine(
  db: Db,
  { least, fresh: isIncremental }: { readonly least: number; readonly fresh: boolean },
): Promise<readonly CommandFamily[]> {
  const news = await listGroupsToMine(db, 1, isIncremental);
  if (news.length === 0) return [];
  const failed = new Map<string, number>();
  for (const group of await listGroupsToMine(db, 1, false))
    for (const name of countedIn(group.group)) failed.set(name, (failed.get(name) ?? 0) + group.failed);
  const isWanted = (group: string) => countedIn(group).some((name) => (failed.get(name) ?? 0) >= least);
  const wanted = new Set(news.flatMap(({ group }) => (isWanted(group) ? [familyOf(group)] : [])));
  const names = (await listGroupNames(db)).filter((name) => wanted.has(familyOf(name)));
  return [...groupBy(names, familyOf).values()];
}

function familyOf(group: string): string {
  const head = parseGroupHead(group);
  if (head === null || head === "") return group;
  const [program = ""] = head.split(" ", 1);
  // A word behind a script may be a subcommand or an argument: all its calls are looked at together, and tell which.
  return `shell for ${isScript(program) ? program : normalisePurpose(head)}`;
}

/** Of a program whose flags nobody declared, what looks like subcommands may be arguments: its failures count together. */
function countedIn(group: string): readonly string[] {
  const program = findLooseProgram(parseGroupHead(group));
  return program === null ? [familyOf(group)] : [familyOf(group), `program ${program}`];
}

/** The program of a head whose second word may be an argument; null where it is known to be none. */
export function findLooseProgram(head: string | null): string | null {
  const program = head?.split(" ", 1)[0] ?? "";
  return program === "" || hasDeclaredFlags(program) || plainPrograms.has(program) ? null : program;
}

export function parseGroupHead(group: string): string | null {
  return group.startsWith("shell ") ? group.slice("shell ".length) : null;
}
