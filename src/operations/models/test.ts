import { z } from "zod";
import { modelFailureKinds } from "../../domain/model/failure.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { formatDollars } from "../../domain/model/money.ts";
import { findDefaultModel } from "../../domain/model/endpoint.ts";
import { OldhandError } from "../../lib/errors.ts";
import { bringBackModel } from "../../models/gateway/note-retired.ts";
import { requireUnderCap } from "../../models/gateway/require-under-cap.ts";
import { type TriedModel, tryModel } from "../../models/gateway/try-model.ts";
import { explainUnusable, suggestLocalModels } from "../../models/providers/inspect-providers.ts";
import { defineOperation } from "../../operation.ts";
import { requireModelRef } from "../../models/providers/named-model.ts";
import { explainNoPrice } from "../../models/prices/explain-no-price.ts";

const tested = z.object({
  model: z.string(),
  answeredBy: z.string().describe("the model that answered, as the provider names it"),
  failure: z
    .object({
      kind: z.enum(modelFailureKinds),
      message: z.string(),
      remedies: z.array(z.string()).describe("what you can do about it"),
    })
    .nullable(),
  text: z.string(),
  ms: z.number(),
  firstTokenMs: z.number().nullable(),
  usage: z.object({
    in: z.number(),
    out: z.number(),
    cached: z.number(),
    cacheWrite: z.number(),
    reasoning: z.number(),
  }),
  cost: z.number().describe("dollars"),
  call: z.string().describe("the id of the call"),
  notes: z.array(z.string()).describe("that its price is unknown, or that the call could not be stored"),
});

const test = defineOperation({
  name: "models test",
  summary:
    "Sends one small request to a model and shows how long it took, how many tokens it used and what it cost. It is stored and counted like any other call.",
  effect: "spends",
  surfaces: ["cli"],
  input: z.object({
    model: z.string().optional().describe("PROVIDER/MODEL; the default model if omitted"),
  }),
  positional: ["model"],
  output: tested,
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const { providers } = ctx.config;
    const ref = input.model === undefined ? findDefaultModel(providers) : requireModelRef(input.model, providers);
    const missing = ref && explainUnusable(ref, providers);
    if (ref === null || missing !== null)
      throw new OldhandError("config", ref === null ? "no model was added" : `${ref.provider} ${missing}`, {
        hint:
          (await suggestLocalModels(providers)) ??
          (ref === null
            ? "oldhand models add PROVIDER/MODEL"
            : "oldhand reads it from the environment; oldhand models shows what can be used"),
      });
    const tried = await tryModel(ctx, ref);
    requireUnderCap(tried);
    if (tried.failure === null) await bringBackModel(ctx, formatModelRef(ref), "models test");
    const { model, failure, text, ms, firstTokenMs, cost, call } = tried;
    const { cacheWrite1h: _cacheWrite1h, ...usage } = tried.usage;
    return {
      model: formatModelRef(ref),
      answeredBy: model,
      failure: failure && { kind: failure.kind, message: failure.message, remedies: [...tried.remedies] },
      text,
      ms,
      firstTokenMs,
      usage,
      cost,
      call,
      notes: [...(await explainNoPrice(ctx, ref)), ...explainUnstored(tried)],
    };
  },
  notes: ({ notes }) => notes,
  render: (one) => {
    if (one.failure !== null) {
      const { kind, message, remedies } = one.failure;
      return `${one.model}: ${kind === "cap" ? "not called" : kind}. ${message}${remedies.length === 0 ? "" : `. What to do: ${remedies.join("; ")}`}`;
    }
    const first = one.firstTokenMs === null ? "" : `, first token after ${one.firstTokenMs} ms`;
    return `${one.model} answered in ${one.ms} ms${first}: ${one.usage.in} tokens in, ${one.usage.out} out, ${formatDollars(one.cost)}.`;
  },
  isNegative: ({ failure }) => failure !== null,
});

function explainUnstored({ unstored, cost }: TriedModel): readonly string[] {
  return unstored === null ? [] : [`the call could not be stored (${unstored}); it cost about ${formatDollars(cost)}`];
}

export const modelTestOperations = [test] as const;
