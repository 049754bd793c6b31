import type { Route, RouteRequest, WeighedModel } from "./choose.ts";

/** Explains a route: one sentence per reason, the decision first. `instead` is the model that goes first for another reason than its score. */
export function explainRoute(route: Route, request: RouteRequest, instead: string | null = null): readonly string[] {
  const chosen = route.weighed.find((one) => one.model === route.model);
  if (instead !== null)
    return [...explainInstead(route, instead, request), ...route.weighed.map((one) => explainModel(one, request))];
  return [
    explainDecision(route, chosen, request),
    ...(chosen && request.session ? explainSession(chosen, request.session) : []),
    ...(chosen && chosen.rescue > 0
      ? [`A check follows, so another model can follow a failure: that adds ${digits(chosen.rescue)}.`]
      : []),
    explainExploration(route),
    ...route.weighed.map((one) => explainModel(one, request)),
  ];
}

/** What the scores say about a choice that they did not make. */
function explainInstead({ best, weighed }: Route, instead: string, request: RouteRequest): readonly string[] {
  const pool = weighed.filter((one) => one.inPool);
  const own = pool.find((one) => one.model === instead);
  if (best === null || pool.length < 2) return [];
  if (own !== undefined && best === instead)
    return [
      `Its score is the highest of the ${pool.length} models that are compared, too: ${digits(own.utility)}${explainTie(own, weighed, request)}.`,
    ];
  return [
    `By score alone it would be ${best}: ${digits(utilityOf(weighed, best))}, against ${digits(utilityOf(weighed, instead))} of ${instead}.`,
  ];
}

function explainDecision(
  { model, attempt, explored, best, weighed }: Route,
  chosen: WeighedModel | undefined,
  request: RouteRequest,
): string {
  const onlyBecause =
    request.onlyBecause ?? (weighed.length > 1 ? explainAlone(chosen, weighed) : "no other model can do this task now");
  if (!chosen) {
    return best === null
      ? "No model is left to try."
      : `No model is chosen: ${best} is the best of the others, and costs more than its expected benefit.`;
  }
  const after = attempt === "later" ? " after a failure" : "";
  if (explored)
    return `${model} is tried${after} to learn about it. By score, ${best} would be ${digits(utilityOf(weighed, best) - chosen.utility)} better now; what is learned may gain up to ${digits(chosen.worth)} later.`;
  const others = weighed.filter((one) => one.inPool).length - 1;
  return others === 0
    ? `${model} is chosen${after}: ${onlyBecause}.`
    : `${model} is chosen${after}: it has the highest score of the ${others + 1} models that are compared, ${digits(chosen.utility)}${explainTie(chosen, weighed, request)}.`;
}

function explainAlone(chosen: WeighedModel | undefined, weighed: readonly WeighedModel[]): string {
  return chosen !== undefined && weighed.every((one) => one.quality <= chosen.quality)
    ? "none of the others is expected to do better, or costs so much less that it makes up for it"
    : "the others cost too much for what they may do better";
}

/** Names the models of the same score, and why this one goes before them. */
function explainTie(
  chosen: WeighedModel,
  weighed: readonly WeighedModel[],
  { default: standard }: RouteRequest,
): string {
  const equal = weighed.filter((one) => one.inPool && one !== chosen && one.utility === chosen.utility);
  if (equal.length === 0) return "";
  const because =
    chosen.model === standard ? "the default goes first" : "the cheaper one, or the first by name, goes first";
  return `; ${equal.map(({ model }) => model).join(" and ")} ${equal.length === 1 ? "has" : "have"} the same, and ${because}`;
}

/** Empty if the session leaves its model and that costs nothing. */
function explainSession(chosen: WeighedModel, session: NonNullable<RouteRequest["session"]>): readonly string[] {
  const cost = money(session.switchCost);
  const isFree = cost === money(0);
  if (chosen.model === session.model)
    return [`The session stays with its model${isFree ? "" : `; leaving it would cost ${cost}`}.`];
  return isFree ? [] : [`The session leaves ${session.model}, although that costs ${cost}.`];
}

function explainExploration({ explored, exploreLeft }: Route): string {
  const left = Math.floor(exploreLeft);
  const calls = left === 1 ? "1 call" : `${left} calls`;
  if (explored) return `Before it, up to ${calls} of this kind of task could be made only to learn about a model.`;
  if (left === 0) return "No model may be tried now only to learn about it.";
  return `It is not chosen to learn about it; up to ${calls} of this kind of task may be made for that.`;
}

function explainModel(one: WeighedModel, { costWeight }: RouteRequest): string {
  const price = one.priceKnown ? explainCost(one) : " (price unknown, counted as the highest known)";
  const place = one.inPool ? "" : "; not compared: another one is worth more for its price";
  return `${one.model}: expected quality ${digits(one.quality)} (${digits(one.low)} to ${digits(one.high)}, ${explainEvidence(one)}), cost ${money(one.cost)}${price}, score ${digits(one.utility)} (quality − ${digits(costWeight)} × dollars − waiting)${place}.`;
}

/** Where a quality comes from: verdicts, or a guess. */
export function explainEvidence({ outcomes, judged }: { readonly outcomes: number; readonly judged: number }): string {
  if (outcomes === 0) return "no outcome yet";
  if (judged < 0.5) return "a guess: nobody judged its calls";
  const verdicts = Math.round(judged);
  return verdicts === 1 ? "from the latest verdict" : `from the latest ${verdicts} verdicts`;
}

/** Says why the expected cost is not the list price. */
function explainCost({ cost, price }: WeighedModel): string {
  const more = price > 0 ? Math.round((cost / price - 1) * 100) : 0;
  if (more === 0) return "";
  // Longer or shorter answers, or the prompt cache: not another price.
  return ` (${money(price)} by list price; its earlier calls cost ${Math.abs(more)} % ${more < 0 ? "less" : "more"} than expected)`;
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
