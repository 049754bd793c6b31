import { thisMachine } from "../config.ts";
import type { Sighting } from "../domain/fact/fact.ts";
import { mayShowFact } from "../domain/fact/may-show.ts";
import type { RuleInPlay } from "../domain/rule/rule.ts";
import type { Db } from "../store/engine/db.ts";
import { getRule } from "../store/rules.ts";
import type { PendingCall } from "./before-call.ts";

/**
 * Without mined rules that rest on something being missing which this call names, and which is there by now. The error they were
 * learned from says what it was; the disk is checked as it is for a fact. A rule at `ask` or `deny` stays: nobody gets past it by
 * creating a file.
 */
export async function stillTrue(
  db: Db,
  rules: readonly RuleInPlay[],
  call: PendingCall,
): Promise<readonly RuleInPlay[]> {
  const kept: RuleInPlay[] = [];
  for (const rule of rules) if (!(await isOutdated(db, rule, call))) kept.push(rule);
  return kept;
}

async function isOutdated(db: Db, { id, origin, level }: RuleInPlay, call: PendingCall): Promise<boolean> {
  const { workspace } = call;
  if (origin !== "tool" || level === "ask" || level === "deny" || workspace === null) return false;
  const error = (await getRule(db, id))?.evidence.refs.at(-1)?.excerpt;
  if (error === undefined || !mayShowFact(error)) return false;
  const { factsShownBy } = await import("../domain/fact/read-failure.ts");
  const { standingOf } = await import("./fact-on-disk.ts");
  const isOver = (one: Sighting) => standingOf({ ...one, workspace, at: 0 }, thisMachine().env) === "over";
  const missing = factsShownBy(call, error).filter(({ kind }) => kind !== "too-large");
  return missing.length > 0 && missing.every(isOver);
}
