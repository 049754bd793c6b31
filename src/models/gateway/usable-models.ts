import type { ProviderSettings } from "../../domain/model/endpoint.ts";
import { type Breaker, getBreakerState, openUntil } from "../../domain/model/breaker.ts";
import { formatModelRef, type ModelRef, parseModelRef } from "../../domain/model/model-ref.ts";
import { explainRetired, type RetiredModel } from "../../domain/model/retired-model.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { plural } from "../../lib/text.ts";
import { adviseKey, explainAddress, findEndpoint, missingVariables } from "../providers/registry.ts";

/** The models that a call may use now, and the reasons why it may not use the others. */
export interface UsableModels {
  readonly usable: readonly ModelRef[];
  /** Models whose provider's breaker is open. */
  readonly waiting: readonly ModelRef[];
  readonly left: readonly string[];
}

/** In the owner's order. */
export function findUsableModels(
  settings: ProviderSettings,
  of: {
    readonly breakers: readonly Breaker[];
    readonly retired: readonly RetiredModel[];
    readonly chain: readonly ModelRef[];
    /** True if the model's price is known, or if models.unknownPrice allows an unknown one. */
    readonly isPriced: (ref: ModelRef) => boolean;
    readonly isRetiredByOwner: (ref: ModelRef) => boolean;
    /** Providers that could not be reached and were looked at just now: whether they are back. */
    readonly looked?: ReadonlyMap<string, boolean> | undefined;
    readonly now: number;
  },
): UsableModels {
  const known = listKnownModels(settings, of.chain);
  const usable: ModelRef[] = [];
  const waiting: ModelRef[] = [];
  const left: string[] = [];
  for (const ref of known) {
    const never = of.isRetiredByOwner(ref)
      ? RETIRED_BY_OWNER
      : of.isPriced(ref)
        ? whyUnusable(ref, settings)
        : UNPRICED;
    const retired = of.retired.find(({ id }) => id === formatModelRef(ref));
    if (never === null && retired !== undefined) {
      left.push(`${retired.id} is ${explainRetired(retired)}.`);
      continue;
    }
    const breaker = of.breakers.find(({ provider }) => provider === ref.provider);
    const isBack = of.looked?.get(ref.provider);
    const isOpen = breaker !== undefined && isBack !== true && getBreakerState(breaker, of.now) === "open";
    if (never === null && !isOpen) usable.push(ref);
    if (never === null && isOpen) waiting.push(ref);
    const explain = isBack === false ? explainStillDown : (one: Breaker) => explainOpen(one, settings, ref);
    const why = never ?? (isOpen ? explain(breaker) : null);
    if (why !== null) left.push(`${formatModelRef(ref)} is left out: ${why}.`);
  }
  return { usable, waiting, left };
}

/** All models that the settings name, in the owner's order. */
export function listKnownModels(settings: ProviderSettings, chain: readonly ModelRef[]): readonly ModelRef[] {
  const { models, defaultModel } = settings;
  return dropRepeats([...models, ...(defaultModel === null ? [] : [defaultModel]), ...chain]);
}

export const UNPRICED = "its price is unknown (models.unknownPrice)";
export const RETIRED_BY_OWNER = "your price file says that it is retired (models.prices)";

function whyUnusable(ref: ModelRef, settings: ProviderSettings): string | null {
  const endpoint = findEndpoint(ref.provider, settings);
  if (endpoint === null) return `there is no provider ${ref.provider}`;
  const [missing] = missingVariables(endpoint, settings.env);
  if (missing !== undefined) return `${missing.join(" or ")} is not set`;
  const wrongAddress = explainAddress(endpoint);
  return wrongAddress === null ? null : `${ref.provider} ${wrongAddress}`;
}

/** Why a provider is not called now, until when, and what the owner can do. Ends without a full stop. */
export function explainOpen(breaker: Breaker, settings: ProviderSettings, model?: ModelRef): string {
  return `${explainHeldBack(breaker)}; ${adviseAbout(breaker, settings, model)}`;
}

/** The same, also if it is tried again with the next call: until one succeeds, what was wrong may still be wrong. */
export function explainNotClosed(breaker: Breaker, settings: ProviderSettings, now: number): string {
  if (getBreakerState(breaker, now) === "open") return explainOpen(breaker, settings);
  const why = explainFailing(breaker);
  const failing = breaker.until === null || why.includes(" the last time ") ? why : `${why} the last time`;
  return `${failing}, and the next call tries it again; ${adviseAbout(breaker, settings)}`;
}

function adviseAbout({ provider, why }: Breaker, settings: ProviderSettings, model?: ModelRef): string {
  const endpoint = findEndpoint(provider, settings);
  const check =
    why === "auth" && endpoint !== null && endpoint.keyEnv.length > 0 ? `${adviseKey(endpoint, settings.env)}; ` : "";
  const own = [settings.defaultModel, ...settings.models].find((ref) => ref?.provider === provider);
  const ref = model ?? own ?? { provider, model: "MODEL" };
  return `${check}to try it now: oldhand models test ${formatModelRef(ref)}`;
}

/** Why a provider is not called now, and until when. */
export function explainHeldBack(breaker: Breaker): string {
  const until = openUntil(breaker);
  return `${explainFailing(breaker)}, so it is not called until ${until === null ? "a call succeeds" : `${iso(until).slice(11, 19)} UTC`}`;
}

/** Why a provider is not called now, if somebody has just looked. */
export function explainStillDown(breaker: Breaker): string {
  return `${explainFailing(breaker)}, and still does not answer`;
}

/** How a provider failed, without what follows from it. */
export function explainFailing({ provider, failures, why }: Breaker): string {
  if (why === "auth") return `${provider} refused the key`;
  if (why === "quota") return `${provider} says that the credit or the plan's limit is used up`;
  const often = failures === 1 ? "the last time" : `${plural(failures, "time")} in a row`;
  return `${provider} failed ${often} (${why ?? "unknown"})`;
}

/** Parses the setting models.chain: `a/b,c/d`. */
export function parseChain(text: string): readonly ModelRef[] {
  return text.split(",").flatMap((one) => parseModelRef(one.trim()) ?? []);
}

export function noModelError(left: readonly string[]): OldhandError {
  return new OldhandError("config", `no model can be used${left.length === 0 ? "" : `. ${left.join(" ")}`}`, {
    hint: "oldhand models add PROVIDER/MODEL adds one; oldhand models list shows what is found",
  });
}

function dropRepeats(refs: readonly ModelRef[]): readonly ModelRef[] {
  return [...new Map(refs.map((ref) => [formatModelRef(ref), ref])).values()];
}
