import { thisMachine } from "../../config.ts";
import { factId, type Sighting } from "../../domain/fact/fact.ts";
import { mayShowFact } from "../../domain/fact/may-show.ts";
import type { Rule, ActiveRule } from "../../domain/rule/rule.ts";
import type { Db } from "../../store/engine/db.ts";
import { getRule } from "../../store/nouns/rules.ts";
import type { PendingCall } from "./before-call.ts";
import type { CitedFailure } from "./cited-failures.ts";

/**
 * Without mined rules that rest on something being missing which this call names, and which is there by now. The error they were
 * learned from says what it was; the disk is checked as it is for a fact. A rule at `ask` or `deny` stays: nobody gets past it by
 * creating a file.
 */
export async function dropOutdatedRules(
  db: Db,
  rules: readonly ActiveRule[],
  call: PendingCall,
): Promise<readonly ActiveRule[]> {
  return whereNot(db, rules, call.workspace, async ({ evidence: { refs } }, workspace) =>
    isThere([{ call, error: refs.at(-1)?.excerpt ?? "" }], workspace),
  );
}

/** The same where no call is made yet: what was missing is told by the calls that a rule was learned from. */
export async function stillTrueAtStart(
  db: Db,
  rules: readonly ActiveRule[],
  workspace: string | null,
): Promise<readonly ActiveRule[]> {
  return whereNot(db, rules, workspace, async (rule, here) => {
    const { failuresCitedBy } = await import("./cited-failures.ts");
    return isThere(await failuresCitedBy(db, rule, here), here);
  });
}

async function whereNot(
  db: Db,
  rules: readonly ActiveRule[],
  workspace: string | null,
  isOutdated: (rule: Rule, workspace: string) => Promise<boolean>,
): Promise<readonly ActiveRule[]> {
  if (workspace === null) return rules;
  const kept: ActiveRule[] = [];
  for (const rule of rules) {
    const mayBeOver = rule.origin === "tool" && rule.level !== "ask" && rule.level !== "deny";
    const whole = mayBeOver ? await getRule(db, rule.id) : null;
    if (whole === null || !(await isOutdated(whole, workspace))) kept.push(rule);
  }
  return kept;
}

/** The ids of the facts that the failures show which mined rules were learned from: a rule says them already. */
export async function factsToldBy(
  db: Db,
  rules: readonly ActiveRule[],
  workspace: string,
): Promise<ReadonlySet<string>> {
  const { failuresCitedBy } = await import("./cited-failures.ts");
  const { findFactsInFailure } = await import("../../domain/fact/read-failure.ts");
  const told = new Set<string>();
  for (const { id } of rules.filter(({ origin }) => origin === "tool")) {
    const rule = await getRule(db, id);
    const failures = rule === null ? [] : await failuresCitedBy(db, rule, workspace);
    for (const { call, error } of failures)
      for (const { kind, subject } of findFactsInFailure(call, error)) told.add(factId({ workspace, kind, subject }));
  }
  return told;
}

/** Whether the failures showed that something is missing, and all of it is there by now. */
export async function isThere(failures: readonly CitedFailure[], workspace: string): Promise<boolean> {
  const showing = failures.filter(({ error }) => mayShowFact(error));
  if (showing.length === 0) return false;
  const { findFactsInFailure } = await import("../../domain/fact/read-failure.ts");
  const { checkFactState } = await import("./fact-state.ts");
  const isOver = (one: Sighting) => checkFactState({ ...one, workspace, at: 0 }, thisMachine().env) === "over";
  const missing = showing
    .flatMap(({ call, error }) => findFactsInFailure(call, error))
    .filter(({ kind }) => kind !== "too-large");
  return missing.length > 0 && missing.every(isOver);
}
