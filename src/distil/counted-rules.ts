import type { Context } from "../context.ts";
import type { VersionRange } from "../domain/rule/host-version.ts";
import type { Rule } from "../domain/rule/rule.ts";
import { hashText } from "../lib/hash.ts";
import { isRecord } from "../lib/json.ts";
import { isKeptInBackground } from "../store/background.ts";
import type { Db } from "../store/engine/db.ts";
import { keep, keptOf } from "../store/kept.ts";
import { cursors, readCursor } from "../store/cursors.ts";
import { type RuleTotals, ruleStamps, ruleTotals } from "../store/rule-sessions.ts";
import { versionsOfRules } from "../store/rule-versions.ts";
import { countSessionVersions } from "../store/session-versions.ts";
import { listRules } from "../store/rules.ts";
import { type EffectAlone, effectAlone, familyOf, pooledEffects, type RuleEffect } from "./effect.ts";

/** What was counted about a rule, and what follows from it. */
export interface CountedRule {
  readonly totals: RuleTotals | null;
  readonly versions: readonly VersionRange[];
  readonly alone: EffectAlone | null;
}

type CountingContext = Pick<Context, "db" | "config">;

/**
 * Of each of these rules. A rule's sessions are gone through once after each count or change of it; until then the answer
 * is kept.
 */
export async function countedRules(
  ctx: CountingContext,
  rules: readonly Rule[],
): Promise<ReadonlyMap<string, CountedRule>> {
  const { found, fresh } = await goThrough(ctx, rules);
  await keep(ctx.db, "rule", fresh);
  return found;
}

/** So that whoever wants to know finds the answers kept. */
export async function keepCountedRules(ctx: CountingContext, rules: readonly Rule[]): Promise<void> {
  await keep(ctx.db, "rule", (await goThrough(ctx, rules)).fresh);
}

interface GoneThrough {
  readonly found: ReadonlyMap<string, CountedRule>;
  /** What was not kept yet. */
  readonly fresh: readonly { readonly key: string; readonly version: string; readonly value: string }[];
}

async function goThrough(ctx: CountingContext, rules: readonly Rule[]): Promise<GoneThrough> {
  const { db } = ctx;
  const ids = rules.map((rule) => rule.id);
  const kept = await keptOf(db, "rule", ids);
  const stamps = await ruleStamps(db);
  const small = await isSmall(db);
  const general = await generalStamp(ctx, small);
  // Where another thread goes through them, nobody waits until it has; only what was just decided shows at once.
  const waits = isKeptInBackground(db) && !small;
  const found = new Map<string, CountedRule>();
  const fresh: { key: string; version: string; value: string }[] = [];
  for (const rule of rules) {
    const { change, counts } = stamps.get(rule.id) ?? { change: 0, counts: "" };
    const version = `${change} ${general}|${counts}`;
    const known = kept.get(rule.id);
    if (known !== undefined && holds(db, known.version, version)) found.set(rule.id, unpacked(known.value));
    else if (waits && fresh.length >= AT_ONCE)
      found.set(rule.id, known === undefined ? unknown : unpacked(known.value));
    else {
      const made = await counted(ctx, rule);
      found.set(rule.id, made);
      fresh.push({ key: rule.id, version, value: packed(made) });
    }
  }
  return { found, fresh };
}

/** Where another thread counts, it also goes through what it counted: until then the answer before it stands. */
function holds(db: Db, kept: string, now: string): boolean {
  return kept === now || (isKeptInBackground(db) && kept.split("|", 1)[0] === now.split("|", 1)[0]);
}

/** What came of those of them that ever spoke and have a matcher. */
export async function effects(ctx: CountingContext, rules: readonly Rule[]): Promise<readonly RuleEffect[]> {
  return [...(await judgedRules(ctx, rules)).effects.values()];
}

/**
 * What was counted about these rules, and what came of them: each is judged with all rules of its kind, also those that
 * nobody asked for, so that whoever asks gets the same verdict.
 */
export async function judgedRules(
  ctx: CountingContext,
  rules: readonly Rule[],
): Promise<{
  readonly about: ReadonlyMap<string, CountedRule>;
  readonly effects: ReadonlyMap<string, RuleEffect>;
}> {
  const kin = await kinOf(ctx.db, rules);
  const about = await countedRules(ctx, kin);
  const alone = kin.flatMap((rule) => {
    const effect = about.get(rule.id)?.alone ?? null;
    return effect === null ? [] : [{ ...effect, rule }];
  });
  const found = new Map(pooledEffects(alone, ctx.config.policy.distil).map((one) => [one.rule.id, one]));
  return {
    about,
    effects: new Map(rules.flatMap(({ id }) => (found.has(id) ? [[id, found.get(id) as RuleEffect]] : []))),
  };
}

/** These rules and all of their kinds, whatever became of them: what a rule came to is evidence also after it was retired. */
export async function kinOf(db: Db, rules: readonly Rule[]): Promise<readonly Rule[]> {
  const kinds = new Set(rules.map(familyOf));
  const asked = new Map(rules.map((rule) => [rule.id, rule]));
  const kin = (await listRules(db)).filter(
    (rule) => asked.has(rule.id) || (rule.matcher !== null && kinds.has(familyOf(rule))),
  );
  return kin.map((rule) => asked.get(rule.id) ?? rule);
}

async function counted(ctx: CountingContext, rule: Rule): Promise<CountedRule> {
  return {
    totals: (await ruleTotals(ctx.db, rule.id)).get(rule.id) ?? null,
    versions: (await versionsOfRules(ctx.db, [rule])).get(rule.id) ?? [],
    alone: await effectAlone(ctx, rule),
  };
}

/** So many rules are gone through while somebody waits. */
const AT_ONCE = 3;

const unknown: CountedRule = { totals: null, versions: [], alone: null };

/**
 * Sessions go on after a rule was counted, and hosts tell their version late. In a mind as small as this that is looked at
 * every time; in a larger one with the next count.
 */
const SMALL = 20_000;

async function isSmall(db: Db): Promise<boolean> {
  return (await readCursor(db, cursors.digested)) <= SMALL;
}

async function generalStamp({ db, config }: CountingContext, small: boolean): Promise<string> {
  const policy = hashText(JSON.stringify(config.policy.distil)).slice(0, 8);
  return small ? `${policy} ${await readCursor(db, cursors.digested)} ${await countSessionVersions(db)}` : policy;
}

/** A bet that has won very often is worth more than JSON can say. */
function packed(value: CountedRule): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "number" && !Number.isFinite(inner) ? { number: String(inner) } : inner,
  );
}

function unpacked(text: string): CountedRule {
  return JSON.parse(text, (_key, inner: unknown) =>
    isRecord(inner) && typeof inner["number"] === "string" && Object.keys(inner).length === 1
      ? Number(inner["number"])
      : inner,
  ) as CountedRule;
}
