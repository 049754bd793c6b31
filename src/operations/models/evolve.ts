import { z } from "zod";
import type { Context } from "../../context.ts";
import { costWeightFor } from "../../domain/model/complexity.ts";
import { costOf } from "../../domain/model/cost.ts";
import { evolutionPolicy, type EvolutionProposal, proposeEvolution } from "../../domain/evolution/evolution.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { preferenceId, toPreference } from "../../domain/evolution/route-preference.ts";
import { noUsage } from "../../domain/model/usage.ts";
import { DAY } from "../../lib/clock.ts";
import { explainFall } from "../../domain/route/fall.ts";
import { capitalised, plural } from "../../lib/text.ts";
import { listFallenInUse } from "../../models/gateway/list-fallen.ts";
import { choosePrice } from "../../models/prices/choose-price.ts";
import { openPricesOf } from "../../models/prices/open-prices-of.ts";
import { defineOperation } from "../../operation.ts";
import { applyChange, makeProvenance } from "../../store/journal/journal.ts";
import { listLoggedCalls } from "../../store/models/routes.ts";
import { listRoutePreferences, routePreferenceNoun } from "../../store/nouns/route-preferences.ts";

const evolve = defineOperation({
  name: "models evolve",
  label: "Evolve routes",
  summary:
    "Proposes other models for kinds of tasks: a cheaper one where cost rose and quality stayed, a stronger one where quality fell, a better one after 100 calls. --write applies the proposals; undo reverts them.",
  effect: "write",
  input: z.object({
    days: z.coerce.number<number>().int().min(1).max(3_650).default(90).describe("how far back to look"),
    write: z.boolean().default(false).describe("apply the proposals"),
  }),
  output: z.object({
    calls: z
      .number()
      .describe("number of answered calls examined, of all agents; without tests, cached answers and calls of clients"),
    judged: z.number().describe("how many of them a check or a person has judged"),
    proposals: z.array(
      z.object({
        kind: z.enum(["cheaper", "stronger", "better"]),
        taskType: z.string(),
        complexity: z.string(),
        from: z.string(),
        to: z.string(),
        outcomes: z.number().describe("outcomes of `to` at this kind of task; below 30 it counts as untried"),
        why: z.string(),
        p: z.number().describe("p-value of the test"),
        level: z.number().describe("p had to be below this: 0.05, divided among all tests of this run"),
        change: z.number().nullable().describe("number of the change in the journal, if it was applied"),
      }),
    ),
    falls: z
      .array(z.object({ taskType: z.string(), complexity: z.string(), model: z.string(), why: z.string() }))
      .describe("models whose quality fell in the last 30 days, also if nothing is proposed instead"),
    written: z.boolean(),
  }),
  isOwnerOnly: ({ write }) => write,
  run: async (ctx, { days, write }) => {
    const calls = await listLoggedCalls(ctx.db, ctx.clock.now() - days * DAY);
    const { costWeight } = ctx.config.policy.models;
    const found = proposeEvolution(
      { calls, models: await pricedModels(ctx), costWeight: (complexity) => costWeightFor(complexity, costWeight) },
      evolutionPolicy,
    );
    const known = await listRoutePreferences(ctx.db);
    const fresh = found.filter((one) => !known.some((other) => isFor(one, other.id) && other.model === one.to));
    const proposals = [];
    for (const one of fresh) proposals.push({ ...one, change: write ? await applyProposal(ctx, one) : null });
    const judged = calls.filter(({ quality }) => quality !== null).length;
    const falls = (await listFallenInUse(ctx)).map((one) => ({
      taskType: one.taskType,
      complexity: one.complexity,
      model: one.model,
      why: explainFall(one),
    }));
    return { calls: calls.length, judged, proposals, falls, written: write };
  },
  render: ({ calls, judged, proposals, falls, written }, input) => {
    const looked = `${plural(calls, "answered call")} of the last ${input?.days ?? 90} days, ${judged} of them judged; tests, cached answers and calls of clients do not count`;
    const fallen = falls.map(({ why }) => `${capitalised(why)}.`);
    if (proposals.length === 0) return [...fallen, `Nothing to propose (${looked}).`].join("\n");
    return [
      ...fallen,
      ...proposals.map(
        (one) =>
          `${one.complexity} ${one.taskType}: ${one.to} instead of ${one.from} (${one.kind}): ${one.why}.${one.change === null ? "" : ` Applied; oldhand undo ${one.change} reverts it.`}`,
      ),
      looked,
      ...(written ? [] : ["oldhand models evolve --write applies this"]),
    ].join("\n");
  },
});

export const modelEvolveOperations = [evolve] as const;

/** The models in use, each with the cost of a task of typical length. */
async function pricedModels({ config, clock }: Context) {
  const prices = await openPricesOf(config);
  return config.providers.models.flatMap((ref) => {
    const chosen = choosePrice(prices, ref, clock.now(), config.policy.models.unknownPrice);
    return chosen === null ? [] : [{ model: formatModelRef(ref), price: costOf(chosen.price, USUAL) }];
  });
}

const USUAL = { ...noUsage, in: 2_000, out: 600 };

async function applyProposal(ctx: Context, proposal: EvolutionProposal): Promise<number | null> {
  const preference = toPreference(proposal, ctx.clock.now());
  const by = makeProvenance(ctx, "models evolve", proposal.why);
  const change = await applyChange(ctx.db, { noun: routePreferenceNoun, id: preference.id }, by, () => preference);
  return change?.id ?? null;
}

function isFor({ complexity, taskType }: EvolutionProposal, id: string): boolean {
  return preferenceId(complexity, taskType) === id;
}
