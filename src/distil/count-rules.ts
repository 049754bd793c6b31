import type { Context } from "../context.ts";
import { isEditTool } from "../domain/edit-text.ts";
import { headOf, isOpportunity, matches } from "../domain/matcher.ts";
import { purposeOfHead } from "../domain/recovery.ts";
import { covers, type Matcher, type Rule } from "../domain/rule.ts";
import { ANY_EDIT, groupOf, stepsOf } from "../domain/step.ts";
import { DAY } from "../lib/clock.ts";
import type { Db } from "../store/db.ts";
import { readMeta } from "../store/meta.ts";
import { listRules } from "../store/rules.ts";
import { addRuleSessions, markOf, type RuleSession } from "../store/rule-sessions.ts";
import { groupNames, triesAfter } from "../store/tries.ts";

type Matched = Rule & { readonly matcher: Matcher };

/** Brings each rule's count of opportunities and attempts up to the tries at hand. Costs what is new since its last count. */
export async function countRules(world: Pick<Context, "db" | "clock" | "config">): Promise<void> {
  const rules = (await listRules(world.db)).filter(isCounted);
  if (rules.length === 0) return;
  const groups = await groupNames(world.db);
  const recentSince = world.clock.now() - world.config.policy.distil.mineDays * DAY;
  for (const rule of rules)
    await world.db.tx(async (tx) => {
      const upTo = Number((await readMeta(tx, "tried")) ?? 0);
      const from = await markOf(tx, rule);
      if (from >= upTo && from > 0) return;
      const sessions = await countOne(tx, rule, groupsOf(rule.matcher, groups), { from, upTo });
      await addRuleSessions(tx, rule, { from, upTo, recentSince, sessions });
    });
}

function isCounted(rule: Rule): rule is Matched {
  return rule.matcher !== null && ["candidate", "approved", "dormant"].includes(rule.status);
}

/** Where its opportunities are found: its tool, or every command that serves the same purpose as its own. */
export function groupsOf(matcher: Matcher, groups: readonly string[]): readonly string[] {
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

export async function countOne(
  db: Db,
  rule: Pick<Matched, "matcher" | "scope">,
  groups: readonly string[],
  range: { readonly from: number; readonly upTo: number },
): Promise<readonly Omit<RuleSession, "rule">[]> {
  const counted = new Set<number>();
  const sessions = new Map<string, { -readonly [Key in keyof Omit<RuleSession, "rule">]: RuleSession[Key] }>();
  for (const group of groups)
    for (const { event, result, state } of await triesAfter(db, group, range.from)) {
      if (event.id > range.upTo || counted.has(event.id) || !covers(rule.scope, event.workspace)) continue;
      const steps = stepsOf({ ...event, tool: event.tool ?? "" });
      if (!isOpportunity(rule.matcher, steps)) continue;
      counted.add(event.id);
      const key = `${event.host} ${event.session}`;
      const { host, session, at } = event;
      const one = sessions.get(key) ?? { host, session, at, opportunities: 0, attempts: 0, failed: 0, worked: 0 };
      sessions.set(key, one);
      one.at = Math.min(one.at, at);
      one.opportunities++;
      if (!matches(rule.matcher, steps, new Set(state))) continue;
      one.attempts++;
      if (result === "failed") one.failed++;
      else if (result === "worked") one.worked++;
    }
  return [...sessions.values()];
}
