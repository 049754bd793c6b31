import { routePolicy } from "../src/domain/route/policy.ts";
import { makeRandom, type Random } from "../src/lib/random.ts";
import { type ModelTrials, readTrials, reorderTrials, splitTrials } from "./router-data.ts";
import { measureDegrading } from "./router-degrade.ts";
import { playEscalating, playInOrder, sortByPrice } from "./router-escalation.ts";
import { findBestSingle, meanOfFirstHalf, meanOfSecondHalf, playOracle, playTrials } from "./router-play.ts";
import { type MakeRoutePlayer, newCheapest, newRouter, newThompson, newUcb } from "./router-players.ts";
import { printRouterReport, type RouterReport, type RouterRow, type TunedPolicy } from "./router-report.ts";

/** λ: the quality that a dollar is worth. */
const lambdas = [0.1, 0.2, 0.5, 1] as const;

/** Parameter sets drawn from wide ranges, to be compared on one half. */
const drawn: readonly TunedPolicy[] = drawPolicies(32, makeRandom(2_026));

const TUNING_ORDERS = 5;
const ATTEMPTS = 3;

export function benchRouter({
  file,
  splits,
  orders,
  say,
}: {
  readonly file: string;
  readonly splits: number;
  /** How many task orders are played in each split. */
  readonly orders: number;
  readonly say: (line: string) => void;
}): RouterReport {
  const trials = readTrials(file);
  const parts = Array.from({ length: splits }, (_, at) => splitTrials(trials, makeRandom(at + 1)));
  const scores = parts.map(({ chosenOn }, at) => {
    say(`split ${at + 1} of ${splits}: choosing parameters on one half`);
    return scoreDrawn(reorderings(chosenOn, TUNING_ORDERS, 1_000 * (at + 1)));
  });
  const chosen = drawn[
    indexOfHighest(drawn.map((_, at) => mean(scores.map((score) => score[at] ?? 0))))
  ] as TunedPolicy;
  const games = parts.map(({ reportedOn }, at) => reorderings(reportedOn, orders, 2_000 * (at + 1)));
  const ownChoice = scores.map((score) => drawn[indexOfHighest(score)] as TunedPolicy);
  say("playing the other halves");
  const flat = games.flat();
  const all = reorderings(trials, 10, 77);
  const heldOut = [
    averageRows(
      "router, parameters chosen on each split's own first part",
      games.map((one, at) => measureShares("", newRouter({ ...routePolicy, ...ownChoice[at] }), one)),
    ),
    measureShares(
      "router, one set of parameters chosen on all first parts",
      newRouter({ ...routePolicy, ...chosen }),
      flat,
    ),
    measureShares("router as shipped", newRouter(routePolicy), flat),
    measureShares("router as shipped, prices wrong by up to twice", newRouter(routePolicy), flat.map(blurPrices)),
    ...baselines(flat),
  ];
  say("playing the whole file");
  const whole = [measureShares("router as shipped", newRouter(routePolicy), all), ...baselines(all)];
  say("escalating, and a model that gets worse");
  const report = {
    lambdas,
    splits,
    orders,
    heldOut,
    chosen,
    whole,
    escalating: {
      heldOut: measureEscalating(games.map(([first]) => first as ModelTrials)),
      whole: measureEscalating(all),
    },
    degrading: measureAllDegrading(trials),
  };
  return { ...report, text: printRouterReport(report) };
}

function scoreDrawn(games: readonly ModelTrials[]): readonly number[] {
  return drawn.map((tuned) => mean(measureShares("", newRouter({ ...routePolicy, ...tuned }), games).byLambda));
}

function drawPolicies(count: number, random: Random): readonly TunedPolicy[] {
  const among = (...values: readonly number[]) => values[Math.floor(random() * values.length)] ?? 0;
  return Array.from({ length: count }, () => ({
    priorQuality: among(0.4, 0.5, 0.6, 0.7),
    priorSlope: among(0, 0.02, 0.05),
    priorWeight: among(4, 8, 16),
    poolSize: among(3, 4, 6, 8, 12),
    priceGate: among(0.05, 0.1, 0.2),
    lead: among(0, 0.05, 0.1),
    foresight: among(20, 60, 200),
  }));
}

function baselines(games: readonly ModelTrials[]): readonly RouterRow[] {
  return [
    measureShares("UCB", newUcb, games),
    measureShares("Thompson, plain", newThompson, games),
    measureShares("always the cheapest", newCheapest(1), games),
    measureShares("the two cheapest in turn", newCheapest(2), games),
    {
      name: "oracle, one model for each task",
      byLambda: lambdas.map((lambda) =>
        mean(games.map((game) => playOracle(game, lambda) / findBestSingle(game, lambda).utility)),
      ),
    },
  ];
}

/** Mean over games: utility of the second half divided by that of the best single model. */
function measureShares(name: string, make: MakeRoutePlayer, games: readonly ModelTrials[]): RouterRow {
  const played = lambdas.map((lambda) =>
    games.map((game, at) => {
      const { utility } = playTrials(make, game, lambda, at);
      const best = findBestSingle(game, lambda).utility;
      return { first: meanOfFirstHalf(utility) / best, second: meanOfSecondHalf(utility) / best };
    }),
  );
  return {
    name,
    byLambda: played.map((one) => mean(one.map(({ second }) => second))),
    firstHalf: mean(played.flat().map(({ first }) => first)),
  };
}

function measureEscalating(games: readonly ModelTrials[]): readonly RouterRow[] {
  const row = (name: string, utilityOf: (game: ModelTrials, lambda: number) => number): RouterRow => ({
    name,
    byLambda: lambdas.map((lambda) => mean(games.map((game) => utilityOf(game, lambda)))),
  });
  return [
    row(`router, escalating, at most ${ATTEMPTS} attempts`, (game, lambda) =>
      meanOfSecondHalf(playEscalating(game, lambda, { policy: routePolicy, attempts: ATTEMPTS })),
    ),
    row("best single model in hindsight", (game, lambda) => findBestSingle(game, lambda).utility),
    row("the cheapest, then the second cheapest", (game, lambda) =>
      meanOfSecondHalf(playInOrder(game, lambda, sortByPrice(game).slice(0, 2))),
    ),
  ];
}

function measureAllDegrading(trials: ModelTrials): RouterReport["degrading"] {
  const cases = [
    { name: "the best single model, to no success", which: "best", keeps: 0 },
    { name: "the best single model, to half its successes", which: "best", keeps: 0.5 },
    { name: "the router's favourite, to no success", which: "favourite", keeps: 0 },
    { name: "the router's favourite, to half its successes", which: "favourite", keeps: 0.5 },
  ] as const;
  return cases.map(({ name, which, keeps }) => ({
    name,
    rows: measureDegrading(trials, lambdas, { policy: routePolicy, which, keeps, orders: 10 }),
  }));
}

/** Changes prices randomly by a factor of 0.5 to 2, because the listed price is the mean of the measured costs. */
function blurPrices(trials: ModelTrials, seed: number): ModelTrials {
  const random = makeRandom(seed + 1);
  return { ...trials, prices: trials.prices.map((price) => price * 2 ** (2 * random() - 1)) };
}

function reorderings(trials: ModelTrials, orders: number, seed: number): readonly ModelTrials[] {
  return Array.from({ length: orders }, (_, at) => reorderTrials(trials, makeRandom(seed + at)));
}

function averageRows(name: string, rows: readonly RouterRow[]): RouterRow {
  return {
    name,
    byLambda: lambdas.map((_, at) => mean(rows.map((row) => row.byLambda[at] ?? 0))),
    firstHalf: mean(rows.map((row) => row.firstHalf ?? 0)),
  };
}

function indexOfHighest(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
