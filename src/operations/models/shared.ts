import { z } from "zod";
import { type Config, loadConfig } from "../../config.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import { OldhandError } from "../../lib/errors.ts";
import type { ProviderSettings } from "../../domain/model/endpoint.ts";
import { requireListedModel, requireModelRef } from "../../models/providers/named-model.ts";

/** The same words wherever a caller may pin a model. */
export const pinInput = {
  model: z.string().min(1).max(300).optional().describe("use this model, as PROVIDER/MODEL, and do not route"),
  fallback: z.boolean().default(false).describe("with a model: other models may follow if it fails"),
};

/** Undefined if the caller pins no model. Throws if the model is not known. */
export async function readPin(
  { model, fallback }: { readonly model?: string | undefined; readonly fallback: boolean },
  settings: ProviderSettings,
): Promise<ModelRef | undefined> {
  if (model !== undefined) {
    const ref = requireModelRef(model, settings);
    await requireListedModel(ref, settings);
    return ref;
  }
  if (fallback)
    throw new OldhandError("usage", "fallback needs a model", {
      hint: "without one, other models follow a failure in any case",
    });
  return undefined;
}

/** The providers as the file has them now: another command may have changed it. The variables are those of this process. */
export function readProvidersNow({ home, providers }: Pick<Config, "home" | "providers">): ProviderSettings {
  return { ...loadConfig({ home, env: {} }).providers, env: providers.env };
}

/** The same names wherever a kind of task is given. */
export const taskTypeInput = z
  .string()
  .regex(/^[\w.-]{1,64}$/, "may have at most 64 letters, digits, dots, dashes and underscores")
  .default("general");

export function isSameModel(a: ModelRef, b: ModelRef | null): boolean {
  return b !== null && formatModelRef(a) === formatModelRef(b);
}
