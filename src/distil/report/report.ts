import type { Context } from "../../context.ts";
import {
  isActiveOrMuted,
  scopeCovers,
  type Level,
  type Matcher,
  type Rule,
  type Scope,
} from "../../domain/rule/rule.ts";
import { computeSavings, type Verdict } from "../../domain/proof/proof.ts";
import type { Fact } from "../../domain/fact/fact.ts";
import { stableJson } from "../../lib/json.ts";
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
import {
  type CoveringRule,
  type FailingCall,
  listCitedErrors,
  listCovered,
  loadFailingCalls,
} from "./failing-calls.ts";
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
  readonly recovery: Recovered | null;
  /** The existing rule, or the one that would be proposed. */
  readonly rule: MistakeRule | null;
  /** Other rules that cover some of its calls, such as those of other projects. */
  readonly otherRules: readonly MistakeRule[];
  /** Why there is no rule; null if there is one. */
  readonly noRule: string | null;
}

/** What worked instead: the call that did so most often, or calls of its form. */
export interface Recovered {
  readonly summary: string;
  readonly times: number;
  /** How many different calls of that form these were. */
  readonly different: number;
}

export interface MistakeRule {
  readonly id: string | null;
  readonly text: string;
  readonly status: string;
  readonly level: Level;
  readonly scope: Scope;
  readonly backtest: Backtest | null;
  /** Null until the rule had an opportunity. */
  readonly verdict: Verdict | null;
  /** Null unless an effect is proven. */
  readonly saved: (Cost & { readonly low: Cost; readonly high: Cost }) | null;
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
  /** Returns the fact in its current state on this machine. */
  readonly locate?: ((fact: Fact) => Fact) | undefined;
  readonly until?: number | undefined;
}

/** Mistakes made more than once, most expensive first, with evidence and recovery. */
export async function makeReport(ctx: Omit<Context, "store">, options: ReportOptions): Promise<MistakeReport> {
  const { db } = ctx;
  const filter = { ...options, within: ctx.config.policy.observe.recoveryWithin };
  const ranking = await rankFailures(db, filter, options.limit);
  const described: FailedMistake[] = [];
  for (const mistake of await describeMistakes(db, ranking.groups, filter))
    described.push({ ...mistake, calls: await loadFailingCalls(db, mistake.signature, filter) });
  const all = await listRules(db);
  const rulesFor = await rulesAgainst(ctx, described, all);
  const mistakes: RepeatedMistake[] = [];
  for (const failed of described) {
    const { calls, ...mistake } = failed;
    const { rule, others } = rulesFor(failed);
    const near = rule === null ? all.filter(({ scope }) => holdsWhere(scope, mistake)) : [];
    const noRule =
      rule === null
        ? await explainMissingRule(ctx, { ...mistake, calls: calls.map(({ event }) => event) }, near, {
            ...filter,
            locate: options.locate,
          })
        : null;
    mistakes.push({ ...mistake, rule, otherRules: others, noRule });
  }
  return {
    totals: { ...(await countSessionsAndEvents(db, options)), failures: ranking.failures, repeated: ranking.repeated },
    mistakes,
  };
}

type MistakeWithoutRule = Omit<RepeatedMistake, "rule" | "otherRules" | "noRule">;
/** With its latest calls. */
type FailedMistake = MistakeWithoutRule & { readonly calls: readonly FailingCall[] };
type DescribeRule = (mistake: Pick<RepeatedMistake, "count" | "cost">) => MistakeRule;

interface ReportedRule {
  readonly signature: string | null;
  readonly scope: Scope;
  /** The calls of a mistake that it warns against. Empty for a rule that its owner rejected. */
  covers(mistake: FailedMistake): readonly FailingCall[];
  readonly describe: DescribeRule;
}

/** Looks once at each mistake: matching a rule with fifty calls is most of a report's work. */
function rememberCovered(rule: CoveringRule): ReportedRule["covers"] {
  const known = new Map<FailedMistake, readonly FailingCall[]>();
  return (mistake) => {
    let covered = known.get(mistake);
    if (covered === undefined) known.set(mistake, (covered = listCovered(rule, mistake.calls)));
    return covered;
  };
}

/** True if the scope covers a workspace of the mistake. Elsewhere, the same error may have another cause. */
function holdsWhere(scope: Scope, { workspaces }: Pick<RepeatedMistake, "workspaces">): boolean {
  return scopeCovers(scope, null) || workspaces.some((workspace) => scopeCovers(scope, workspace));
}

/** A restored mind may propose again, for one project, what a global rule already says. */
function coversProposal(rule: Rule, { scope, matcher }: { readonly scope: Scope; readonly matcher: Matcher }): boolean {
  const workspace = scope.kind === "workspace" ? scope.workspace : null;
  return scopeCovers(rule.scope, workspace) && stableJson(rule.matcher) === stableJson(matcher);
}

/**
 * Returns the rule against each mistake, with its backtest and savings: the rule learned from it, or the one
 * that covers most of its calls; and other rules that cover some of its calls, such as each project's own.
 */
async function rulesAgainst(
  ctx: Omit<Context, "store">,
  mistakes: readonly FailedMistake[],
  all: readonly Rule[],
): Promise<(mistake: FailedMistake) => { readonly rule: MistakeRule | null; readonly others: readonly MistakeRule[] }> {
  const reported: ReportedRule[] = [];
  for (const { signature, scope, matcher, errors, text, level, backtest } of await listFailureProposals(ctx)) {
    if (all.some((rule) => isActiveOrMuted(rule) && coversProposal(rule, { scope, matcher }))) continue;
    const status = "would be proposed";
    const describe = () => ({ id: null, text, status, level, scope, backtest, verdict: null, saved: null });
    reported.push({ signature, scope, covers: rememberCovered({ matcher, scope, errors }), describe });
  }
  const covers = new Map(all.map((rule) => [rule.id, coversOf(rule)]));
  const rules = all.filter(({ id, signature, scope }) =>
    mistakes.some(
      (mistake) =>
        (mistake.signature === signature && holdsWhere(scope, mistake)) || (covers.get(id)?.(mistake).length ?? 0) > 0,
    ),
  );
  // Otherwise events since the last maintenance would be missing from the counts.
  await countRules(ctx, await kinOf(ctx.db, rules));
  const { about, effects: effectOf } = await judgedRules(ctx, rules);
  for (const rule of rules) {
    const counts = about.get(rule.id)?.totals ?? null;
    const backtest = counts === null ? null : backtestOf(counts);
    const { id, text, status, level, scope } = rule;
    const effect = effectOf.get(id);
    const verdict = effect === undefined || effect.proof.arms.treated.opportunities === 0 ? null : effect.verdict;
    const describe: DescribeRule = (mistake) => ({
      ...{ id, text, status, level, scope, backtest, verdict },
      saved: computeSaved(effect, mistake, backtest?.precision ?? 1),
    });
    reported.push({ signature: rule.signature, scope, covers: covers.get(id) ?? coversNothing, describe });
  }
  return (mistake) => pickRules(reported, mistake);
}

function coversOf(rule: Rule): ReportedRule["covers"] {
  const { matcher, scope } = rule;
  return isActiveOrMuted(rule) ? rememberCovered({ matcher, scope, errors: listCitedErrors(rule) }) : coversNothing;
}

function coversNothing(): readonly FailingCall[] {
  return [];
}

function pickRules(
  reported: readonly ReportedRule[],
  mistake: FailedMistake,
): { readonly rule: MistakeRule | null; readonly others: readonly MistakeRule[] } {
  const own = reported.findLast((one) => one.signature === mistake.signature && holdsWhere(one.scope, mistake));
  const covering = reported
    .map((one) => ({ one, covered: one.covers(mistake) }))
    .filter(({ one, covered }) => one !== own && covered.length > 0)
    .toSorted((a, b) => b.covered.length - a.covered.length);
  const together = new Set(covering.flatMap(({ covered }) => covered)).size;
  const isCovered = together * 2 > mistake.calls.length;
  const first = own ?? (isCovered ? covering[0]?.one : undefined);
  // What a rule saved is told where it was learned; here it would be counted twice.
  const describe = (one: ReportedRule) => {
    const described = one.describe(mistake);
    return one === own ? described : { ...described, saved: null };
  };
  const others = covering.filter(({ one }) => one !== first).map(({ one }) => describe(one));
  const rule = first === undefined ? null : describe(first);
  return { rule, others: others.slice(0, MOST_OTHERS) };
}

const MOST_OTHERS = 5;

/** The cost of the attempts that the rule avoided, at the observed failure rate, with its 95 % interval. */
function computeSaved(
  effect: RuleEffect | undefined,
  { count, cost }: Pick<RepeatedMistake, "count" | "cost">,
  failing: number,
): MistakeRule["saved"] {
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
