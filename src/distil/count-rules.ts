import type { Context } from "../context.ts";
import { isEditTool } from "../domain/edit-text.ts";
import { headOf, isOpportunity, matches } from "../domain/matcher.ts";
import { purposeOfHead } from "../domain/recovery.ts";
import { covers, type Matcher, type Rule, type Scope } from "../domain/rule.ts";
import { ANY_EDIT, groupOf, stepsOf } from "../domain/step.ts";
import { DAY } from "../lib/clock.ts";
import { grouped } from "../lib/grouped.ts";
import type { Db } from "../store/db.ts";
import { readMeta } from "../store/meta.ts";
import { listRules } from "../store/rules.ts";
import { addRuleSessions, markOf, type RuleSession } from "../store/rule-sessions.ts";
import { groupNames, triesAfter, type TriedEvent } from "../store/tries.ts";

/** What is counted: where it applies, and against what it speaks. */
export interface Countable {
  readonly id: string;
  readonly matcher: Matcher;
  readonly scope: Scope;
}

/** Brings each rule's count of opportunities and attempts up to the tries at hand. Costs what is new since its last count. */
export async function countRules(world: Pick<Context, "db" | "clock" | "config">): Promise<void> {
  const rules = (await listRules(world.db)).filter(isCounted);
  if (rules.length === 0) return;
  const recentSince = world.clock.now() - world.config.policy.distil.mineDays * DAY;
  await world.db.tx(async (tx) => {
    const upTo = Number((await readMeta(tx, "tried")) ?? 0);
    const marks = new Map<string, number>();
    for (const rule of rules) marks.set(rule.id, await markOf(tx, rule));
    // Together those that were counted equally far: each call is then looked at once for all of them.
    for (const some of grouped(rules, (rule) => String(marks.get(rule.id))).values()) {
      const from = marks.get(some[0]?.id ?? "") ?? 0;
      if (from >= upTo && from > 0) continue;
      const counts = await count(tx, some, { from, upTo });
      for (const rule of some)
        await addRuleSessions(tx, rule, { from, upTo, recentSince, sessions: counts.get(rule.id) ?? [] });
    }
  });
}

function isCounted(rule: Rule): rule is Rule & { readonly matcher: Matcher } {
  return rule.matcher !== null && ["candidate", "approved", "dormant"].includes(rule.status);
}

type Counts = { -readonly [Key in keyof Omit<RuleSession, "rule">]: RuleSession[Key] };

/** What each session had to do with each of these rules, between two numbers of events. */
export async function count(
  db: Db,
  rules: readonly Countable[],
  range: { readonly from: number; readonly upTo: number },
): Promise<ReadonlyMap<string, readonly Counts[]>> {
  const names = await groupNames(db);
  const places = rules.flatMap((rule) => groupsOf(rule.matcher, names).map((group) => ({ group, rule })));
  const sessions = new Map<string, Map<string, Counts>>(rules.map((rule) => [rule.id, new Map()]));
  const counted = new Set<string>();
  const spread = new Set(
    [...grouped(places, ({ rule }) => rule.id)].flatMap(([id, of]) => (of.length > 1 ? [id] : [])),
  );
  for (const [group, here] of grouped(places, (place) => place.group))
    for await (const tried of pagesOf(db, group, range.from)) {
      if (tried.event.id > range.upTo) break;
      const steps = stepsOf(tried.event);
      const state = new Set(tried.state);
      for (const { rule } of here) {
        if (!covers(rule.scope, tried.event.workspace) || !isOpportunity(rule.matcher, steps)) continue;
        // One line may hold two commands of the same purpose; where a rule has one group, it is met there once.
        if (spread.has(rule.id)) {
          const once = `${rule.id} ${tried.event.id}`;
          if (counted.has(once)) continue;
          counted.add(once);
        }
        add(sessions.get(rule.id), tried, matches(rule.matcher, steps, state));
      }
    }
  return new Map([...sessions].map(([id, bySession]) => [id, [...bySession.values()]]));
}

function add(bySession: Map<string, Counts> | undefined, { event, result }: TriedEvent, attempted: boolean): void {
  const { host, session, at } = event;
  const key = `${host} ${session}`;
  const one = bySession?.get(key) ?? { host, session, at, opportunities: 0, attempts: 0, failed: 0, worked: 0 };
  bySession?.set(key, one);
  one.at = Math.min(one.at, at);
  one.opportunities++;
  if (!attempted) return;
  one.attempts++;
  if (result === "failed") one.failed++;
  else if (result === "worked") one.worked++;
}

/** Where a rule's opportunities are found: its tool, or every command that serves the same purpose as its own. */
function groupsOf(matcher: Matcher, groups: readonly string[]): readonly string[] {
  if (matcher.tool === ANY_EDIT) return groups.filter(isEditTool);
  if (matcher.tool !== "shell") return [matcher.tool];
  const head = headOf(matcher);
  if (head === null) return groups.filter((group) => group.startsWith("shell "));
  const purpose = purposeOfHead(head);
  const found = groups.filter(
    (group) => group.startsWith("shell ") && purposeOfHead(group.slice("shell ".length)) === purpose,
  );
  const own = groupOf("bash", head);
  return found.includes(own) ? found : [...found, own];
}

const PAGE = 5_000;

async function* pagesOf(db: Db, group: string, from: number): AsyncIterable<TriedEvent> {
  for (let after = from; ;) {
    const page = await triesAfter(db, group, after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.event.id;
  }
}
