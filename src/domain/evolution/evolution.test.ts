import { describe, expect, it } from "vitest";
import { evolutionPolicy, type LoggedCall, proposeEvolution } from "./evolution.ts";
import { compareMeans, testRise } from "./statistics.ts";

const models = [
  { model: "p/small", price: 0.001 },
  { model: "p/middle", price: 0.01 },
  { model: "p/large", price: 0.05 },
];
const costWeight = () => 1;

function makeCalls(
  count: number,
  of: (n: number, random: () => number) => Partial<LoggedCall>,
  seed = 1,
): LoggedCall[] {
  const random = makeRandom(seed);
  return Array.from({ length: count }, (_, n) => ({
    agent: `agent-${n % 3}`,
    taskType: "triage",
    complexity: "simple",
    model: "p/middle",
    at: n,
    cost: 0.01 * (0.8 + 0.4 * random()),
    quality: random() < 0.8 ? 1 : 0,
    ...of(n, random),
  }));
}

/** The same numbers for the same seed (Mulberry32). */
function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

const propose = (calls: readonly LoggedCall[]) => proposeEvolution({ calls, models, costWeight }, evolutionPolicy);

describe("evolution", () => {
  it("proposes a cheaper model where cost rose and quality stayed", () => {
    const calls = makeCalls(400, (n, random) => ({
      cost: (n < 200 ? 0.01 : 0.015) * (0.8 + 0.4 * random()),
      quality: n % 5 === 0 ? 0 : 1,
    }));
    expect(propose(calls)).toMatchObject([
      { kind: "cheaper", taskType: "triage", complexity: "simple", from: "p/middle", to: "p/small" },
    ]);
    expect(propose(calls)[0]?.why).toMatch(
      /the median cost of p\/middle rose from \$[\d.]+ to \$[\d.]+ over 400 calls \(rank-sum test/,
    );
  });

  it("proposes none where cost rose and nobody knows about quality", () => {
    const calls = makeCalls(400, (n) => ({ cost: n < 200 ? 0.01 : 0.015, quality: null }));
    expect(propose(calls)).toEqual([]);
  });

  it("proposes a stronger model where quality fell", () => {
    const calls = makeCalls(300, (n, random) => ({ quality: random() < (n < 150 ? 0.9 : 0.6) ? 1 : 0 }));
    expect(propose(calls)).toMatchObject([{ kind: "stronger", from: "p/middle", to: "p/large" }]);
  });

  it("says that a proposed model is untried", () => {
    const fell = makeCalls(300, (n, random) => ({ quality: random() < (n < 150 ? 0.9 : 0.6) ? 1 : 0 }));
    expect(propose(fell)).toMatchObject([{ to: "p/large", outcomes: 0 }]);
    expect(propose(fell)[0]?.why).toMatch(/p\/large is untried: it has no outcome at these tasks/);
  });

  it("does not blame the model that mended the fall of another one", () => {
    const calls = makeCalls(120, (n) => {
      if (n < 60) return { model: "p/small", quality: n === 7 ? 0 : 1 };
      if (n < 69) return { model: "p/small", quality: 0 };
      return { model: "p/middle", quality: n === 80 ? 0 : 1 };
    });
    expect(propose(calls)).toEqual([]);
  });

  it("goes back to a model that has shown better outcomes, and never to one that has shown worse", () => {
    const fallOf = (n: number) => ({ model: "p/middle", quality: n < 90 || n % 2 === 0 ? 1 : 0 });
    const withOther = (model: string, quality: number) =>
      makeCalls(220, (n) => (n < 40 ? { model, quality } : fallOf(n - 40)));
    expect(propose(withOther("p/small", 1))).toMatchObject([{ kind: "stronger", to: "p/small", outcomes: 40 }]);
    expect(propose(withOther("p/large", 0))).toEqual([]);
  });

  it("compares models only after a hundred calls, and then proposes the better one", () => {
    const mixed = (n: number, random: () => number) =>
      n % 3 === 0 ? { model: "p/small", quality: 1, cost: 0.001 } : { quality: random() < 0.5 ? 1 : 0 };
    expect(propose(makeCalls(99, mixed))).toEqual([]);
    expect(propose(makeCalls(130, mixed))).toMatchObject([{ kind: "better", from: "p/middle", to: "p/small" }]);
  });

  it("looks at whole hundreds only: asking again in between changes nothing", () => {
    const calls = makeCalls(199, (n, random) =>
      n % 3 === 0
        ? { model: "p/small", quality: n < 100 && random() < 0.5 ? 0 : 1 }
        : { quality: random() < 0.5 ? 1 : 0 },
    );
    const kinds = [120, 150, 199].map((count) => propose(calls.slice(0, count)).filter((one) => one.kind === "better"));
    expect(kinds[1]).toEqual(kinds[0]);
    expect(kinds[2]).toEqual(kinds[0]);
  });

  it("proposes something in fewer than one of twenty runs where nothing changed", () => {
    const runs = Array.from({ length: 400 }, (_, seed) =>
      makeCalls(300, (n) => (n % 2 === 0 ? { model: "p/large" } : {}), seed + 1),
    );
    const wrong = runs.filter((calls) => propose(calls).length > 0).length;
    expect(wrong / runs.length).toBeLessThan(evolutionPolicy.error);
  });
});

describe("the tests behind it", () => {
  it("agree with integrating the density of Student's t, and with counting all orders of ranks", () => {
    const earlier = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4];
    const later = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.1];
    const found = compareMeans(earlier, later);
    expect(found?.higher).toBeCloseTo(0.0042127, 6);
    expect(testRise([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])).toBeCloseTo(1 / 252, 2);
    expect(testRise([1, 1, 1], [1, 1, 1])).toBe(1);
  });
});
