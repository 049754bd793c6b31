import { normalisePurpose } from "../../domain/event/recovery.ts";
import { hasDeclaredFlags } from "../../domain/shell/command.ts";
import { isScript, plainPrograms } from "../../domain/shell/programs.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Db } from "../../store/engine/db.ts";
import { listGroupNames, listGroupsToMine } from "../../store/derived/tries.ts";

/** Groups whose commands have the same purpose: spellings of one command. A tool that is not a shell is alone. */
export type CommandFamily = readonly string[];

/** Families that together failed at least `least` times; with `fresh`, only those with new calls in a group. */
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
  // A word after a script may be a subcommand or an argument, so all its calls are compared together.
  return `shell for ${isScript(program) ? program : normalisePurpose(head)}`;
}

/** If a program's flags are not declared, apparent subcommands may be arguments: its failures are counted together. */
function countedIn(group: string): readonly string[] {
  const program = findLooseProgram(parseGroupHead(group));
  return program === null ? [familyOf(group)] : [familyOf(group), `program ${program}`];
}

/** The program of a head whose second word may be an argument; null if it cannot be one. */
export function findLooseProgram(head: string | null): string | null {
  const program = head?.split(" ", 1)[0] ?? "";
  return program === "" || hasDeclaredFlags(program) || plainPrograms.has(program) ? null : program;
}

export function parseGroupHead(group: string): string | null {
  return group.startsWith("shell ") ? group.slice("shell ".length) : null;
}
