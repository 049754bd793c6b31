import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { routePolicy } from "../src/domain/route/policy.ts";
import { makeRandom } from "../src/lib/random.ts";
import { benchRouter } from "./router.ts";
import { countTasks, findRouterFile, type ModelTrials, readTrials, splitTrials } from "./router-data.ts";
import { measureDegrading } from "./router-degrade.ts";
import { playEscalating, playInOrder } from "./router-escalation.ts";
import { findBestSingle, meanOfSecondHalf, playOracle, playTrials } from "./router-play.ts";
import { newCheapest, newRouter, newThompson, newUcb } from "./router-players.ts";

const folder = mkdtempSync(join(tmpdir(), "oldhand-router-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Models with a price and the share of tasks they solve. */
function makeTrials(
  models: readonly (readonly [price: number, quality: number])[],
  tasks: number,
  seed: number,
): ModelTrials {
  const random = makeRandom(seed);
  return {
    prices: models.map(([price]) => price),
    solved: models.map(([, quality]) => Array.from({ length: tasks }, () => (random() < quality ? 1 : 0))),
    cost: models.map(([price]) => Array.from({ length: tasks }, () => price * (0.5 + random()))),
  };
}

function writeTrials(name: string, { prices, solved, cost }: ModelTrials): string {
  const names = prices.map((_, at) => `maker/model-${at}`);
  const file = join(folder, name);
  const byName = (table: ModelTrials["solved"]) => Object.fromEntries(names.map((model, at) => [model, table[at]]));
  const text = JSON.stringify({
    models: names.map((model, at) => ({ name: model, avg_cost: prices[at] })),
    tasks: [],
    resolved: byName(solved),
    cost: byName(cost),
  });
  writeFileSync(file, name.endsWith(".gz") ? gzipSync(text) : text);
  return file;
}

const market = [
  [0.02, 0.3],
  [0.03, 0.55],
  [0.05, 0.2],
  [0.1, 0.6],
  [0.2, 0.5],
  [0.3, 0.75],
  [0.4, 0.35],
  [0.6, 0.8],
] as const;

describe("the file of trials", () => {
  it("is read plain or gzipped, without the names of the models", () => {
    const trials = makeTrials(market, 30, 1);
    expect(readTrials(writeTrials("plain.json", trials))).toEqual(trials);
    expect(readTrials(writeTrials("packed.json.gz", trials))).toEqual(trials);
    expect(JSON.stringify(readTrials(join(folder, "plain.json")))).not.toContain("maker");
  });

  it("is asked for with a hint where it is missing", () => {
    expect(() => findRouterFile(folder, undefined)).toThrow(/router_swebv_dev250/);
    expect(() => readTrials(join(folder, "none.json"))).toThrow(/there is no file/);
  });

  it("is split so that no model and no task is in both parts", () => {
    const trials = makeTrials(
      Array.from({ length: 9 }, (_, at) => [at + 1, 0.5] as const),
      21,
      2,
    );
    const { chosenOn, reportedOn } = splitTrials(trials, makeRandom(3));
    expect([chosenOn.prices.length, reportedOn.prices.length]).toEqual([4, 5]);
    expect([countTasks(chosenOn), countTasks(reportedOn)]).toEqual([10, 11]);
    expect([...chosenOn.prices, ...reportedOn.prices].toSorted((a, b) => a - b)).toEqual(trials.prices);
  });
});

describe("who plays", () => {
  it("always the cheapest and the oracle come to what can be worked out by hand", () => {
    const trials: ModelTrials = {
      prices: [0.1, 1],
      solved: [
        [1, 0, 1, 0],
        [1, 1, 1, 1],
      ],
      cost: [
        [0.1, 0.1, 0.1, 0.1],
        [1, 1, 1, 1],
      ],
    };
    expect(meanOfSecondHalf(playTrials(newCheapest(1), trials, 0.5, 1).utility)).toBeCloseTo(0.45);
    expect(playOracle(trials, 0.5)).toBeCloseTo((0.95 + 0.5) / 2);
    expect(findBestSingle(trials, 0.5)).toEqual({ model: 1, utility: 0.5 });
    expect(playInOrder(trials, 0.5, [0, 1])).toEqual([0.95, 1 - 0.55, 0.95, 1 - 0.55]);
  });

  it("the router comes nearer to the best single model than UCB and plain Thompson", () => {
    const shares = [newRouter(routePolicy), newUcb, newThompson].map((make) => {
      let sum = 0;
      for (let seed = 0; seed < 12; seed++) {
        const trials = makeTrials(market, 120, seed);
        for (const lambda of [0.1, 1])
          sum +=
            meanOfSecondHalf(playTrials(make, trials, lambda, seed).utility) / findBestSingle(trials, lambda).utility;
      }
      return sum / 24;
    });
    expect(shares[0]).toBeGreaterThan(0.85);
    expect(shares[0]).toBeGreaterThan(shares[1] ?? 1);
    expect(shares[0]).toBeGreaterThan(shares[2] ?? 1);
  });

  it("the router plays the same game twice in the same way", () => {
    const trials = makeTrials(market, 80, 5);
    expect(playTrials(newRouter(routePolicy), trials, 0.2, 1)).toEqual(
      playTrials(newRouter(routePolicy), trials, 0.2, 2),
    );
  });

  it("escalating comes to more than any model alone", () => {
    for (const lambda of [0.1, 0.2, 0.5, 1]) {
      const trials = makeTrials(market, 200, 9);
      const escalated = meanOfSecondHalf(playEscalating(trials, lambda, { policy: routePolicy, attempts: 3 }));
      expect(escalated).toBeGreaterThan(findBestSingle(trials, lambda).utility);
    }
  });

  it("a model that fails from now on is left", () => {
    const trials = makeTrials(market, 240, 4);
    const rows = measureDegrading(trials, [0.1, 1], { policy: routePolicy, which: "favourite", keeps: 0, orders: 3 });
    for (const { before, after } of rows) {
      expect(before).toBeGreaterThan(0.5);
      expect(after).toBeLessThan(0.2);
    }
  });
});

describe("bench router", () => {
  it("reports every policy at every λ, apart from what is in-sample", () => {
    const file = writeTrials("small.json", makeTrials(market, 40, 6));
    const report = benchRouter({ file, splits: 2, orders: 1, say: () => {} });
    expect(report.heldOut.map((row) => row.name)).toEqual([
      "router, parameters chosen on each split's own first part",
      "router, one set of parameters chosen on all first parts",
      "router as shipped",
      "router as shipped, prices wrong by up to twice",
      "UCB",
      "Thompson, plain",
      "always the cheapest",
      "the two cheapest in turn",
      "oracle, one model for each task",
    ]);
    for (const row of [...report.heldOut, ...report.whole, ...report.escalating.heldOut, ...report.escalating.whole])
      expect(row.byLambda.filter(Number.isFinite)).toHaveLength(4);
    expect(report.text).toContain("The whole file (in-sample):");
  });
});
