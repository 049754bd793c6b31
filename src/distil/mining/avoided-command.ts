import type { PreferenceKey } from "../../domain/event/preference.ts";
import { anySubcommand } from "../../domain/rule/matching/matcher.ts";
import type { Matcher } from "../../domain/rule/rule.ts";
import { listAliases } from "../../domain/shell/program-aliases.ts";
import { subcommands } from "../../domain/shell/programs.ts";

/**
 * The matcher for a command to avoid: a program, a program with its subcommand, a flag, a git action; null
 * for anything else. A word counts as a program if it was run here or is known as one.
 */
export function buildMatcherAgainst(preference: PreferenceKey, groups: ReadonlySet<string>): Matcher | null {
  if (preference.kind === "avoid")
    return preference.words.length === 0 ? (gitActions.get(preference.verb ?? "") ?? null) : null;
  const { not } = preference;
  if (preference.kind !== "use" || not === null) return null;
  if (/^--?[a-z][\w-]*$/i.test(not)) return { tool: "shell", has: [`flag ${not}`] };
  const heads = [...groups].filter((group) => group.startsWith("shell ")).map((group) => group.slice("shell ".length));
  const isParent = heads.some((head) => head.startsWith(`${not} `)) || subcommands.has(not);
  if (isParent) return { tool: "shell", head: not, ...otherNames(preference), has: [anySubcommand] };
  return heads.includes(not) ? { tool: "shell", head: not, ...otherNames(preference) } : null;
}

/** The other names of the program to avoid, without the one to use: "use pip3, not pip". */
function otherNames({ use, not }: PreferenceKey): Pick<Matcher, "heads"> {
  const names = listAliases(not ?? "").filter((name) => use === null || !`${use} `.startsWith(`${name} `));
  return names.length === 0 ? {} : { heads: names };
}

const gitActions: ReadonlyMap<string, Matcher> = new Map([
  ["commit", { tool: "shell", head: "git commit" }],
  ["push", { tool: "shell", head: "git push" }],
  ["stash", { tool: "shell", head: "git stash", has: [anySubcommand] }],
  ["rebase", { tool: "shell", head: "git rebase" }],
  ["amend", { tool: "shell", head: "git commit", has: ["flag --amend"] }],
]);
