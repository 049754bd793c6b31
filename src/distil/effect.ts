import type { Context } from "../context.ts";
import type { Change } from "../domain/journal.ts";
import { heldOut, mayHoldOut } from "../domain/hold-out.ts";
import { poolFamily } from "../domain/family.ts";
import { type Proof, type ProofSession, prove, type Verdict } from "../domain/proof.ts";
import type { Level, Rule } from "../domain/rule.ts";
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
    const reign = rule.matcher === null ? [] : reignOf(await changesOf(world.db, "rule", rule.id));
    const [first] = reign;
    if (first === undefined) continue;
    const met = sessions.get(rule.id) ?? [];
    const mark = marks.get(rule.id) ?? { recent: 0, heldSince: null };
    const byLot = met.flatMap((one) => armByLot({ rule, reign, mark }, policy, one));
    const lots = byLot.filter((one) => one.arm === "held-out").reduce((sum, one) => sum + one.opportunities, 0);
    const oneIn = lots >= LEAST_HELD ? policy.holdOutOneIn : null;
    const arms = oneIn === null ? met.flatMap((one) => armByTime(reign, one)) : byLot;
    alone.push({ rule, since: first.from, oneIn, proof: prove(arms, { oneIn }, policy) });
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

/** Rules of one kind: of one tool or program, found by the same means. */
export function familyOf(rule: Rule): string {
  const tool = rule.matcher?.tool ?? "";
  const program = rule.matcher?.head?.split(" ", 1)[0] ?? "";
  return tool === "shell" ? `shell ${program}` : tool;
}

/** A stretch of time in which the rule was in force, at one level. */
interface Reign {
  readonly from: number;
  readonly to: number;
  readonly level: Level;
}

/** Below this many opportunities in sessions without the rule, before and after are compared instead. */
const LEAST_HELD = 10;

/** When it could speak, and how hard it insisted, by the journal. */
function reignOf(changes: readonly Change[]): readonly Reign[] {
  return changes.flatMap(({ at, after }, index): Reign[] => {
    const rule = after as unknown as Rule | null;
    const speaks =
      rule !== null && (rule.status === "approved" || rule.status === "candidate") && rule.level !== "watch";
    return speaks ? [{ from: at, to: changes[index + 1]?.at ?? Infinity, level: rule.level }] : [];
  });
}

/** After its first day in force, sessions in which it was not in force say nothing of it. */
function armByTime(reign: readonly Reign[], one: RuleSession): readonly ProofSession[] {
  const { opportunities, attempts } = one;
  if (one.at < (reign[0]?.from ?? 0)) return [{ arm: "before", opportunities, attempts }];
  return reign.some(({ from, to }) => one.at >= from && one.at < to)
    ? [{ arm: "treated", opportunities, attempts }]
    : [];
}

/** By the lot that was drawn. Sessions before there were lots, and those in which nobody may do without the rule, are on neither side. */
function armByLot(
  { rule, reign, mark }: { readonly rule: Rule; readonly reign: readonly Reign[]; readonly mark: RuleMark },
  policy: DistilPolicy,
  one: RuleSession,
): readonly ProofSession[] {
  const { opportunities, attempts } = one;
  if (one.at < (reign[0]?.from ?? 0)) return [{ arm: "before", opportunities, attempts }];
  const here = reign.find(({ from, to }) => one.at >= from && one.at < to);
  if (here === undefined || mark.heldSince === null || one.at < mark.heldSince || here.level === "deny") return [];
  const held = { id: rule.id, level: here.level, safety: false, expectedOpportunities: Infinity };
  return [{ arm: heldOut(held, one.session, policy) ? "held-out" : "treated", opportunities, attempts }];
}

type DistilPolicy = Context["config"]["policy"]["distil"];

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
