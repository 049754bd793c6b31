import type { ActiveRule } from "../../domain/rule/rule.ts";
import type { Db } from "../../store/engine/db.ts";

/**
 * Drops rules that no agent may read, rules that contradict another rule in force here, and global rules that calls in this workspace
 * disprove. Loads the code for that only if needed: most rules name no other command and belong to one
 * workspace.
 */
export async function filterHoldingRules(
  db: Db,
  rules: readonly ActiveRule[],
  { inPlay, workspace }: { readonly inPlay: readonly ActiveRule[]; readonly workspace: string | null },
): Promise<readonly ActiveRule[]> {
  const mined = rules.filter((rule) => rule.origin !== "owner");
  let kept = rules;
  if (
    mined.some((rule) =>
      /^(?:Use|Run|Set|Find|Unknown|Leave|Free|Narrow) |[Ww]ith(?:out)? `|not under `/.test(rule.text),
    )
  ) {
    const { dropUnsayableRules } = await import("./drop-unsayable.ts");
    kept = await dropUnsayableRules(db, kept);
    const { dropContradicted } = await import("../../domain/rule/matching/contradiction.ts");
    if (inPlay.length > 1) kept = dropContradicted(kept, inPlay);
  }
  if (!mined.some((rule) => rule.scope.kind === "global" && rule.matcher !== null)) return kept;
  const { findSilencedRules } = await import("./silenced-rules.ts");
  const silenced = await findSilencedRules(db, kept, workspace);
  return kept.filter((rule) => !silenced.has(rule.id));
}
