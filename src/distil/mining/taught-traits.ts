import { isOfPerson } from "../../domain/cause/blame.ts";
import { findTraitOrigin } from "../../domain/remedy/lacked-trait.ts";
import type { RemedyOrigin } from "../../domain/rule/rule.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { CALL_TRAIT } from "../../domain/shell/traits.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { GroupTry } from "./find-causes.ts";

/** Enough to know what they have in common. */
const MOST_LINES = 40;
const MOST_ERRORS = 5;

/** Where a trait comes from that the failing calls lack; null if agents must not be taught it. */
export function findLackOrigin(
  trait: string,
  { failed, worked }: { readonly [Key in "failed" | "worked"]: readonly GroupTry[] },
): RemedyOrigin | null {
  const [first] = failed;
  if (first?.head == null) return "correction";
  const having = worked.filter(({ traits }) => traits.has(trait));
  const origin = findTraitOrigin(trait, {
    head: first.head,
    errors: [...groupBy(failed, (one) => one.event.error ?? "").keys()].slice(-MOST_ERRORS),
    failed: [...new Set(failed.map(lineOf))].slice(-MOST_LINES),
    lines: [...new Set(having.map(lineOf))].slice(-MOST_LINES),
    isOfPerson: isOfPerson(first.cause?.kind ?? null),
    isCauseKnown: first.cause !== null,
    cwd: having.at(-1)?.event.cwd ?? null,
  });
  // The same call without the option worked too.
  return origin === "option" && worked.some((one) => !one.traits.has(trait) && failed.some((it) => isSameCall(it, one)))
    ? null
    : origin;
}

export function lineOf({ event }: GroupTry): string {
  return findShellText(event.input) ?? "";
}

function isSameCall(one: GroupTry, other: GroupTry): boolean {
  const call = [...one.traits].find((trait) => trait.startsWith(CALL_TRAIT));
  return call !== undefined && other.traits.has(call);
}
