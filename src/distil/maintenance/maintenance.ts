import type { Context } from "../../context.ts";
import { rebaseRule } from "../../domain/rule/decisions.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { HOUR } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { scrubForgotten } from "../../store/state/scrub-forgotten.ts";
import { makeProvenance, applyAllChanges, planChange, withJournalLock } from "../../store/journal/journal.ts";
import { readLastMaintenance, writeLastMaintenance } from "../../store/state/maintenance-state.ts";
import { writeMeta } from "../../store/state/meta.ts";
import { dropOrphans } from "../../store/removal/remove-events.ts";
import { addReinforcements } from "../../store/shown/reinforcements.ts";
import { listRules, ruleNoun } from "../../store/nouns/rules.ts";
import { countNewTries } from "../counting/count-new-events.ts";
import { countRules } from "../counting/count-rules.ts";
import { distil } from "../mining/distil.ts";
import { proposeFundamentalRules } from "./fundamental-rules.ts";
import { planDecay } from "./decay-rules.ts";
import { planPromotions } from "./promote-rules.ts";
import { assignControlGroups, planProofSteps } from "./prove-rules.ts";
import { type CountedEncounter, planReinforcements } from "./reinforce-rules.ts";

/** One planned change of a rule, with its reason. */
export interface RuleStep {
  readonly step: "promote" | "merge" | "decay" | "revive" | "reinforce" | "escalate" | "prove";
  readonly before: Rule;
  readonly after: Rule;
  readonly reason: string;
}

export const maintenanceTasks = ["promote", "decay", "reinforce"] as const;
export type MaintenanceTask = (typeof maintenanceTasks)[number];

export interface MaintenanceTaskResult {
  readonly steps: readonly RuleStep[];
  readonly written: boolean;
}

/** Plans one task's changes; writes them only with `write`. */
export async function runMaintenanceTask(
  ctx: Omit<Context, "store">,
  which: MaintenanceTask,
  options: { readonly write: boolean },
): Promise<MaintenanceTaskResult> {
  await countNewTries(ctx);
  await countRules(ctx);
  if (which === "reinforce") {
    const { steps, counted } = await planReinforcements(ctx);
    if (options.write) await writeSteps(ctx, "reinforce", steps, counted);
    return { steps, written: options.write };
  }
  const steps = which === "promote" ? await planPromotions(ctx) : await planDecay(ctx);
  if (options.write) await writeSteps(ctx, which, steps, null);
  return { steps, written: options.write };
}

export interface MaintenanceResult {
  /** Why nothing was done; null if it ran. */
  readonly skipped: string | null;
  readonly proposed: number;
  readonly steps: readonly RuleStep[];
}

/**
 * Runs mining and all stages in order, at most once every `maintainHours`, so callers may run it often. Each
 * stage sees the changes of the one before.
 */
export async function runMaintenance(
  ctx: Omit<Context, "store">,
  options: { readonly write: boolean; readonly force: boolean },
): Promise<MaintenanceResult> {
  const now = ctx.clock.now();
  const last = await readLastMaintenance(ctx.db);
  if (!options.force && last > 0 && now - last < ctx.config.policy.distil.maintainHours * HOUR)
    return {
      skipped: `the last run was ${Math.floor((now - last) / HOUR)} hours ago`,
      proposed: 0,
      steps: [],
    };
  const { proposals } = await distil(ctx, { write: options.write });
  const steps: RuleStep[] = [];
  for (const stage of maintenanceStages) steps.push(...(await stage(ctx, options)));
  if (options.write) {
    await scrubForgotten(ctx.db);
    await writeLastMaintenance(ctx.db, now);
  }
  return { skipped: null, proposed: proposals.filter((one) => one.standing !== "known").length, steps };
}

type MaintenanceStage = (
  ctx: Omit<Context, "store">,
  options: { readonly write: boolean },
) => Promise<readonly RuleStep[]>;

/** The stages after mining, in this order. Each is complete in itself, so that a run can stop between two of them. */
export const maintenanceStages: readonly MaintenanceStage[] = [
  ...(["reinforce", "promote", "decay"] as const).map(
    (which): MaintenanceStage =>
      async (ctx, options) =>
        (await runMaintenanceTask(ctx, which, options)).steps,
  ),
  async (ctx, options) => {
    const proven = await planProofSteps(ctx);
    if (options.write) await writeSteps(ctx, "prove", proven, null);
    return proven;
  },
  async (ctx, options) => {
    if (!options.write) return [];
    await assignControlGroups(ctx);
    await proposeFundamentalRules(ctx);
    await dropOrphans(ctx.db);
    return [];
  },
];

function writeSteps(
  ctx: Pick<Context, "db" | "clock" | "actor">,
  which: string,
  steps: readonly RuleStep[],
  counted: readonly CountedEncounter[] | null,
): Promise<void> {
  return withJournalLock(ctx.db, async (tx: Db) => {
    const there = new Set((await listRules(tx)).map((rule) => rule.id));
    const applicable = steps.filter(({ after }) => after.mergedInto === null || there.has(after.mergedInto));
    await applyAllChanges(
      tx,
      applicable.map((one) =>
        planChange(
          ruleNoun,
          one.after.id,
          makeProvenance(ctx, which, one.reason),
          (now) => now && rebaseRule(now, one),
        ),
      ),
    );
    if (counted !== null) {
      await addReinforcements(tx, counted);
    }
    if (which === "decay") await writeMeta(tx, "swept", String(ctx.clock.now()));
  });
}
