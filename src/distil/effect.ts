import type { Context } from "../context.ts";
import type { Change } from "../domain/journal.ts";
import { heldOut, mayHoldOut } from "../domain/hold-out.ts";
import { poolFamily } from "../domain/family.ts";
import { type Proof, type ProofSession, prove, savings, type Savings, type Verdict } from "../domain/proof.ts";
import type { Rule } from "../domain/rule.ts";
import { grouped } from "../lib/grouped.ts";
import { changesOf } from "../store/journal.ts";
import { type RuleMark, ruleMarks, type RuleSession, ruleSessions } from "../store/rule-sessions.ts";

/** What came of a rule: attempts per opportunity before it and with it, and what may be concluded. */
export interface RuleEffect {
  readonly rule: Rule;
  readonly since: number;
  /** Null: before is compared with after; else one session in so many does without the rule. */
  readonly oneIn: number | null;
  readonly proof: Proof;
  /** The rule's own verdict, or its family's where it is too rare to be judged alone. */
  readonly verdict: Verdict;
  readonly byFamily: boolean;
  readonly reason: string;
}

/** Of all rules that were ever in force and have a matcher. */
export async function effects(
  world: Pick<Context, "db" | "config">,
  rules: readonly Rule[],
): Promise<readonly RuleEffect[]> {
  const policy = world.config.policy.distil;
  const [marks, sessions] = [await ruleMarks(world.db), grouped(await ruleSessions(world.db), (one) => one.rule)];
  const alone: Omit<RuleEffect, "verdict" | "byFamily" | "reason">[] = [];
  for (const rule of rules) {
    const since = rule.matcher === null ? null : inForceSince(await changesOf(world.db, "rule", rule.id));
    if (since === null) continue;
    const mark = marks.get(rule.id) ?? { recent: 0, heldSince: null };
    const oneIn = mark.heldSince === null ? null : policy.holdOutOneIn;
    const met = (sessions.get(rule.id) ?? []).flatMap((one) => armOf(rule, mark, since, policy)(one));
    alone.push({ rule, since, oneIn, proof: prove(met, { oneIn }, policy) });
  }
  const families = grouped(alone, (one) => familyOf(one.rule));
  return [...families.values()].flatMap((family) => {
    const pooled = poolFamily(
      family.map(({ rule, proof }) => ({ id: rule.id, proof })),
      policy,
    );
    return family.map((one) => {
      const member = pooled?.members.find((other) => other.id === one.rule.id);
      const byFamily = member?.byFamily === true;
      return {
        ...one,
        verdict: byFamily ? member.verdict : one.proof.verdict,
        byFamily,
        reason: byFamily ? (pooled?.reason ?? one.proof.reason) : one.proof.reason,
      };
    });
  });
}

export function savedBy(effect: RuleEffect, costPerAttempt: number): Savings {
  return savings({ ...effect.proof, verdict: effect.verdict }, costPerAttempt);
}

/** Rules of one kind: of one tool or program, found by the same means. */
export function familyOf(rule: Rule): string {
  const tool = rule.matcher?.tool ?? "";
  const program = rule.matcher?.head?.split(" ", 1)[0] ?? "";
  return tool === "shell" ? `shell ${program}` : tool;
}

/** When it first could speak. */
function inForceSince(changes: readonly Change[]): number | null {
  const first = changes.find(({ after }) => {
    const rule = after as unknown as Rule | null;
    return rule !== null && (rule.status === "approved" || rule.status === "candidate") && rule.level !== "watch";
  });
  return first?.at ?? null;
}

/** Sessions between the rule's beginning and that of the lot belong to neither side. */
function armOf(rule: Rule, mark: RuleMark, since: number, policy: Context["config"]["policy"]["distil"]) {
  const held = { id: rule.id, level: rule.level, safety: rule.origin === "owner", expectedOpportunities: mark.recent };
  return (one: RuleSession): readonly ProofSession[] => {
    const { opportunities, attempts } = one;
    if (one.at < since) return [{ arm: "before", opportunities, attempts }];
    if (mark.heldSince === null) return [{ arm: "treated", opportunities, attempts }];
    if (one.at < mark.heldSince) return [];
    return [{ arm: heldOut(held, one.session, policy) ? "held-out" : "treated", opportunities, attempts }];
  };
}

export function holdable(
  rule: Rule,
  mark: RuleMark | undefined,
  policy: Context["config"]["policy"]["distil"],
): boolean {
  return mayHoldOut(
    { id: rule.id, level: rule.level, safety: rule.origin === "owner", expectedOpportunities: mark?.recent ?? 0 },
    policy,
  );
}
