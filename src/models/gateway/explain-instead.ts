import { findDefaultModel } from "../../domain/model/endpoint.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import { explainNowLeftOut } from "../../domain/model/retired-model.ts";
import type { PriceTable } from "../prices/prices.ts";
import { type GatewayConfig, listLeftOut, type ModelChoice } from "./choose-models.ts";
import type { FailedModel, GatewayRequest } from "./gateway.ts";

/**
 * Which model answers in place of another, why, and whether it costs money where the other is free. Null if no model failed, and
 * the named or the default one could be chosen. If the router passes over the default, that is said if it costs money, and in a
 * session when it begins to use another model.
 */
export function explainInstead(
  { config, prices }: { readonly config: GatewayConfig; readonly prices: PriceTable },
  of: {
    readonly model: ModelRef;
    readonly request: Pick<GatewayRequest, "model" | "session">;
    readonly failures: readonly FailedModel[];
    readonly choice: Pick<ModelChoice, "why" | "passedOver" | "isSessionModel">;
    readonly now: number;
  },
): { readonly text: string; readonly costsMoney: boolean } | null {
  const name = formatModelRef(of.model);
  const wanted = of.request.model ?? findDefaultModel(config.providers);
  // The last failure of each model; the sentence names the kinds of those before it.
  const failed = new Map(of.failures.map((one) => [formatModelRef(one.model), one]));
  failed.delete(name);
  const left =
    wanted === null || failed.has(formatModelRef(wanted))
      ? []
      : listLeftOut(of.choice.why).filter((line) => line.startsWith(`${formatModelRef(wanted)} `));
  const isFree = (ref: ModelRef) => isFreeModel(prices, ref, of.now);
  const { passedOver, isSessionModel = false } = of.choice;
  const isPaidForFree = wanted !== null && isFree(wanted) && !isFree(of.model);
  const isNewHere = of.request.session !== undefined && !isSessionModel;
  const isPassedOver =
    passedOver !== undefined &&
    wanted !== null &&
    !failed.has(formatModelRef(wanted)) &&
    formatModelRef(wanted) !== name &&
    (isPaidForFree || isNewHere);
  const reasons = [
    ...(isPassedOver
      ? [`${formatModelRef(wanted)} is the default model${isPaidForFree ? " and free" : ""}, but ${passedOver}`]
      : []),
    ...left.map((line) => line.replace(/\.$/, "")),
    ...[...failed.values()].map((last) =>
      describeFailed(
        last,
        of.failures.filter(({ model }) => formatModelRef(model) === formatModelRef(last.model)),
      ),
    ),
  ];
  if (reasons.length === 0) return null;
  const replaced = [
    ...[...failed.values()].map(({ model }) => model),
    ...((left.length > 0 || isPassedOver) && wanted ? [wanted] : []),
  ];
  const costsMoney = replaced.some(isFree) && !isFree(of.model);
  return {
    text: `${reasons.join("; ")}. ${name} answers instead${costsMoney ? ", and costs money" : ""}.`,
    costsMoney,
  };
}

/** A model on this machine, or one whose price is 0. A model of unknown price is not free. */
export function isFreeModel(prices: PriceTable, ref: ModelRef, now: number): boolean {
  const price = prices.find(ref, now);
  return price !== null && price.in === 0 && price.out === 0;
}

function describeFailed({ model, failure, isHeldBack, isLeftOut }: FailedModel, all: readonly FailedModel[]): string {
  const name = formatModelRef(model);
  const then = isLeftOut === true ? `; ${explainNowLeftOut(name)}` : "";
  return isHeldBack === true || failure.kind === "cap"
    ? `${name} is skipped: ${failure.message}`
    : `${name} failed${all.length > 1 ? ` ${all.length} times` : ""} (${listKinds(all)}): ${failure.message}${then}`;
}

/** `rate-limited, then overloaded` */
function listKinds(failures: readonly FailedModel[]): string {
  const kinds = failures.map(({ failure }) => failure.kind);
  return kinds.filter((kind, at) => kind !== kinds[at - 1]).join(", then ");
}
