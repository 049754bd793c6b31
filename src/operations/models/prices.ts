import { resolve } from "node:path";
import { z } from "zod";
import type { StoredPrice } from "../../domain/model/call-row.ts";
import { parseModelRef } from "../../domain/model/model-ref.ts";
import { OldhandError } from "../../lib/errors.ts";
import { choosePrice } from "../../models/prices/choose-price.ts";
import { openPricesOf } from "../../models/prices/open-prices-of.ts";
import { defineOperation } from "../../operation.ts";

const pricesShape = {
  in: z.number(),
  out: z.number(),
  cached: z.number(),
  cacheWrite: z.number(),
  cacheWrite1h: z.number().optional(),
};

const prices = defineOperation({
  name: "models prices",
  summary: "Shows where prices come from and how old they are. With a model, shows its prices and its context window.",
  effect: "read",
  needs: "config",
  input: z.object({
    model: z.string().min(1).optional().describe("provider/model, such as anthropic/claude-sonnet-4-5"),
  }),
  positional: ["model"],
  output: z.object({
    date: z.string().describe("of the built-in table"),
    file: z.string().nullable().describe("its prices override the built-in ones (setting models.prices)"),
    unknownPrice: z.enum(["most-expensive", "refuse"]),
    model: z
      .object({
        name: z.string(),
        known: z.boolean().describe("false: the highest known price counts, or the call is refused"),
        from: z.string().nullable(),
        retired: z.boolean(),
        context: z.number().nullable().describe("most tokens of a prompt"),
        output: z.number().nullable().describe("most tokens of an answer"),
        prices: z
          .object({
            ...pricesShape,
            request: z.number().optional(),
            tiers: z.array(z.object({ above: z.number(), ...pricesShape })).optional(),
          })
          .nullable()
          .describe("dollars per million tokens"),
      })
      .nullable(),
  }),
  run: async (ctx, input) => {
    const { prices: file, unknownPrice } = ctx.config.policy.models;
    const table = await openPricesOf(ctx.config);
    const about = { date: table.date, file: file === "" ? null : resolve(ctx.config.home, file), unknownPrice };
    if (input.model === undefined) return { ...about, model: null };
    const ref = parseModelRef(input.model);
    if (ref === null)
      throw new OldhandError("usage", `"${input.model}" is not the name of a model`, {
        hint: "provider/model, such as anthropic/claude-sonnet-4-5",
      });
    const chosen = choosePrice(table, ref, ctx.clock.now(), unknownPrice);
    return {
      ...about,
      model: {
        name: input.model,
        known: chosen?.isKnown ?? false,
        from: chosen?.price.from ?? null,
        retired: table.isRetired(ref),
        ...table.window(ref),
        prices: chosen === null ? null : pricesOut(chosen.price),
      },
    };
  },
  render: ({ date, file, unknownPrice, model }) => {
    const about = `prices of ${date}${file === null ? "" : `, overridden by ${file}`}`;
    if (model === null)
      return `${about}\na model whose price is unknown ${unknownPrice === "refuse" ? "is not called" : "counts at the highest known price"} (oldhand config set models.unknownPrice)`;
    const { prices: found } = model;
    if (found === null)
      return `${model.name}: its price is unknown, so it is not called (models.unknownPrice)\n${about}`;
    return [
      `${model.name}, dollars per million tokens, from ${model.from ?? ""}${model.known ? "" : " (its own price is unknown)"}${model.retired ? " (retired)" : ""}`,
      formatPrices("", found),
      ...(found.tiers ?? []).map((tier) => formatPrices(`prompts above ${tier.above} tokens: `, tier)),
      ...(found.request === undefined ? [] : [`  plus ${found.request} for each call`]),
      `  context window: ${countOf(model.context)}; longest answer: ${countOf(model.output)}`,
      about,
    ].join("\n");
  },
});

function countOf(tokens: number | null): string {
  return tokens === null ? "unknown" : `${tokens} tokens`;
}

export const modelPriceOperations = [prices] as const;

function pricesOut({ from: _from, tiers, ...price }: StoredPrice) {
  return { ...price, ...(tiers === undefined ? {} : { tiers: [...tiers] }) };
}

function formatPrices(
  says: string,
  price: {
    readonly in: number;
    readonly out: number;
    readonly cached: number;
    readonly cacheWrite: number;
    readonly cacheWrite1h?: number | undefined;
  },
): string {
  const hour = price.cacheWrite1h === undefined ? "" : ` (for an hour ${price.cacheWrite1h})`;
  return `  ${says}in ${price.in}, out ${price.out}, read from cache ${price.cached}, written to cache ${price.cacheWrite}${hour}`;
}
