import type { Context } from "../context.ts";
import { covers, type Level, type Rule, type Scope } from "../domain/rule/rule.ts";
import { savings, type Verdict } from "../domain/proof/proof.ts";
import { failuresByCost } from "../store/failures.ts";
import { listRules } from "../store/rules.ts";
import { totalsOfSessions } from "../store/sessions.ts";
import { backtestOf } from "./backtest.ts";
import { countRules } from "./count-rules.ts";
import { judgedRules, kinOf } from "./counted-rules.ts";
import type { RuleEffect } from "./effect.ts";
import { failureProposals } from "./failure-proposals.ts";
import type { Backtest } from "./proposal.ts";
import { tellMistakes } from "./told-mistakes.ts";
import { whyNoRule } from "./why-no-rule.ts";

export interface Cost {
  readonly calls: number;
  readonly minutes: number;
  readonly tokens: number;
}

export interface Mistake {
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

export interface Report {
  readonly totals: {
    readonly sessions: number;
    readonly events: number;
    readonly failures: number;
    readonly repeated: number;
  };
  readonly mistakes: readonly Mistake[];
}

export interface ReportOptions {
  readonly limit: number;
  readonly workspace?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** The mistakes made more than once, dearest first, each with its evidence and what helped. */
export async function report(ctx: Omit<Context, "store">, options: ReportOptions): Promise<Report> {
  const { db } = ctx;
  const filter = { ...options, within: ctx.config.policy.observe.recoveryWithin };
  const ranking = await failuresByCost(db, filter, options.limit);
  const told = await tellMistakes(db, ranking.groups, filter);
  const all = await listRules(db);
  const ruleFor = await rulesAgainst(ctx, told, all);
  const mistakes: Mistake[] = [];
  for (const mistake of told) {
    const rule = ruleFor(mistake);
    const others = rule === null ? all.filter(({ scope }) => holdsWhere(scope, mistake)) : [];
    mistakes.push({ ...mistake, rule, noRule: rule === null ? await whyNoRule(ctx, mistake, others, filter) : null });
  }
  return {
    totals: { ...(await totalsOfSessions(db, options)), failures: ranking.failures, repeated: ranking.repeated },
    mistakes,
  };
}

type Told = Omit<Mistake, "rule" | "noRule">;
type TellRule = (mistake: Pick<Mistake, "count" | "cost">) => NonNullable<Mistake["rule"]>;

/** Whether what holds in a scope holds where the mistake was made. The same error may be another's in another project. */
function holdsWhere(scope: Scope, { workspaces }: Pick<Mistake, "workspaces">): boolean {
  return covers(scope, null) || workspaces.some((workspace) => covers(scope, workspace));
}

/** What is said, or would be said, against each kind of failure, with its backtest and what it has saved. */
async function rulesAgainst(
  ctx: Omit<Context, "store">,
  mistakes: readonly Told[],
  all: readonly Rule[],
): Promise<(mistake: Told) => Mistake["rule"]> {
  const told: { readonly signature: string; readonly scope: Scope; readonly tell: TellRule }[] = [];
  for (const { signature, scope, text, level, backtest } of await failureProposals(ctx)) {
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
    const tell: TellRule = (mistake) => ({
      ...{ id, text, status, level, backtest, verdict },
      saved: savedBy(effect, mistake, backtest?.precision ?? 1),
    });
    told.push({ signature: rule.signature ?? "", scope: rule.scope, tell });
  }
  return (mistake) =>
    told.findLast((one) => one.signature === mistake.signature && holdsWhere(one.scope, mistake))?.tell(mistake) ??
    null;
}

/** What the attempts that were not made would have cost: a failure each, as often as attempts fail. With its 95 % interval. */
function savedBy(
  effect: RuleEffect | undefined,
  { count, cost }: Pick<Mistake, "count" | "cost">,
  failing: number,
): NonNullable<Mistake["rule"]>["saved"] {
  if (effect === undefined || count === 0) return null;
  const saved = savings({ ...effect.proof, verdict: effect.verdict }, failing);
  if (saved.kind === "unproven") return null;
  const of = (failures: number): Cost => ({
    calls: tenths((cost.calls / count) * failures),
    minutes: tenths((cost.minutes / count) * failures),
    tokens: Math.round((cost.tokens / count) * failures),
  });
  return { ...of(saved.cost), low: of(saved.low), high: of(saved.high) };
}

function tenths(value: number): number {
  return Math.round((value + Number.EPSILON) * 10) / 10;
}
