import type { Context } from "../../context.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { OldhandError } from "../../lib/errors.ts";
import { explainUnusable, inspectProviders, suggestLocalModels } from "../../models/providers/inspect-providers.ts";
import { requireListedModel, requireModelRef } from "../../models/providers/named-model.ts";

/**
 * Throws an error for a person if no model can be called, with what is looked for; if a model is named, if that one cannot.
 * Nobody outside is asked.
 */
export async function requireUsableModel({ config }: Pick<Context, "config">, typed: string | null): Promise<void> {
  const { providers } = config;
  const refs = [providers.defaultModel, ...providers.models].filter((one) => one !== null);
  const wanted = typed === null ? refs : [requireModelRef(typed, providers)];
  const reasons = wanted.map((ref) => ({ ref, why: explainUnusable(ref, providers) }));
  const [first] = reasons;
  if (typed !== null && first?.why === null) return requireListedModel(first.ref, providers);
  if (reasons.some(({ why }) => why === null)) return;
  if (first !== undefined)
    throw new OldhandError("config", `${formatModelRef(first.ref)} cannot be used: it ${first.why}`, {
      hint: [
        (await suggestLocalModels(providers)) ??
          "keys are read from the environment only; oldhand models list shows what can be used",
        ...(typed === null ? [] : ["--model auto lets the router choose"]),
      ].join("; "),
    });
  const looked = await inspectProviders(providers);
  const usable = looked.find(({ isUsable, isLoopback }) => isUsable && !isLoopback);
  const variables = looked.filter(({ isLoopback }) => !isLoopback).flatMap((one) => one.variables.slice(0, 1));
  const hint =
    usable === undefined
      ? ((await suggestLocalModels(providers)) ??
        `set one of ${variables.join(", ")}, then oldhand models add PROVIDER/MODEL; ` +
          "or use a model on this machine: start Ollama, then oldhand models add ollama/MODEL; " +
          "or any other server: oldhand models add NAME --url URL")
      : `oldhand models add ${usable.name}/MODEL`;
  throw new OldhandError("config", "there is no model to talk to", { hint });
}
