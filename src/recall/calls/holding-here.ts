import type { ActiveRule } from "../../domain/rule/rule.ts";
import type { Db } from "../../store/engine/db.ts";

/**
 * Those of the rules that neither contradict another rule of the place nor hold everywhere but here. What is needed for that is
 * loaded only where such rules are: most say nothing of another command, and are of one workspace.
 */
export async function filterHoldingRules(
  db: Db,
  rules: readonly ActiveRule[],
  { inPlay, workspace }: { readonly inPlay: readonly ActiveRule[]; readonly workspace: string | null },
): Promise<readonly ActiveRule[]> {
  const mined = rules.filter((rule) => rule.origin !== "owner");
  let kept = rules;
  if (inPlay.length > 1 && mined.some((rule) => /^(?:Use|Run) /.test(rule.text))) {
    const { dropContradicted } = await import("../../domain/rule/contradiction.ts");
    kept = dropContradicted(rules, inPlay);
  }
  if (!mined.some((rule) => rule.scope.kind === "global" && rule.matcher !== null)) return kept;
  const { findSilencedRules } = await import("./silenced-rules.ts");
  const silenced = await findSilencedRules(db, kept, workspace);
  return kept.filter((rule) => !silenced.has(rule.id));
}
