import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseRoute, type RouteRequest } from "./choose.ts";
import { explainRoute } from "./explain.ts";
import { routePolicy } from "./policy.ts";
import type { RouteCandidate } from "./prices.ts";
import { type Complexity, newTally, type Tally } from "./tally.ts";

const kind = { taskType: "code", complexity: "complex" } as const;

function seen(model: string, outcomes: number, quality: number, over: Partial<Tally> = {}): Tally {
  const fresh = newTally({ ...kind, model, attempt: "first" }, 0);
  return { ...fresh, tries: outcomes, outcomes, quality: outcomes * quality, judged: outcomes, ...over };
}

/** Exploration is off: only the expected utility decides. */
const settled = { ...routePolicy, exploreFirst: 0, exploreShare: 0 };

function request(candidates: readonly RouteCandidate[], over: Partial<RouteRequest> = {}): RouteRequest {
  return { ...kind, candidates, tallies: [], now: 0, costWeight: 0.5, ...over };
}

describe("a route", () => {
  it("goes to the default model among models of the same score, and says so", () => {
    const both = [
      { model: "a", price: 0 },
      { model: "b", price: 0 },
    ];
    for (const standard of ["a", "b"]) {
      const asked = request(both, { default: standard });
      const route = chooseRoute(asked, settled);
      expect(route.model).toBe(standard);
      const other = standard === "a" ? "b" : "a";
      const [why] = explainRoute(route, asked);
      expect(why).toMatch(
        new RegExp(`^${standard} is chosen: .*; ${other} has the same, and the default goes first\\.$`),
      );
    }
  });

  it("goes to the model whose outcomes are better, at the same price", () => {
    const tallies = [seen("a", 30, 0.4), seen("b", 30, 0.8)];
    const both = [
      { model: "a", price: 0.1 },
      { model: "b", price: 0.1 },
    ];
    expect(chooseRoute(request(both, { tallies }), settled).model).toBe("b");
  });

  it("goes to the dear model only where its quality is worth its cost", () => {
    const tallies = [seen("cheap", 40, 0.6), seen("dear", 40, 0.8)];
    const both = [
      { model: "cheap", price: 0.01 },
      { model: "dear", price: 0.2 },
    ];
    expect(chooseRoute(request(both, { tallies, costWeight: 0.3 }), settled).model).toBe("dear");
    expect(chooseRoute(request(both, { tallies, costWeight: 3 }), settled).model).toBe("cheap");
  });

  it("does not go to a free model because it is free", () => {
    const tallies = [seen("local", 30, 0.2), seen("paid", 30, 0.8)];
    const both = [
      { model: "local", price: 0 },
      { model: "paid", price: 0.1 },
    ];
    expect(chooseRoute(request(both, { tallies }), settled).model).toBe("paid");
  });

  it("works where all models are free, and goes by their outcomes alone", () => {
    const tallies = [seen("a", 20, 0.3), seen("b", 20, 0.9)];
    const both = ["a", "b"].map((model) => ({ model, price: 0 }));
    const route = chooseRoute(request(both, { tallies, costWeight: 5 }), settled);
    expect(route.model).toBe("b");
    expect(route.weighed.every((one) => Number.isFinite(one.utility))).toBe(true);
  });

  it("counts an unknown price as the most expensive known", () => {
    const route = chooseRoute(
      request([
        { model: "unknown", price: null },
        { model: "cheap", price: 0.01 },
        { model: "dear", price: 0.3 },
      ]),
      routePolicy,
    );
    expect(route.weighed.find((one) => one.model === "unknown")).toMatchObject({ price: 0.3, priceKnown: false });
  });

  it("works with the smallest and the largest prices that there are", () => {
    const odd = [0, Number.MIN_VALUE, 1, Number.MAX_VALUE / 1e10].map((price, at) => ({ model: `m${at}`, price }));
    for (const candidates of [odd, odd.slice(0, 2), odd.slice(1)]) {
      const tallies = candidates.map(({ model }) => seen(model, 5, 0.5));
      const { weighed } = chooseRoute(request(candidates, { tallies }), routePolicy);
      expect(weighed.every((one) => Number.isFinite(one.quality) && Number.isFinite(one.utility))).toBe(true);
    }
  });

  it("stays with the session's model until another is better by more than the lost cache costs", () => {
    const tallies = [seen("a", 50, 0.6), seen("b", 50, 0.7)];
    const both = ["a", "b"].map((model) => ({ model, price: 0.1 }));
    const inSession = (switchCost: number) =>
      chooseRoute(request(both, { tallies, session: { model: "a", switchCost } }), settled).model;
    expect(inSession(0)).toBe("b");
    expect(inSession(0.5)).toBe("a");
  });

  it("weighs the session's model even if it is not in the pool", () => {
    const many = Array.from({ length: 10 }, (_, at) => ({ model: `m${at}`, price: 0.01 * (at + 1) }));
    const route = chooseRoute(request(many, { session: { model: "m0", switchCost: 9 } }), settled);
    expect(route.model).toBe("m0");
  });

  it("counts slow answers where time has a weight", () => {
    const tallies = [
      seen("slow", 30, 0.8, { calls: 30, latencyMs: 30 * 20_000 }),
      seen("quick", 30, 0.75, { calls: 30, latencyMs: 30 * 1_000 }),
    ];
    const both = ["slow", "quick"].map((model) => ({ model, price: 0 }));
    expect(chooseRoute(request(both, { tallies }), settled).model).toBe("slow");
    expect(chooseRoute(request(both, { tallies, secondWeight: 0.01 }), settled).model).toBe("quick");
  });

  it("judges a model by other kinds of tasks until it has outcomes at this one", () => {
    const elsewhere = { taskType: "triage", complexity: "simple" as Complexity };
    const tallies = [seen("a", 40, 0.3, elsewhere), seen("b", 40, 0.9, elsewhere)];
    const both = ["a", "b"].map((model) => ({ model, price: 0.1 }));
    const { weighed } = chooseRoute(request(both, { tallies }), settled);
    expect(weighed[0]?.model).toBe("b");
    expect(weighed[0]?.outcomes).toBe(0);
    expect((weighed[0]?.quality ?? 0) - (weighed[1]?.quality ?? 0)).toBeLessThan(0.6);
  });

  it("learns among few: the most expensive models that can be afforded", () => {
    const many = Array.from({ length: 12 }, (_, at) => ({ model: `m${at}`, price: 0.02 * (at + 1) }));
    const { weighed } = chooseRoute(request(many, { costWeight: 1 }), routePolicy);
    const pool = weighed.filter((one) => one.inPool);
    expect(pool).toHaveLength(routePolicy.poolSize);
    expect(pool.every((one) => one.price <= 0.02 + routePolicy.priceGate)).toBe(true);
  });

  it("lets a model into the pool when all in it disappoint", () => {
    const many = Array.from({ length: 9 }, (_, at) => ({ model: `m${at}`, price: 0.01 * (at + 1) }));
    const tallies = many.slice(3).map(({ model }) => seen(model, 40, 0.05));
    const route = chooseRoute(request(many, { tallies }), settled);
    expect(["m0", "m1", "m2"]).toContain(route.model);
  });
});

describe("a model outside the pool", () => {
  const both = [
    { model: "cheap", price: 0.02 },
    { model: "dear", price: 0.3 },
  ];

  it("is left out while only its price speaks for it, and is weighed by its outcomes once it has some", () => {
    const cheap = seen("cheap", 40, 0.5);
    const inPool = (tallies: readonly Tally[]) =>
      chooseRoute(request(both, { tallies }), settled).weighed.find((one) => one.model === "dear")?.inPool;
    expect(inPool([cheap])).toBe(false);
    expect(inPool([cheap, seen("dear", 50, 0.68)])).toBe(true);
  });
});

describe("exploring", () => {
  const both = ["known", "new"].map((model) => ({ model, price: 0.1 }));
  const known = seen("known", 20, 0.6);

  it("tries a model about which little is known", () => {
    const route = chooseRoute(request(both, { tallies: [known, seen("new", 2, 0.5)] }), routePolicy);
    expect(route).toMatchObject({ model: "new", explored: true, best: "known" });
  });

  it("ends with its budget", () => {
    const spent = seen("new", 2, 0.5, { explored: 1_000 });
    const route = chooseRoute(request(both, { tallies: [known, spent] }), routePolicy);
    expect(route).toMatchObject({ model: "known", explored: false, exploreLeft: 0 });
  });

  it("tries no model that costs more than is left for exploring", () => {
    const dear = [
      { model: "known", price: 0.1 },
      { model: "new", price: 0.2 },
    ];
    const tallies = [known, seen("new", 2, 0.6)];
    const within = (exploreMoney: number) =>
      chooseRoute(request(dear, { tallies, costWeight: 0.2, exploreMoney }), routePolicy).model;
    expect(within(1)).toBe("new");
    expect(within(0.01)).toBe("known");
  });

  it("does not try a model that is surely worse", () => {
    const route = chooseRoute(request(both, { tallies: [seen("known", 50, 0.9), seen("new", 50, 0.2)] }), routePolicy);
    expect(route).toMatchObject({ model: "known", explored: false });
  });
});

describe("escalation", () => {
  const both = [
    { model: "cheap", price: 0.02 },
    { model: "strong", price: 0.3 },
  ];
  const tallies = [seen("cheap", 40, 0.6), seen("strong", 40, 0.8)];

  it("begins with the strong model without a check, and with the cheap one where a check follows", () => {
    const near = { tallies: [seen("cheap", 40, 0.7), seen("strong", 40, 0.8)], costWeight: 0.25 };
    expect(chooseRoute(request(both, near), settled).model).toBe("strong");
    expect(chooseRoute(request(both, { ...near, checked: true }), settled).model).toBe("cheap");
  });

  it("takes another model after a verified failure", () => {
    const route = chooseRoute(request(both, { tallies, checked: true, failed: ["cheap"] }), settled);
    expect(route).toMatchObject({ model: "strong", attempt: "later" });
  });

  it("expects less of a model at a task that another one failed", () => {
    const first = chooseRoute(request(both, { tallies }), settled).weighed.find((one) => one.model === "strong");
    const later = chooseRoute(request(both, { tallies, failed: ["cheap"] }), settled).weighed[0];
    expect(later?.quality).toBeLessThan(first?.quality ?? 0);
  });

  it("stops if another attempt costs more than its expected benefit", () => {
    const route = chooseRoute(request(both, { tallies, costWeight: 5, failed: ["cheap"] }), settled);
    expect(route.model).toBeNull();
    expect(explainRoute(route, request(both))[0]).toBe(
      "No model is chosen: strong is the best of the others, and costs more than its expected benefit.",
    );
  });

  it("stops if no model is left", () => {
    const route = chooseRoute(request(both, { tallies, failed: ["cheap", "strong"] }), settled);
    expect(route.model).toBeNull();
    expect(explainRoute(route, request(both))[0]).toBe("No model is left to try.");
  });
});

describe("any route", () => {
  const anyRequest = fc
    .record({
      prices: fc.array(fc.option(fc.double({ min: 0, max: 5, noNaN: true })), { minLength: 1, maxLength: 9 }),
      costWeight: fc.double({ min: 0, max: 10, noNaN: true }),
      checked: fc.boolean(),
      failed: fc.subarray(["m0", "m3"]),
      counts: fc.array(
        fc.record({
          of: fc.nat(8),
          outcomes: fc.double({ min: 0, max: 60, noNaN: true }),
          share: fc.double({ min: 0, max: 1, noNaN: true }),
          attempt: fc.constantFrom("first" as const, "later" as const),
          complexity: fc.constantFrom("simple" as const, "complex" as const),
        }),
        { maxLength: 20 },
      ),
    })
    .map(({ prices, costWeight, checked, failed, counts }): RouteRequest => {
      const tallies = counts.map(({ of, outcomes, share, attempt, complexity }) =>
        seen(`m${of}`, outcomes, share, { attempt, complexity }),
      );
      const candidates = prices.map((price, at) => ({ model: `m${at}`, price }));
      return request(candidates, { costWeight, checked, failed, tallies });
    });

  it("is one of the candidates that did not fail, or none after a failure, and all its numbers are numbers", () => {
    fc.assert(
      fc.property(anyRequest, (routeRequest) => {
        const route = chooseRoute(routeRequest, routePolicy);
        const open = routeRequest.candidates
          .map(({ model }) => model)
          .filter((model) => !routeRequest.failed?.includes(model));
        if (route.model === null) expect(routeRequest.failed).not.toEqual([]);
        else expect(open).toContain(route.model);
        for (const one of route.weighed) {
          expect(Number.isFinite(one.utility + one.worth + one.cost)).toBe(true);
          expect(one.low).toBeLessThanOrEqual(one.quality);
          expect(one.high).toBeGreaterThanOrEqual(one.quality);
        }
      }),
    );
  });

  it("does not depend on the order of candidates or tallies", () => {
    fc.assert(
      fc.property(anyRequest, (routeRequest) => {
        const turned = {
          ...routeRequest,
          candidates: routeRequest.candidates.toReversed(),
          tallies: distinct(routeRequest.tallies).toReversed(),
        };
        const straight = { ...routeRequest, tallies: distinct(routeRequest.tallies) };
        expect(chooseRoute(turned, routePolicy).model).toBe(chooseRoute(straight, routePolicy).model);
      }),
    );
  });

  it("explains itself: the decision first, then a sentence for each model", () => {
    fc.assert(
      fc.property(anyRequest, (routeRequest) => {
        const route = chooseRoute(routeRequest, routePolicy);
        const sentences = explainRoute(route, routeRequest);
        expect(sentences.every((one) => /^\S.*\.$/.test(one) && !/NaN|undefined|Infinity/.test(one))).toBe(true);
        for (const { model } of route.weighed) expect(sentences.some((one) => one.startsWith(`${model}: `))).toBe(true);
      }),
    );
  });
});

/** A mind has one tally per key. */
function distinct(tallies: readonly Tally[]): readonly Tally[] {
  return [...new Map(tallies.map((one) => [`${one.model} ${one.attempt} ${one.complexity}`, one])).values()];
}

describe("the explanation of a route", () => {
  it("shows the candidates, their estimates, and the reason for the choice", () => {
    const routeRequest = request(
      [
        { model: "cheap", price: 0.02 },
        { model: "strong", price: 0.2 },
        { model: "odd", price: null },
      ],
      {
        tallies: [seen("cheap", 40, 0.6), seen("strong", 40, 0.8)],
        costWeight: 0.3,
        session: { model: "cheap", switchCost: 0.01 },
      },
    );
    expect(explainRoute(chooseRoute(routeRequest, settled), routeRequest)).toMatchInlineSnapshot(`
      [
        "strong is chosen: it has the highest score of the 3 models that are compared, 0.71.",
        "The session leaves cheap, although that costs $0.01.",
        "No model may be tried now only to learn about it.",
        "strong: expected quality 0.773 (0.674 to 0.871, from the latest 40 verdicts), cost $0.2, score 0.71 (quality − 0.3 × dollars − waiting).",
        "cheap: expected quality 0.598 (0.483 to 0.714, from the latest 40 verdicts), cost $0.02, score 0.592 (quality − 0.3 × dollars − waiting).",
        "odd: expected quality 0.636 (0.372 to 0.9, no outcome yet), cost $0.2 (price unknown, counted as the highest known), score 0.573 (quality − 0.3 × dollars − waiting).",
      ]
    `);
  });

  it("says that a quality is guessed, leaves out a switch that costs nothing, and how many trials are left", () => {
    const routeRequest = request(
      [
        { model: "cheap", price: 0.02 },
        { model: "strong", price: 0.02 },
      ],
      {
        tallies: [seen("strong", 2, 0.9, { judged: 0 })],
        session: { model: "cheap", switchCost: 0 },
      },
    );
    const sentences = explainRoute(chooseRoute(routeRequest, { ...routePolicy, foresight: 0 }), routeRequest).join(
      "\n",
    );
    expect(sentences).toContain("strong: expected quality 0.671 (0.438 to 0.904, a guess: nobody judged its calls)");
    expect(sentences).not.toContain("The session leaves");
    expect(sentences).toContain(
      "It is not chosen to learn about it; up to 20 calls of this kind of task may be made for that.",
    );
  });

  it("estimates the cost from this prompt, not from the mean of earlier ones, and names the list price", () => {
    const calls = seen("one", 20, 1, { calls: 20, cost: 0.02, costRatio: 10 });
    const long = request([{ model: "one", price: 0.3 }], { tallies: [calls] });
    const [weighed] = chooseRoute(long, settled).weighed;
    expect(weighed?.cost).toBeCloseTo(0.225);
    expect(explainRoute(chooseRoute(long, settled), long).at(-1)).toContain(
      "cost $0.225 ($0.3 by list price; its earlier calls cost 25 % less than expected)",
    );
  });
});
