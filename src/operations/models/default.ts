import { z } from "zod";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { findDefaultModel } from "../../domain/model/endpoint.ts";
import { explainUnusable } from "../../models/providers/inspect-providers.ts";
import { explainNoPrice } from "../../models/prices/explain-no-price.ts";
import { defineOperation } from "../../operation.ts";
import { changeSettings, formatJournalled, journalledShape, notesOfJournal } from "../shared/change-settings.ts";
import { requireListedModel, requireModelRef } from "../../models/providers/named-model.ts";
import { readProvidersNow } from "./shared.ts";

const defaultModel = defineOperation({
  name: "models default",
  summary: "Shows or sets the default model. `first` makes the first of models.use the default again.",
  effect: "write",
  surfaces: ["cli"],
  needs: "config",
  input: z.object({ model: z.string().optional().describe("PROVIDER/MODEL, or `first`") }),
  positional: ["model"],
  output: z.object({
    model: z.string().nullable(),
    isChosen: z.boolean().describe("false if none was set, so that the first of models.use is the default"),
    why: z.string().nullable().describe("why it cannot be used now"),
    notes: z.array(z.string()).describe("what may be wrong with it: its price is unknown"),
    ...journalledShape,
  }),
  isOwnerOnly: ({ model }) => model !== undefined,
  run: async (ctx, input) => {
    const providers = readProvidersNow(ctx.config);
    const isReset = input.model === "first";
    const typed = isReset ? undefined : input.model;
    const chosen = typed === undefined ? undefined : requireModelRef(typed, providers);
    if (chosen !== undefined) await requireListedModel(chosen, providers, "default");
    const value = chosen && formatModelRef(chosen);
    const journalled =
      value !== undefined || isReset
        ? await changeSettings(ctx, "models default", [["models.default", value]])
        : { changes: [], unjournalled: null };
    const now = chosen ?? findDefaultModel(isReset ? { ...providers, defaultModel: null } : providers);
    const isChosen = chosen !== undefined || (!isReset && providers.defaultModel !== null);
    const notes = chosen === undefined ? [] : [...(await explainNoPrice(ctx, chosen))];
    const why = now && explainUnusable(now, providers);
    return { model: now && formatModelRef(now), isChosen, why, notes, ...journalled };
  },
  notes: (one) => [...one.notes, ...notesOfJournal(one)],
  render: ({ model, isChosen, why, changes }) =>
    model === null
      ? "There is no default model. oldhand models add PROVIDER/MODEL adds the first."
      : `The default model is ${model}${isChosen ? "" : ", the first of models.use"}.${why === null ? "" : ` It cannot be used now: it ${why}.`}${formatJournalled({ changes })}`,
});

export const modelDefaultOperations = [defaultModel] as const;
