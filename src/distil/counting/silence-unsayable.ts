import type { Context } from "../../context.ts";
import { rebaseRule } from "../../domain/rule/decisions.ts";
import { isByLaw } from "../../domain/rule/by-law.ts";
import { isSpeaking, silentLevel } from "../../domain/rule/rule.ts";
import { findWithheldReason } from "../../domain/remedy/stored-rule.ts";
import { isUnsayable } from "../../domain/rule/matching/unsayable.ts";
import { applyAllChanges, listChangesOf, makeProvenance, planChange } from "../../store/journal/journal.ts";
import { listRules, ruleNoun } from "../../store/nouns/rules.ts";

/** Makes rules of older versions silent that no agent may read. New evidence gives them a new sentence. */
export async function silenceUnsayableRules(ctx: Pick<Context, "db" | "clock" | "actor">): Promise<void> {
  const { db } = ctx;
  for (const rule of await listRules(db)) {
    if (!isSpeaking(rule) || (!isUnsayable(rule) && findWithheldReason(rule) === null)) continue;
    // What someone decided stays as it is; it is not shown either.
    if (!(await listChangesOf(db, ruleNoun, rule.id)).every(isByLaw)) continue;
    // Approved and silent means that the owner muted it.
    const after = { ...rule, level: silentLevel, status: "candidate" as const };
    const because = makeProvenance(
      ctx,
      "distil",
      "it taught what the error does not name, a command that forces, deletes or skips a check, or nothing",
    );
    await applyAllChanges(db, [
      planChange(ruleNoun, rule.id, because, (now) => now && rebaseRule(now, { before: rule, after })),
    ]);
  }
}
