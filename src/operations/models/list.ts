import { z } from "zod";
import { endpointKinds, findDefaultModel } from "../../domain/model/endpoint.ts";
import { getBreakerState } from "../../domain/model/breaker.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import { explainRetired } from "../../domain/model/retired-model.ts";
import type { ModelFailure } from "../../domain/model/failure.ts";
import { findRemedies } from "../../models/gateway/find-remedies.ts";
import { listPassedOver, type PassedOver } from "../../models/gateway/list-passed-over.ts";
import { listRetiredHere } from "../../models/gateway/note-retired.ts";
import { explainUnusable, inspectProviders } from "../../models/providers/inspect-providers.ts";
import { openProvider } from "../../models/providers/open-provider.ts";
import { findEndpoint } from "../../models/providers/registry.ts";
import { explainOpen, RETIRED_BY_OWNER, UNPRICED } from "../../models/gateway/usable-models.ts";
import { choosePrice } from "../../models/prices/choose-price.ts";
import { openPricesOf } from "../../models/prices/open-prices-of.ts";
import { defineOperation } from "../../operation.ts";
import { listBreakers } from "../../store/models/breakers.ts";
import { noSuchProvider } from "../../models/providers/named-model.ts";
import { isSameModel } from "./shared.ts";
import { ModelCallError } from "../../models/chat/chat.ts";
import { OldhandError } from "../../lib/errors.ts";

const listed = z.object({
  models: z.array(
    z.object({
      model: z.string(),
      isDefault: z.boolean(),
      isUsable: z.boolean(),
      why: z.string().nullable().describe("why it cannot be used now"),
    }),
  ),
  providers: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(endpointKinds),
      url: z.string().nullable(),
      isLoopback: z.boolean().describe("it runs on this machine and is free"),
      isUsable: z.boolean(),
      why: z.string().nullable().describe("why it cannot be used now"),
      variables: z.array(z.string()).describe("environment variables that oldhand reads for it"),
      models: z.array(z.string()).nullable().describe("models that it offers; null if it was not asked"),
    }),
  ),
  instead: z
    .array(
      z.object({
        taskType: z.string(),
        complexity: z.string(),
        model: z.string(),
        why: z.string(),
        costsMoney: z.boolean().describe("it is paid, and the default is free"),
      }),
    )
    .describe("kinds of tasks that do not go to the default model first, although it can be used"),
});

const list = defineOperation({
  name: "models list",
  summary:
    "Lists your models and all providers: which ones can be used now, and which variables the others need. Finds servers on this machine, such as Ollama. With a provider's name, asks that provider for its models.",
  effect: "read",
  surfaces: ["cli", "http"],
  input: z.object({ provider: z.string().optional().describe("ask this provider for its models") }),
  positional: ["provider"],
  output: listed,
  run: async ({ config, db, clock, signal }, { provider }) => {
    const settings = config.providers;
    if (provider !== undefined && findEndpoint(provider, settings) === null) throw noSuchProvider(provider, settings);
    const open = (await listBreakers(db)).filter((one) => getBreakerState(one, clock.now()) === "open");
    const inspected = await inspectProviders(settings);
    const all = inspected.map((one) => {
      const breaker = one.isUsable ? open.find((other) => other.provider === one.name) : undefined;
      return breaker === undefined ? one : { ...one, isUsable: false, why: explainOpen(breaker, settings) };
    });
    const chosen = findDefaultModel(settings);
    const asked = provider === undefined ? null : await askModels(provider, settings, signal);
    const isNamed = chosen !== null && !settings.models.some((ref) => isSameModel(ref, chosen));
    const retired = new Map((await listRetiredHere(db, settings)).map((one) => [one.id, explainRetired(one)]));
    // Only the owner's file can say that a model is retired, and only one setting that a price must be known.
    const { prices: file, unknownPrice } = config.policy.models;
    const prices = file === "" && unknownPrice !== "refuse" ? null : await openPricesOf(config);
    const isUnpriced = (ref: ModelRef) =>
      prices !== null && choosePrice(prices, ref, clock.now(), unknownPrice) === null;
    const models = [...(isNamed ? [chosen] : []), ...settings.models].map((ref) => {
      const why =
        all.find((one) => one.name === ref.provider)?.why ??
        explainUnusable(ref, settings) ??
        retired.get(formatModelRef(ref)) ??
        (prices?.isRetiredByOwner(ref) === true ? RETIRED_BY_OWNER : isUnpriced(ref) ? UNPRICED : null);
      return { model: formatModelRef(ref), isDefault: isSameModel(ref, chosen), isUsable: why === null, why };
    });
    const shown = all
      .filter((one) => provider === undefined || one.name === provider)
      .map((one) => ({ ...one, variables: [...one.variables], models: asked ?? (one.models && [...one.models]) }));
    const instead =
      provider === undefined
        ? await listPassedOver({ db, config, prices: () => openPricesOf(config) }, clock.now())
        : [];
    return { models: provider === undefined ? models : [], providers: shown, instead: [...instead] };
  },
  render: ({ models, providers, instead }, input) => {
    const [only] = providers;
    if (input?.provider !== undefined) return (only?.models ?? []).map((one) => `${input.provider}/${one}`).join("\n");
    return [
      ...(models.length === 0
        ? ["No model has been added yet: oldhand models add PROVIDER/MODEL.", ""]
        : [
            ...models.map(
              (one) => `${one.isDefault ? "*" : " "} ${one.model}${one.why === null ? "" : ` (${one.why})`}`,
            ),
            ...(models.some((one) => one.isDefault) ? ["* the default model"] : []),
            ...instead.map(formatInstead),
            "",
          ]),
      ...providers.map(
        (one) => `${one.isUsable ? "usable  " : "        "} ${one.name.padEnd(12)} ${one.why ?? describeUsable(one)}`,
      ),
    ].join("\n");
  },
});

export const modelListOperations = [list] as const;

function formatInstead({
  taskType,
  complexity,
  model,
  why,
  costsMoney,
}: Omit<PassedOver, "complexity"> & { readonly complexity: string }): string {
  return `  ${model} goes first for ${complexity} ${taskType} tasks in place of the default${costsMoney ? ", and costs money" : ""}: ${why}.`;
}

async function askModels(
  name: string,
  settings: Parameters<typeof findEndpoint>[1],
  signal: AbortSignal,
): Promise<string[]> {
  const provider = await openProvider(name, settings);
  try {
    return [...((await provider.listModels?.(signal)) ?? [])];
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    throw new OldhandError("unreachable", error.failure.message, {
      hint: hintFor(name, error.failure, settings),
      cause: error,
    });
  }
}

/** As for a call, without the test of a model: which models there are is not known. */
function hintFor(name: string, failure: ModelFailure, settings: Parameters<typeof findEndpoint>[1]): string {
  const [remedy = ""] = findRemedies([{ model: { provider: name, model: "MODEL" }, failure }], settings);
  return `${remedy.replace(/,? then try: .*$/, "")}, then again: oldhand models list ${name}`;
}

function describeUsable({
  url,
  models,
}: {
  readonly url: string | null;
  readonly models: readonly string[] | null;
}): string {
  const offered =
    models === null
      ? ""
      : `: ${models.length === 0 ? "no models" : models.slice(0, 8).join(", ")}${models.length > 8 ? ", …" : ""}`;
  return `${url ?? ""}${offered}`;
}
