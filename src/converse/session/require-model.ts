import type { Context } from "../../context.ts";
import { formatModelRef, type ModelRef, parseModelRef } from "../../domain/model/model-ref.ts";
import { OldhandError } from "../../lib/errors.ts";
import { explainUnusable, inspectProviders, suggestLocalModels } from "../../models/providers/inspect-providers.ts";

/** Throws an error for a person if no model can be called, with what is looked for. Nobody outside is asked. */
export async function requireUsableModel({ config }: Pick<Context, "config">, typed: string | null): Promise<void> {
  const { providers } = config;
  const refs = typed === null ? [providers.defaultModel, ...providers.models].filter((one) => one !== null) : [];
  const wanted = typed === null ? refs : [requireRef(typed)];
  const reasons = wanted.map((ref) => ({ ref, why: explainUnusable(ref, providers) }));
  if (reasons.some(({ why }) => why === null)) return;
  const [first] = reasons;
  if (first !== undefined)
    throw new OldhandError("config", `${formatModelRef(first.ref)} cannot be used: it ${first.why}`, {
      hint:
        (await suggestLocalModels(providers)) ??
        "keys are read from the environment only; oldhand models list shows what can be used",
    });
  const looked = await inspectProviders(providers);
  const usable = looked.find(({ isUsable, isLoopback }) => isUsable && !isLoopback);
  const variables = looked.filter(({ isLoopback }) => !isLoopback).flatMap((one) => one.variables.slice(0, 1));
  const hint =
    usable === undefined
      ? ((await suggestLocalModels(providers)) ??
        `set one of ${variables.join(", ")}, then oldhand models add PROVIDER/MODEL`)
      : `oldhand models add ${usable.name}/MODEL`;
  throw new OldhandError("config", "there is no model to talk to", { hint });
}

/** A model as it is typed. */
export function requireRef(typed: string): ModelRef {
  const ref = parseModelRef(typed);
  if (ref !== null) return ref;
  throw new OldhandError("usage", `"${typed}" is not a model`, {
    hint: "write PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5",
  });
}
