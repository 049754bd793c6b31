import type { ModelFailure } from "../../domain/model/failure.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import { applyChange, makeProvenance } from "../../store/journal/journal.ts";
import { retiredModelNoun } from "../../store/nouns/retired-models.ts";
import type { OpenParts } from "./gateway-parts.ts";

/** Adds one journal entry for a model in use that its provider does not know. The router skips the model from then on. */
export async function noteRetired(
  { db, clock, config }: OpenParts,
  ref: ModelRef,
  failure: ModelFailure,
): Promise<void> {
  const id = formatModelRef(ref);
  const { models, defaultModel } = config.providers;
  const inUse = [...models, ...(defaultModel === null ? [] : [defaultModel])].map(formatModelRef);
  if (!inUse.includes(id)) return;
  const by = makeProvenance({ actor: { kind: "maintenance" }, clock }, "model call");
  await applyChange(db, { noun: retiredModelNoun, id }, by, (before) => {
    return before ?? { id, at: by.at, message: failure.message };
  });
}
