import { z } from "zod";
import { formatModelRef, type ModelRef, parseModelRef } from "../../domain/model/model-ref.ts";
import { OldhandError } from "../../lib/errors.ts";
import { findNearestName } from "../../lib/nearest.ts";
import type { ProviderSettings } from "../../domain/model/endpoint.ts";
import { findEndpoint, listEndpoints } from "../../models/providers/registry.ts";

/** Parses a model that a person typed. Throws if the form is wrong or the provider is unknown. */
export function requireModelRef(typed: string, settings: ProviderSettings): ModelRef {
  const ref = parseModelRef(typed);
  if (ref === null)
    throw new OldhandError("usage", `"${typed}" is not a model`, {
      hint: "write PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5; oldhand models list shows the providers",
    });
  requireProvider(ref.provider, settings);
  return ref;
}

/** Throws if there is no such provider. */
export function requireProvider(name: string, settings: ProviderSettings): void {
  if (findEndpoint(name, settings) === null) throw noSuchProvider(name, settings);
}

/** The same names wherever a kind of task is given. */
export const taskTypeInput = z
  .string()
  .regex(/^[\w.-]{1,64}$/, "may have at most 64 letters, digits, dots, dashes and underscores")
  .default("general");

export function noSuchProvider(name: string, settings: ProviderSettings): OldhandError {
  const names = listEndpoints(settings).map((one) => one.name);
  const near = findNearestName(name, names);
  return new OldhandError("usage", `there is no provider "${name}"`, {
    hint: `${near === null ? "" : `did you mean ${near}? `}known: ${names.join(", ")}; oldhand models add NAME --url URL adds an endpoint`,
  });
}

/** The default model: the owner's, otherwise the first of models.use. */
export function effectiveDefault({ defaultModel, models }: ProviderSettings): ModelRef | null {
  return defaultModel ?? models[0] ?? null;
}

export function isSameModel(a: ModelRef, b: ModelRef | null): boolean {
  return b !== null && formatModelRef(a) === formatModelRef(b);
}
