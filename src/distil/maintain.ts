import type { Context } from "../context.ts";
import { onTopOf } from "../domain/rule/decisions.ts";
import type { Rule } from "../domain/rule/rule.ts";
import { HOUR } from "../lib/clock.ts";
import type { Db } from "../store/engine/db.ts";
import { scrubForgotten } from "../store/forgotten.ts";
import { by, changeAll, planned, underLock } from "../store/journal.ts";
import { lastMaintained, markMaintained } from "../store/maintained.ts";
import { writeMeta } from "../store/meta.ts";
import { dropOrphans } from "../store/remove-events.ts";
import { addReinforcements } from "../store/reinforced.ts";
import { listRules, ruleNoun } from "../store/rules.ts";
import { catchUpTries } from "./catch-up.ts";
import { countRules } from "./count-rules.ts";
import { distil } from "./distil.ts";
import { proposeFundamental } from "./fundamental-rules.ts";
import { decaySteps } from "./steps-decay.ts";
import { promoteSteps } from "./steps-promote.ts";
import { drawLots, proveSteps } from "./steps-prove.ts";
import { type Counted, reinforceSteps } from "./steps-reinforce.ts";

/** One change of a rule that the laws ask for, with their reason. */
export interface RuleStep {
  readonly step: "promote" | "merge" | "decay" | "revive" | "reinforce" | "escalate" | "prove";
  readonly before: Rule;
  readonly after: Rule;
  readonly reason: string;
}

export const upkeeps = ["promote", "decay", "reinforce"] as const;
export type Upkeep = (typeof upkeeps)[number];

export interface Upkept {
  readonly steps: readonly RuleStep[];
  readonly written: boolean;
}

/** What the laws would change now; changed only when told to. */
export async function upkeep(
  ctx: Omit<Context, "store">,
  which: Upkeep,
  options: { readonly write: boolean },
): Promise<Upkept> {
  await catchUpTries(ctx);
  await countRules(ctx);
  if (which === "reinforce") {
    const { steps, counted } = await reinforceSteps(ctx);
    if (options.write) await write(ctx, "reinforce", steps, counted);
    return { steps, written: options.write };
  }
  const steps = which === "promote" ? await promoteSteps(ctx) : await decaySteps(ctx);
  if (options.write) await write(ctx, which, steps, null);
  return { steps, written: options.write };
}

export interface Maintained {
  /** Why nothing was done, or null. */
  readonly skipped: string | null;
  readonly proposed: number;
  readonly steps: readonly RuleStep[];
}

/**
 * All of it in order, at most once in so many hours: whoever ends a session may ask. Each step sees what the one before
 * it changed.
 */
export async function maintain(
  ctx: Omit<Context, "store">,
  options: { readonly write: boolean; readonly force: boolean },
): Promise<Maintained> {
  const now = ctx.clock.now();
  const last = await lastMaintained(ctx.db);
  if (!options.force && last > 0 && now - last < ctx.config.policy.distil.maintainHours * HOUR)
    return {
      skipped: `the last run was ${Math.floor((now - last) / HOUR)} hours ago`,
      proposed: 0,
      steps: [],
    };
  const { proposals } = await distil(ctx, { write: options.write });
  const steps: RuleStep[] = [];
  for (const stage of stages) steps.push(...(await stage(ctx, options)));
  if (options.write) {
    await scrubForgotten(ctx.db);
    await markMaintained(ctx.db, now);
  }
  return { skipped: null, proposed: proposals.filter((one) => one.standing !== "known").length, steps };
}

type Stage = (ctx: Omit<Context, "store">, options: { readonly write: boolean }) => Promise<readonly RuleStep[]>;

/** What follows on mining, in this order. Each is whole in itself, so that between two of them it can be left for later. */
export const stages: readonly Stage[] = [
  ...(["reinforce", "promote", "decay"] as const).map(
    (which): Stage =>
      async (ctx, options) =>
        (await upkeep(ctx, which, options)).steps,
  ),
  async (ctx, options) => {
    const proven = await proveSteps(ctx);
    if (options.write) await write(ctx, "prove", proven, null);
    return proven;
  },
  async (ctx, options) => {
    if (!options.write) return [];
    await drawLots(ctx);
    await proposeFundamental(ctx);
    await dropOrphans(ctx.db);
    return [];
  },
];

function write(
  ctx: Pick<Context, "db" | "clock" | "actor">,
  which: string,
  steps: readonly RuleStep[],
  counted: readonly Counted[] | null,
): Promise<void> {
  return underLock(ctx.db, async (tx: Db) => {
    const there = new Set((await listRules(tx)).map((rule) => rule.id));
    const standing = steps.filter(({ after }) => after.mergedInto === null || there.has(after.mergedInto));
    await changeAll(
      tx,
      standing.map((one) =>
        planned(ruleNoun, one.after.id, by(ctx, which, one.reason), (now) => now && onTopOf(now, one)),
      ),
    );
    if (counted !== null) {
      await addReinforcements(tx, counted);
    }
    if (which === "decay") await writeMeta(tx, "swept", String(ctx.clock.now()));
  });
}
