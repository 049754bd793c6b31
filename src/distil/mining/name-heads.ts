import { scopeCovers } from "../../domain/rule/rule.ts";
import { holdsOf } from "../../domain/rule/matching/synthesis.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { isScript } from "../../domain/shell/programs.ts";
import { nameOf } from "./by-script.ts";
import type { FoundCause, GroupTry } from "./find-causes.ts";
import type { Remedy } from "./find-remedy.ts";

/**
 * The head to name comes first: the program alone, if it is a script or failed also without a word, and never worked
 * with any.
 */
export function headsToName({ heads, scope, condition }: FoundCause, tries: readonly GroupTry[]): readonly string[] {
  const program = programOf(heads[0] ?? null);
  if (heads.length < 2 || !(isScript(program) || heads.includes(program))) return heads;
  if (heads.some((head) => programOf(head) !== program)) return heads;
  const worked = tries.some(
    (one) =>
      !one.failed &&
      programOf(one.head) === program &&
      scopeCovers(scope, one.event.workspace) &&
      holdsOf(condition, one.traits),
  );
  return worked || heads[0] === program ? heads : [program, ...heads.filter((head) => head !== program)];
}

/** What a sentence names besides the first head; a program alone includes all its words. */
export function otherNames([head, ...others]: readonly string[], failures: readonly GroupTry[]): readonly string[] {
  return others.filter((one) => !one.startsWith(`${head} `)).map((one) => nameOf(one, failures));
}

/** No remedy if it is one of several subcommands that the rule is about: it would do the work of another. */
export function withoutHeads(remedy: Remedy | null, heads: readonly string[]): Remedy | null {
  const head = remedy?.command == null ? null : findMainCommand(remedy.command)?.head;
  return head != null && heads.includes(head) ? null : remedy;
}

export function programOf(head: string | null): string {
  return head?.split(" ", 1)[0] ?? "";
}
