import type { Actor } from "../../domain/actor.ts";
import type { ProviderSettings } from "../../domain/model/endpoint.ts";
import type { ModelFailure } from "../../domain/model/failure.ts";
import { formatModelRef, type ModelRef, parseModelRef } from "../../domain/model/model-ref.ts";
import { namesModel, type RetiredModel } from "../../domain/model/retired-model.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { applyChange, makeProvenance } from "../../store/journal/journal.ts";
import { listRetiredModels, retiredModelNoun } from "../../store/nouns/retired-models.ts";
import { OldhandError } from "../../lib/errors.ts";
import { ModelCallError } from "../chat/chat.ts";
import { findEndpoint } from "../providers/registry.ts";
import type { OpenParts } from "./gateway-parts.ts";

const maintenance: Actor = { kind: "maintenance" };

/**
 * Adds one journal entry for a model in use that its provider does not know. The router skips the model from then on. Only if the
 * provider names the model, because otherwise the address may be wrong, and does not list it. True if the model is left out now
 * and was not before.
 */
export async function noteRetired(parts: OpenParts, ref: ModelRef, failure: ModelFailure): Promise<boolean> {
  const { db, clock, config } = parts;
  const id = formatModelRef(ref);
  const { models, defaultModel } = config.providers;
  const inUse = [...models, ...(defaultModel === null ? [] : [defaultModel])].map(formatModelRef);
  if (!inUse.includes(id) || !namesModel(failure.message, ref.model)) return false;
  const isLeftOut = (await listRetiredModels(db)).some((one) => one.id === id);
  if (isLeftOut || (await isListed(parts, ref))) return false;
  const by = makeProvenance({ actor: maintenance, clock }, "model call");
  const url = addressOf(id, config.providers);
  let isNew = false;
  await applyChange(db, { noun: retiredModelNoun, id }, by, (before) => {
    isNew = before === null;
    return before ?? { id, at: by.at, message: failure.message, ...(url === null ? {} : { url }) };
  });
  return isNew;
}

/** Whether the provider's own list has the model. False if it cannot be had at once. */
async function isListed({ provider }: OpenParts, ref: ModelRef): Promise<boolean> {
  try {
    const { listModels } = await provider(ref.provider);
    const listed = await listModels?.(AbortSignal.timeout(LOOK_MS));
    return listed?.some((one) => one === ref.model || one === `${ref.model}:latest`) === true;
  } catch (error) {
    if (error instanceof ModelCallError || error instanceof OldhandError) return false;
    throw error;
  }
}

/** It costs nothing, but the caller waits. */
const LOOK_MS = 1_000;

/** Those at the address that their provider has now. */
export async function listRetiredHere(db: Db, settings: ProviderSettings): Promise<readonly RetiredModel[]> {
  return (await listRetiredModels(db)).filter((one) => !hasMoved(one, settings));
}

/** Makes models usable again whose provider has another address since. */
export async function bringBackMoved({ db, clock, config }: OpenParts): Promise<void> {
  for (const one of await listRetiredModels(db))
    if (hasMoved(one, config.providers)) await bringBackModel({ db, clock, actor: maintenance }, one.id, "new address");
}

/** Makes a model usable again that its provider did not know. The change in the journal; null if it was not left out. */
export async function bringBackModel(
  ctx: { readonly db: Db; readonly clock: Clock; readonly actor: Actor },
  id: string,
  cause: string,
): Promise<number | null> {
  const made = await applyChange(ctx.db, { noun: retiredModelNoun, id }, makeProvenance(ctx, cause), () => null);
  return made?.id ?? null;
}

function hasMoved({ id, url }: RetiredModel, settings: ProviderSettings): boolean {
  return url !== undefined && url !== addressOf(id, settings);
}

function addressOf(id: string, settings: ProviderSettings): string | null {
  const ref = parseModelRef(id);
  return ref === null ? null : (findEndpoint(ref.provider, settings)?.url ?? null);
}
