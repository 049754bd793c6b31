import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { simulateCache } from "./lab/cache-simulation.ts";
import { runLongSession } from "./lab/long-session.ts";

const [store] = stores;
if (store === undefined) throw new Error("there is no store");

describe("long sessions with a model that forgets half", () => {
  it("answer at least 95 % of the planted facts from the compacted context, without a loop", async () => {
    const results = [];
    for (const seed of [1, 2, 3, 4, 5])
      results.push(await runLongSession(store, { seed, turns: 14, window: 12_000, lines: 130 }));
    const facts = results.reduce((sum, one) => sum + one.facts, 0);
    const lost = results.flatMap((one) => one.lost);
    process.stdout.write(
      `${facts - lost.length} of ${facts} facts, ${results.map((one) => one.compactions).join("+")} compactions\n`,
    );
    expect(results.flatMap((one) => one.faults)).toEqual([]);
    for (const one of results) expect(one.compactions).toBeGreaterThan(1);
    expect(1 - lost.length / facts, lost.join("\n")).toBeGreaterThanOrEqual(0.95);
  }, 240_000);
});

describe("the prompt cache", () => {
  it("has at least 95 % of what was sent before, and 90 % of a compaction request", async () => {
    const { requests, compactions, faults } = await runLongSession(store, {
      seed: 9,
      turns: 36,
      window: 60_000,
      lines: 250,
    });
    expect(faults).toEqual([]);
    expect(compactions).toBeGreaterThan(0);
    const calls = simulateCache(requests);
    const sum = (key: "tokens" | "cached" | "prefix", of = calls) => of.reduce((all, one) => all + one[key], 0);
    const followers = calls.filter((one) => one.prefix > 0 && !one.isSummary);
    const summaries = calls.filter((one) => one.isSummary);
    const shares = {
      prefix: sum("cached", followers) / sum("prefix", followers),
      summaries: sum("cached", summaries) / sum("tokens", summaries),
      all: sum("cached") / sum("tokens"),
    };
    process.stdout.write(`cached: ${JSON.stringify(shares)} over ${calls.length} requests, ${sum("tokens")} tokens\n`);
    expect(shares.prefix).toBeGreaterThanOrEqual(0.95);
    expect(shares.summaries).toBeGreaterThanOrEqual(0.9);
  }, 240_000);

  it("of the simulation forgets after five minutes, goes by model and by whole blocks", () => {
    const body = (text: string, model = "m") => ({ model, tools: [], system: text, messages: [] });
    const long = "x".repeat(4_096 * 3);
    const cached = (...requests: readonly { at: number; body: object }[]) => simulateCache(requests).at(-1)?.cached;
    expect(cached({ at: 0, body: body(long) }, { at: 1, body: body(`${long}more`) })).toBe(3_072);
    expect(cached({ at: 0, body: body(long) }, { at: 1, body: body(long, "n") })).toBe(0);
    expect(cached({ at: 0, body: body(long) }, { at: 300_001, body: body(long) })).toBe(0);
    expect(
      cached({ at: 0, body: body(long) }, { at: 200_000, body: body(long) }, { at: 400_000, body: body(long) }),
    ).toBe(3_072);
    expect(cached({ at: 0, body: body(long) }, { at: 1, body: body(`y${long}`) })).toBe(0);
  });
});
