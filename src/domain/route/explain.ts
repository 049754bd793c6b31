import type { Route, RouteRequest, WeighedModel } from "./choose.ts";

/** Explains a route: one sentence per reason, the decision first. */
export function explainRoute(route: Route, request: RouteRequest): readonly string[] {
  const chosen = route.weighed.find((one) => one.model === route.model);
  return [
    explainDecision(route, chosen),
    ...(chosen && request.session ? [explainSession(chosen, request.session)] : []),
    ...(chosen && chosen.rescue > 0
      ? [`A check follows, so another model can follow a failure: that adds ${digits(chosen.rescue)}.`]
      : []),
    explainExploration(route),
    ...route.weighed.map((one) => explainModel(one, request)),
  ];
}

function explainDecision({ model, attempt, explored, best, weighed }: Route, chosen: WeighedModel | undefined): string {
  if (!chosen) {
    return best === null
      ? "No model is left to try."
      : `No model is chosen: ${best} is the best of the others, and costs more than its expected benefit.`;
  }
  const after = attempt === "later" ? " after a failure" : "";
  if (explored)
    return `${model} is tried${after} to learn about it: that is worth ${digits(chosen.worth)}, and ${best} is expected to be better by ${digits(utilityOf(weighed, best) - chosen.utility)}.`;
  const others = weighed.filter((one) => one.inPool).length - 1;
  return others === 0
    ? `${model} is chosen${after}: no other model is in the pool.`
    : `${model} is chosen${after}: it has the highest expected utility of ${others + 1} models in the pool, ${digits(chosen.utility)}.`;
}

function explainSession(chosen: WeighedModel, session: NonNullable<RouteRequest["session"]>): string {
  return chosen.model === session.model
    ? `The session stays with its model; leaving it would cost ${money(session.switchCost)}.`
    : `The session leaves ${session.model}, although that costs ${money(session.switchCost)}.`;
}

function explainExploration({ explored, exploreLeft }: Route): string {
  const left = Math.floor(exploreLeft);
  const choices = left === 1 ? "1 choice" : `${left} choices`;
  return explored
    ? `This choice explores; before it, ${choices} could explore.`
    : `This choice does not explore; ${choices} may still explore.`;
}

function explainModel(one: WeighedModel, { costWeight }: RouteRequest): string {
  const evidence = one.outcomes === 0 ? "no outcome yet" : `${digits(one.outcomes, 1)} outcomes`;
  const price = one.priceKnown ? "" : " (price unknown, counted as the highest known)";
  const place = one.inPool ? "" : "; not in the pool";
  return `${one.model}: quality ${digits(one.quality)} (${digits(one.low)} to ${digits(one.high)}, ${evidence}), cost ${money(one.cost)}${price}, utility ${digits(one.utility)} at a cost weight of ${digits(costWeight)}${place}.`;
}

function utilityOf(weighed: readonly WeighedModel[], model: string | null): number {
  return weighed.find((one) => one.model === model)?.utility ?? 0;
}

function digits(value: number, places = 3): string {
  return String(Number(value.toFixed(places)));
}

function money(value: number): string {
  return `$${digits(value, 4)}`;
}
