import { detectCause } from "../../domain/cause/cause.ts";
import type { CauseKind } from "../../domain/cause/patterns.ts";
import { type Fact, factId } from "../../domain/fact/fact.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import type { Db } from "../../store/engine/db.ts";
import { listDismissedRules } from "../../store/nouns/rules.ts";
import type { PossibleCall } from "./before-call.ts";
import { newCallMatchCheck } from "./call-match.ts";
import { listFactsStatedBy } from "./outdated-rules.ts";

/** Drops facts that a rule says which its owner muted or rejected: the same is not said in other words. */
export async function dropDismissedFacts<T extends Fact>(
  db: Db,
  facts: readonly T[],
  workspace: string,
): Promise<readonly T[]> {
  const dismissed = facts.length === 0 ? [] : await listDismissedRules(db, workspace);
  if (dismissed.length === 0) return facts;
  const stated = await listFactsStatedBy(db, dismissed, workspace);
  return facts.filter((fact) => !stated.has(factId(fact)));
}

/** True if the owner muted or rejected a rule about such a failure of such a call: then no answer says it either. */
export async function isDismissedFailure(
  db: Db,
  call: PossibleCall & { readonly workspace: string },
  kind: CauseKind,
): Promise<boolean> {
  const matches = newCallMatchCheck(db, call);
  for (const rule of await listDismissedRules(db, call.workspace))
    if (rule.origin === "tool" && rule.matcher !== null && isOfKind(rule, kind) && (await matches(rule.matcher)))
      return true;
  return false;
}

function isOfKind({ evidence, matcher }: Rule, kind: CauseKind): boolean {
  const tool = matcher?.tool === "shell" ? "bash" : (matcher?.tool ?? "");
  return evidence.refs.some(({ excerpt }) => detectCause({ tool, input: null }, excerpt)?.kind === kind);
}
