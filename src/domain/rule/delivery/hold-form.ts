import { CALL_TRAIT } from "../../shell/traits.ts";
import type { Matcher, RuleRemedy } from "../rule.ts";

/** The options of a call, sorted: `git checkout -b x` is of another form than `git checkout x`. */
export function formOf(traits: ReadonlySet<string>): string {
  const flags = [...traits].filter((trait) => trait.startsWith("flag ")).map((trait) => trait.slice("flag ".length));
  const call = [...traits].find((trait) => trait.startsWith(CALL_TRAIT)) ?? "";
  return [...flags, ...(call.includes(" -- ") ? ["--"] : [])].toSorted().join(" ");
}

/**
 * True if a rule that nobody has reviewed may hold a call with these traits: its advice is named by the error or
 * corrects the call, and calls of this form have failed. A rule that names the option or the call itself pins it.
 */
export function mayHoldUnreviewed(
  remedy: RuleRemedy | null,
  matcher: Matcher,
  traits: readonly ReadonlySet<string>[],
): boolean {
  if (remedy?.origin !== "named" && remedy?.origin !== "correction") return false;
  if (matcher.tool !== "shell") return true;
  const isPinned = (matcher.has ?? []).some((trait) => trait.startsWith("flag ") || trait.startsWith(CALL_TRAIT));
  return isPinned || traits.some((one) => remedy.forms.includes(formOf(one)));
}
