import { findDefaultModel } from "../../domain/model/endpoint.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import type { PriceTable } from "../prices/prices.ts";
import { type GatewayConfig, listLeftOut } from "./choose-models.ts";
import type { FailedModel, GatewayRequest } from "./gateway.ts";

/**
 * Which model answers in place of another, why, and whether it costs money where the other is free. Null if no model failed, and
 * the named or the default one could be chosen.
 */
export function explainInstead(
  { config, prices }: { readonly config: GatewayConfig; readonly prices: PriceTable },
  of: {
    readonly model: ModelRef;
    readonly request: Pick<GatewayRequest, "model">;
    readonly failures: readonly FailedModel[];
    readonly why: readonly string[];
    readonly now: number;
  },
): string | null {
  const name = formatModelRef(of.model);
  const wanted = of.request.model ?? findDefaultModel(config.providers);
  // The last failure of each model.
  const failed = new Map(of.failures.map((one) => [formatModelRef(one.model), one]));
  failed.delete(name);
  const left =
    wanted === null || failed.has(formatModelRef(wanted))
      ? []
      : listLeftOut(of.why).filter((line) => line.startsWith(`${formatModelRef(wanted)} `));
  const reasons = [...left.map((line) => line.replace(/\.$/, "")), ...[...failed.values()].map(describeFailed)];
  if (reasons.length === 0) return null;
  const replaced = [...[...failed.values()].map(({ model }) => model), ...(left.length > 0 && wanted ? [wanted] : [])];
  const isFree = (ref: ModelRef) => {
    const price = prices.find(ref, of.now);
    return price !== null && price.in === 0 && price.out === 0;
  };
  const cost = replaced.some(isFree) && !isFree(of.model) ? ", and costs money" : "";
  return `${reasons.join("; ")}. ${name} answers instead${cost}.`;
}

function describeFailed({ model, failure, isHeldBack }: FailedModel): string {
  const name = formatModelRef(model);
  return isHeldBack === true || failure.kind === "cap"
    ? `${name} is skipped: ${failure.message}`
    : `${name} failed (${failure.kind}): ${failure.message}`;
}
