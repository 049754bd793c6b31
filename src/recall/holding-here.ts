import type { RuleInPlay } from "../domain/rule/rule.ts";
import type { Db } from "../store/engine/db.ts";

/**
 * Those of the rules that neither contradict another rule of the place nor hold everywhere but here. What is needed for that is
 * loaded only where such rules are: most say nothing of another command, and are of one workspace.
 */
export async function holdingHere(
  db: Db,
  rules: readonly RuleInPlay[],
  { inPlay, workspace }: { readonly inPlay: readonly RuleInPlay[]; readonly workspace: string | null },
): Promise<readonly RuleInPlay[]> {
  const mined = rules.filter((rule) => rule.origin !== "owner");
  let kept = rules;
  if (inPlay.length > 1 && mined.some((rule) => /^(?:Use|Run) /.test(rule.text))) {
    const { withoutContradicted } = await import("../domain/rule/contradiction.ts");
    kept = withoutContradicted(rules, inPlay);
  }
  if (!mined.some((rule) => rule.scope.kind === "global" && rule.matcher !== null)) return kept;
  const { silencedHere } = await import("./silenced-here.ts");
  const silenced = await silencedHere(db, kept, workspace);
  return kept.filter((rule) => !silenced.has(rule.id));
}
