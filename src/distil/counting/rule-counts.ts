import type { Context } from "../../context.ts";
import type { VersionRange } from "../../domain/rule/host-version.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { hashText } from "../../lib/hash.ts";
import { isRecord } from "../../lib/json.ts";
import { isRefreshedInBackground } from "../../store/state/background.ts";
import type { Db } from "../../store/engine/db.ts";
import { writeCachedResults, readCachedResults } from "../../store/state/result-cache.ts";
import { cursors, readCursor } from "../../store/state/cursors.ts";
import { type RuleTotals, readRuleStamps, readRuleTotals } from "../../store/shown/rule-sessions.ts";
import { listRuleVersions } from "../../store/shown/rule-versions.ts";
import { countSessionVersions } from "../../store/events/session-versions.ts";
import { listRules } from "../../store/nouns/rules.ts";
import { type RuleOwnEffect, computeOwnEffect, getRuleFamily, poolEffects, type RuleEffect } from "./effect.ts";

/** The counts of a rule, and its effect computed from them. */
export interface RuleCounts {
  readonly totals: RuleTotals | null;
  readonly versions: readonly VersionRange[];
  readonly alone: RuleOwnEffect | null;
}

type CountingContext = Pick<Context, "db" | "config">;

/** The counts of these rules. Cached: a rule's sessions are read again only after a new count or change of it. */
export async function readRuleCounts(
  ctx: CountingContext,
  rules: readonly Rule[],
): Promise<ReadonlyMap<string, RuleCounts>> {
  const { found, fresh } = await computeRuleCounts(ctx, rules);
  await writeCachedResults(ctx.db, "rule", fresh);
  return found;
}

/** Fills the cache, so that later readers need not wait. */
export async function cacheRuleCounts(ctx: CountingContext, rules: readonly Rule[]): Promise<void> {
  await writeCachedResults(ctx.db, "rule", (await computeRuleCounts(ctx, rules)).fresh);
}

interface ComputedCounts {
  readonly found: ReadonlyMap<string, RuleCounts>;
  /** Results that are not cached yet. */
  readonly fresh: readonly { readonly key: string; readonly version: string; readonly value: string }[];
}

async function computeRuleCounts(ctx: CountingContext, rules: readonly Rule[]): Promise<ComputedCounts> {
  const { db } = ctx;
  const ids = rules.map((rule) => rule.id);
  const kept = await readCachedResults(db, "rule", ids);
  const stamps = await readRuleStamps(db);
  const small = await isSmall(db);
  const general = await generalStamp(ctx, small);
  // If a background thread computes counts, callers use its last result; only a few are computed here, so
  // that a fresh decision shows at once.
  const waits = isRefreshedInBackground(db) && !small;
  const found = new Map<string, RuleCounts>();
  const fresh: { key: string; version: string; value: string }[] = [];
  for (const rule of rules) {
    const { change, counts } = stamps.get(rule.id) ?? { change: 0, counts: "" };
    const version = `${change} ${general}|${counts}`;
    const known = kept.get(rule.id);
    if (known !== undefined && isStillValid(db, known.version, version)) found.set(rule.id, parseCounts(known.value));
    else if (waits && fresh.length >= MAX_COUNTED_INLINE)
      found.set(rule.id, known === undefined ? unknown : parseCounts(known.value));
    else {
      const made = await countRule(ctx, rule);
      found.set(rule.id, made);
      fresh.push({ key: rule.id, version, value: serializeCounts(made) });
    }
  }
  return { found, fresh };
}

/** If a background thread counts, it also refreshes the cache; until then a result for older counts stays valid. */
function isStillValid(db: Db, kept: string, now: string): boolean {
  return kept === now || (isRefreshedInBackground(db) && kept.split("|", 1)[0] === now.split("|", 1)[0]);
}

/** The effects of those rules that ever spoke and have a matcher. */
export async function listRuleEffects(ctx: CountingContext, rules: readonly Rule[]): Promise<readonly RuleEffect[]> {
  return [...(await judgedRules(ctx, rules)).effects.values()];
}

/**
 * The counts and effects of these rules. Each is judged with its whole family, so that its verdict does not
 * depend on which rules were requested.
 */
export async function judgedRules(
  ctx: CountingContext,
  rules: readonly Rule[],
): Promise<{
  readonly about: ReadonlyMap<string, RuleCounts>;
  readonly effects: ReadonlyMap<string, RuleEffect>;
}> {
  const kin = await kinOf(ctx.db, rules);
  const about = await readRuleCounts(ctx, kin);
  const alone = kin.flatMap((rule) => {
    const effect = about.get(rule.id)?.alone ?? null;
    return effect === null ? [] : [{ ...effect, rule }];
  });
  const found = new Map(poolEffects(alone, ctx.config.policy.distil).map((one) => [one.rule.id, one]));
  return {
    about,
    effects: new Map(rules.flatMap(({ id }) => (found.has(id) ? [[id, found.get(id) as RuleEffect]] : []))),
  };
}

/** These rules and all of their families, in any status: a retired rule is still evidence. */
export async function kinOf(db: Db, rules: readonly Rule[]): Promise<readonly Rule[]> {
  const kinds = new Set(rules.map(getRuleFamily));
  const rulesById = new Map(rules.map((rule) => [rule.id, rule]));
  const kin = (await listRules(db)).filter(
    (rule) => rulesById.has(rule.id) || (rule.matcher !== null && kinds.has(getRuleFamily(rule))),
  );
  return kin.map((rule) => rulesById.get(rule.id) ?? rule);
}

async function countRule(ctx: CountingContext, rule: Rule): Promise<RuleCounts> {
  return {
    totals: (await readRuleTotals(ctx.db, rule.id)).get(rule.id) ?? null,
    versions: (await listRuleVersions(ctx.db, [rule])).get(rule.id) ?? [],
    alone: await computeOwnEffect(ctx, rule),
  };
}

/** At most this many rules are counted while a caller waits. */
const MAX_COUNTED_INLINE = 3;

const unknown: RuleCounts = { totals: null, versions: [], alone: null };

/**
 * Up to this many events, cached results also depend on the last event and the known host versions, because
 * sessions go on after a count and hosts report their version late. In larger minds they are refreshed with
 * the next count.
 */
const SMALL = 20_000;

async function isSmall(db: Db): Promise<boolean> {
  return (await readCursor(db, cursors.digested)) <= SMALL;
}

/** Increase it when mistakes are counted in another way: cached effects are then recomputed. */
const COUNTING = 4;

async function generalStamp({ db, config }: CountingContext, small: boolean): Promise<string> {
  const policy = `${COUNTING} ${hashText(JSON.stringify(config.policy.distil)).slice(0, 8)}`;
  return small ? `${policy} ${await readCursor(db, cursors.digested)} ${await countSessionVersions(db)}` : policy;
}

/** The e-process may grow to infinity, which JSON cannot represent. */
function serializeCounts(value: RuleCounts): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "number" && !Number.isFinite(inner) ? { number: String(inner) } : inner,
  );
}

function parseCounts(text: string): RuleCounts {
  return JSON.parse(text, (_key, inner: unknown) =>
    isRecord(inner) && typeof inner["number"] === "string" && Object.keys(inner).length === 1
      ? Number(inner["number"])
      : inner,
  ) as RuleCounts;
}
