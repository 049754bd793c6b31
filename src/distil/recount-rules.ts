import type { Context } from "../context.ts";
import { onTopOf } from "../domain/rule/decisions.ts";
import { recount, type Recounted } from "../domain/rule/recount.ts";
import { type Rule, stands } from "../domain/rule/rule.ts";
import { DAY } from "../lib/clock.ts";
import { by, changeAll, changesOf, planned } from "../store/journal.ts";
import { keep, keptOf } from "../store/kept.ts";
import { newestByWorkspace } from "../store/newest-by-workspace.ts";
import { countVersions, tallySince } from "../store/rule-sessions.ts";
import { listRules, ruleNoun } from "../store/rules.ts";
import { isByLaw, isReworded } from "../domain/rule/by-law.ts";

/** Takes calls that worked into the sentences and levels of mined rules. Costs the rules whose counts have changed since. */
export async function recountRules(ctx: Pick<Context, "db" | "clock" | "config" | "actor">): Promise<void> {
  const { db } = ctx;
  const versions = await countVersions(db);
  const kept = await keptOf(db, "recount");
  const due = (await listRules(db)).filter(
    (rule) => isMined(rule) && versions.has(rule.id) && kept.get(rule.id)?.version !== versions.get(rule.id),
  );
  if (due.length === 0) return;
  const since = await startOfWindow(ctx);
  for (const rule of due) {
    const found = await recounted(ctx, rule, since(rule));
    if (found !== null) {
      const step = { before: rule, after: found.after };
      const because = by(ctx, "distil", found.reason);
      await changeAll(db, [planned(ruleNoun, rule.id, because, (now) => now && onTopOf(now, step))]);
    }
    await keep(db, "recount", [{ key: rule.id, version: versions.get(rule.id) ?? "", value: "" }]);
  }
}

/** In doubt its numbers are those of a host that is no more. */
function isMined(rule: Rule): boolean {
  return rule.origin === "tool" && stands(rule) && !rule.pinned && rule.doubt === undefined;
}

/** As far back as miners look: what worked before that is not held against a rule. */
async function startOfWindow({
  db,
  clock,
  config,
}: Pick<Context, "db" | "clock" | "config">): Promise<(rule: Rule) => number> {
  const [now, days] = [clock.now(), config.policy.distil.mineDays * DAY];
  const newest = await newestByWorkspace(db);
  return ({ scope }) => Math.min(scope.kind === "global" ? now : (newest.get(scope.workspace) ?? now), now) - days;
}

async function recounted(
  { db, config }: Pick<Context, "db" | "config">,
  rule: Rule,
  since: number,
): Promise<Recounted | null> {
  const changes = await changesOf(db, ruleNoun, rule.id);
  if (isReworded(changes)) return null;
  const isDecided = changes.some((change) => !isByLaw(change));
  return recount(rule, await tallySince(db, rule, since), { isDecided }, config.policy.distil);
}
