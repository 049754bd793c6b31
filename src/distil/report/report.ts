import type { Context } from "../../context.ts";
import { scopeCovers, type Level, type Rule, type Scope } from "../../domain/rule/rule.ts";
import { computeSavings, type Verdict } from "../../domain/proof/proof.ts";
import { rankFailures } from "../../store/derived/failures.ts";
import { listRules } from "../../store/nouns/rules.ts";
import { countSessionsAndEvents } from "../../store/sessions/sessions.ts";
import { backtestOf } from "./backtest.ts";
import { countRules } from "../counting/count-rules.ts";
import { judgedRules, kinOf } from "../counting/rule-counts.ts";
import type { RuleEffect } from "../counting/effect.ts";
import { listFailureProposals } from "../mining/failure-proposals.ts";
import type { Backtest } from "../mining/proposal.ts";
import { describeMistakes } from "./describe-mistakes.ts";
import { explainMissingRule } from "./explain-missing-rule.ts";

export interface Cost {
  readonly calls: number;
  readonly minutes: number;
  readonly tokens: number;
}

export interface RepeatedMistake {
  readonly signature: string;
  readonly text: string;
  readonly tool: string;
  readonly head: string | null;
  readonly count: number;
  readonly sessions: number;
  readonly workspaces: readonly string[];
  readonly hosts: readonly string[];
  readonly first: string;
  readonly last: string;
  readonly cost: Cost;
  readonly evidence: readonly {
    readonly ref: { readonly session: string; readonly seq: number };
    readonly at: string;
    readonly summary: string;
    readonly error: string;
  }[];
  readonly recovery: { readonly summary: string; readonly times: number } | null;
  /** The rule there is, or the one that would be proposed. */
  readonly rule: {
    readonly id: string | null;
    readonly text: string;
    readonly status: string;
    readonly level: Level;
    readonly backtest: Backtest | null;
    /** Null before its situation arose with it. */
    readonly verdict: Verdict | null;
    /** Only from an effect that is proven. */
    readonly saved: (Cost & { readonly low: Cost; readonly high: Cost }) | null;
  } | null;
  /** Why there is none; null where there is one. */
  readonly noRule: string | null;
}

export interface MistakeReport {
  readonly totals: {
    readonly sessions: number;
    readonly events: number;
    readonly failures: number;
    readonly repeated: number;
  };
  readonly mistakes: readonly RepeatedMistake[];
}

export interface ReportOptions {
  readonly limit: number;
  readonly workspace?: string | undefined;
  readonly since?: number | undefined;
}

/** The mistakes made more than once, dearest first, each with its evidence and what helped. */
export async function makeReport(ctx: Omit<Context, "store">, options: ReportOptions): Promise<MistakeReport> {
  const { db } = ctx;
  const filter = { ...options, within: ctx.config.policy.observe.recoveryWithin };
  const ranking = await rankFailures(db, filter, options.limit);
  const described = await describeMistakes(db, ranking.groups, filter);
  const all = await listRules(db);
  const ruleFor = await rulesAgainst(ctx, described, all);
  const mistakes: RepeatedMistake[] = [];
  for (const mistake of described) {
    const rule = ruleFor(mistake);
    const others = rule === null ? all.filter(({ scope }) => holdsWhere(scope, mistake)) : [];
    mistakes.push({
      ...mistake,
      rule,
      noRule: rule === null ? await explainMissingRule(ctx, mistake, others, filter) : null,
    });
  }
  return {
    totals: { ...(await countSessionsAndEvents(db, options)), failures: ranking.failures, repeated: ranking.repeated },
    mistakes,
  };
}

type Told = Omit<RepeatedMistake, "rule" | "noRule">;
type DescribeRule = (mistake: Pick<RepeatedMistake, "count" | "cost">) => NonNullable<RepeatedMistake["rule"]>;

/** Whether what holds in a scope holds where the mistake was made. The same error may be another's in another project. */
function holdsWhere(scope: Scope, { workspaces }: Pick<RepeatedMistake, "workspaces">): boolean {
  return scopeCovers(scope, null) || workspaces.some((workspace) => scopeCovers(scope, workspace));
}

/** What is said, or would be said, against each kind of failure, with its backtest and what it has saved. */
async function rulesAgainst(
  ctx: Omit<Context, "store">,
  mistakes: readonly Told[],
  all: readonly Rule[],
): Promise<(mistake: Told) => RepeatedMistake["rule"]> {
  const told: { readonly signature: string; readonly scope: Scope; readonly tell: DescribeRule }[] = [];
  for (const { signature, scope, text, level, backtest } of await listFailureProposals(ctx)) {
    const tell = () => ({ id: null, text, status: "would be proposed", level, backtest, verdict: null, saved: null });
    told.push({ signature, scope, tell });
  }
  const rules = all.filter(({ signature, scope }) =>
    mistakes.some((mistake) => mistake.signature === signature && holdsWhere(scope, mistake)),
  );
  // Else what came since the last maintenance would be left out of what is claimed.
  await countRules(ctx, await kinOf(ctx.db, rules));
  const { about, effects: effectOf } = await judgedRules(ctx, rules);
  for (const rule of rules) {
    const counts = about.get(rule.id)?.totals ?? null;
    const backtest = counts === null ? null : backtestOf(counts);
    const { id, text, status, level } = rule;
    const effect = effectOf.get(id);
    const verdict = effect === undefined || effect.proof.arms.treated.opportunities === 0 ? null : effect.verdict;
    const tell: DescribeRule = (mistake) => ({
      ...{ id, text, status, level, backtest, verdict },
      saved: computeSaved(effect, mistake, backtest?.precision ?? 1),
    });
    told.push({ signature: rule.signature ?? "", scope: rule.scope, tell });
  }
  return (mistake) =>
    told.findLast((one) => one.signature === mistake.signature && holdsWhere(one.scope, mistake))?.tell(mistake) ??
    null;
}

/** What the attempts that were not made would have cost: a failure each, as often as attempts fail. With its 95 % interval. */
function computeSaved(
  effect: RuleEffect | undefined,
  { count, cost }: Pick<RepeatedMistake, "count" | "cost">,
  failing: number,
): NonNullable<RepeatedMistake["rule"]>["saved"] {
  if (effect === undefined || count === 0) return null;
  const saved = computeSavings({ ...effect.proof, verdict: effect.verdict }, failing);
  if (saved.kind === "unproven") return null;
  const of = (failures: number): Cost => ({
    calls: roundToTenths((cost.calls / count) * failures),
    minutes: roundToTenths((cost.minutes / count) * failures),
    tokens: Math.round((cost.tokens / count) * failures),
  });
  return { ...of(saved.cost), low: of(saved.low), high: of(saved.high) };
}

function roundToTenths(value: number): number {
  return Math.round((value + Number.EPSILON) * 10) / 10;
}
