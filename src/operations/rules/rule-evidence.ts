import { z } from "zod";
import type { Context } from "../../context.ts";
import { backtest, hasMatcher } from "../../distil/report/backtest.ts";
import { countNewTries } from "../../distil/counting/count-new-events.ts";
import { countRules } from "../../distil/counting/count-rules.ts";
import { listRuleEffects } from "../../distil/counting/rule-counts.ts";
import { compareDeliveries } from "../../domain/rule/delivery/compare-deliveries.ts";
import { deliveryKinds } from "../../domain/rule/delivery/delivery.ts";
import { describeMatcher } from "../../domain/rule/wording/rule-sentence.ts";
import { levels } from "../../domain/rule/rule.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { atLeastPercent, percent } from "../../lib/percent.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { ruleNoun } from "../../store/nouns/rules.ts";
import { tallyDeliveries } from "../../store/shown/reinforcements.ts";
import { listShownRules } from "../../store/shown/shown.ts";
import { formatEffect } from "./effect-text.ts";
import { findVisibleRule } from "./find-rule.ts";
import { ruleId } from "./rule-decision.ts";
import { backtestShape, effectOut, effectShape, limitInput } from "../shared/shapes.ts";

const rulesBacktest = defineOperation({
  name: "rules backtest",
  summary: "Backtests a rule on recorded calls: how often it would have spoken, and how often it was right.",
  effect: "touches",
  prepare: ["events"],
  input: z.object({ id: ruleId }),
  positional: ["id"],
  output: backtestShape.extend({
    rule: z.string(),
    matcher: z.string(),
    ceiling: z.object({ level: z.enum(levels), reason: z.string() }),
    sessions: z.object({ met: z.number(), failed: z.number() }),
  }),
  run: async (ctx, input) => {
    const rule = await findVisibleRule(ctx, input.id);
    if (!hasMatcher(rule))
      throw new OldhandError("usage", `rule ${rule.id} has no matcher, so it cannot be backtested`, {
        hint: "rules from the ledger, and your own without --command, only advise",
      });
    return { rule: rule.id, matcher: describeMatcher(rule.matcher), ...(await backtest(ctx, rule)) };
  },
  render: (one) =>
    [
      `${one.matcher}`,
      `  ${plural(one.opportunities, "chance")} of the mistake in ${plural(one.sessions.met, "session")}`,
      `  it would have spoken ${plural(one.fired, "time")}: ${one.hits} right, ${plural(one.falseAlarms, "false alarm")}`,
      `  precision ${percent(one.precision)}, at least ${atLeastPercent(one.lower)} (95 %)`,
      `  allows ${one.ceiling.level} (${one.ceiling.reason})`,
    ].join("\n"),
});

const rulesEffect = defineOperation({
  name: "rules effect",
  summary: "Shows whether a rule works: mistakes per chance before it, with it, and in a control group.",
  effect: "touches",
  prepare: ["events"],
  input: z.object({ id: ruleId }),
  positional: ["id"],
  output: effectShape.extend({
    rule: z.string(),
    since: z.string(),
    deliveries: z
      .array(
        z.object({
          delivery: z.enum(deliveryKinds),
          sessions: z.number(),
          kept: z.number().describe("sessions in which the mistake was not repeated"),
          share: z.number(),
          interval: z.tuple([z.number(), z.number()]),
        }),
      )
      .describe("what sessions did that were shown the rule, by its strongest delivery"),
  }),
  run: async (ctx, input) => {
    const rule = await findVisibleRule(ctx, input.id);
    await countNewTries(ctx);
    await countRules(ctx);
    const [found] = await listRuleEffects(ctx, [rule]);
    if (found === undefined && rule.matcher === null)
      throw new OldhandError("not-found", `rule ${rule.id} has no matcher, so its effect cannot be measured`, {
        hint: `oldhand rules edit ${rule.id} --command COMMAND gives it one`,
      });
    if (found === undefined)
      throw new OldhandError("not-found", `rule ${rule.id} has not been shown yet`, {
        hint: "oldhand rules approve puts it in force",
      });
    const compared = compareDeliveries(await tallyDeliveries(ctx.db, rule.id));
    return {
      rule: rule.id,
      since: iso(found.since),
      ...effectOut(found),
      deliveries: compared.map(({ interval: [low, high], ...one }) => ({
        ...one,
        interval: [low, high] as [number, number],
      })),
    };
  },
  render: formatEffect,
});

const rulesShown = defineOperation({
  name: "rules shown",
  summary:
    "Lists which rules were shown to which session, when, at which level, and whether the session followed them.",
  effect: "read",
  input: z.object({
    id: z.string().min(1).optional().describe("only this rule: its id, or its beginning"),
    session: z.string().min(1).optional().describe("only this session"),
    limit: limitInput(50),
  }),
  positional: ["id"],
  output: z.object({
    shown: z.array(
      z.object({
        at: z.string(),
        host: z.string(),
        session: z.string(),
        rule: z.string(),
        text: z.string().nullable().describe("the rule as it was then; null if it was forgotten since"),
        moment: z.string(),
        delivery: z.enum(deliveryKinds).describe("how it was delivered: as a note, or by stopping the call"),
        level: z.enum(levels),
        tokens: z.number(),
        broken: z
          .boolean()
          .nullable()
          .describe("null until the session is over and counted, and if the call was made and worked"),
      }),
    ),
  }),
  run: async (ctx, input) => {
    const rule = input.id === undefined ? undefined : (await findVisibleRule(ctx, input.id)).id;
    const found = await listShownRules(ctx.db, {
      rule,
      session: input.session,
      limit: input.limit,
      within: ctx.within,
    });
    const texts = new Map<string, readonly TextSince[]>();
    for (const id of new Set(found.map((one) => one.rule))) texts.set(id, await listTexts(ctx.db, id));
    return {
      shown: found.map((one) => {
        const then = texts.get(one.rule)?.findLast(({ since }) => since <= one.at);
        return { ...one, text: one.text === null ? null : (then?.text ?? one.text), at: iso(one.at) };
      }),
    };
  },
  render: ({ shown }) =>
    shown.length === 0
      ? "No rule was shown yet."
      : shown
          .map(
            (one) =>
              `${one.at}  ${one.host} ${one.session}  ${one.moment.padEnd(13)} ${one.level.padEnd(6)} ${one.delivery.padEnd(4)} ${one.rule}  ${one.broken === null ? "" : one.broken ? "broken  " : "kept  "}${one.text ?? "(forgotten)"}`,
          )
          .join("\n"),
});

interface TextSince {
  readonly since: number;
  readonly text: string;
}

/** The texts that a rule had, oldest first. */
async function listTexts(db: Context["db"], rule: string): Promise<readonly TextSince[]> {
  const changes = await listChangesOf(db, ruleNoun, rule);
  return changes.flatMap(({ at, after }) => (after === null ? [] : [{ since: at, text: after.text }]));
}

export const ruleEvidenceOperations = [rulesBacktest, rulesEffect, rulesShown] as const;
