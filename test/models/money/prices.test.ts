import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { choosePrice } from "../../../src/models/prices/choose-price.ts";
import { openPrices } from "../../../src/models/prices/prices.ts";
import { parseModelRef, type ModelRef } from "../../../src/domain/model/model-ref.ts";
import { costOf } from "../../../src/domain/model/cost.ts";
import { root } from "../../program.ts";

const dir = mkdtempSync(join(tmpdir(), "oldhand-prices-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const now = Date.UTC(2026, 10, 17);
const isLoopback = (provider: string) => provider === "ollama";
const builtIn = await openPrices({ isLoopback });

function model(text: string): ModelRef {
  const ref = parseModelRef(text);
  if (ref === null) throw new Error(text);
  return ref;
}

function fileWith(content: unknown): string {
  const path = join(dir, "prices.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe("the built-in prices", () => {
  it("have the date at which their version was published", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      devDependencies: Record<string, string>;
    };
    // After an update of the package, write the new date into built-in-table.ts.
    expect([devDependencies["@pydantic/genai-prices"], builtIn.date]).toEqual(["0.1.8", "2026-09-23"]);
  });

  it("know long prompts, writes to an hour's cache, and windows", () => {
    const sonnet = model("anthropic/claude-sonnet-4-5");
    expect(builtIn.find(sonnet, now)).toEqual({
      ...{ in: 3, out: 15, cached: 0.3, cacheWrite: 3.75, cacheWrite1h: 6, from: "2026-09-23" },
      tiers: [{ above: 200_000, in: 6, out: 22.5, cached: 0.6, cacheWrite: 7.5, cacheWrite1h: 12 }],
    });
    expect(builtIn.window(sonnet)).toEqual({ context: 200_000, output: null });
  });

  it("are the ones at the time of the call", () => {
    const opus = model("anthropic/claude-opus-4-6");
    expect(builtIn.find(opus, Date.UTC(2026, 1, 1))?.tiers).toHaveLength(1);
    expect(builtIn.find(opus, now)?.tiers).toBeUndefined();
  });

  it("mark some models as retired", () => {
    const old = model("avian/Meta-Llama-3.3-70B-Instruct");
    expect([builtIn.isRetired(old), builtIn.isRetired(model("openai/gpt-5"))]).toEqual([true, false]);
  });

  it("find a provider under the name that oldhand has for it", () => {
    expect(builtIn.find(model("workersai/@cf/meta/llama-3.1-8b-instruct"), now)?.in).toBeGreaterThan(0);
    expect(builtIn.find(model("huggingface/openai/gpt-oss-120b"), now)?.in).toBeGreaterThan(0);
    expect(builtIn.find(model("openrouter/anthropic/claude-sonnet-4.5"), now)?.in).toBe(3);
  });

  it("are 0 on this machine; an unknown price counts as the highest one, or is refused", () => {
    expect(builtIn.find(model("ollama/llama3"), now)).toMatchObject({ in: 0, out: 0 });
    const unknown = model("nowhere/m1");
    expect(builtIn.find(unknown, now)).toBeNull();
    expect(choosePrice(builtIn, unknown, now, "refuse")).toBeNull();
    const chosen = choosePrice(builtIn, unknown, now, "most-expensive");
    expect(chosen?.isKnown).toBe(false);
    const usage = { in: 1_000, out: 1_000, cached: 500, cacheWrite: 100, reasoning: 0 };
    for (const name of ["openai/o1-pro", "openai/gpt-5", "anthropic/claude-opus-4-1", "openai/gpt-4-32k"]) {
      const price = builtIn.find(model(name), now);
      expect(costOf(chosen?.price ?? builtIn.mostExpensive(), usage)).toBeGreaterThanOrEqual(
        costOf(price ?? builtIn.mostExpensive(), usage),
      );
    }
  });
});

describe("a file with prices", () => {
  it("overrides the built-in ones, also on this machine; a star matches every model that starts with the name", async () => {
    const override = fileWith({
      "openai/gpt-5": { in: 1, out: 2, context: 1000, output: 500 },
      "work/*": { in: 5, out: 6, cached: 1, cacheWrite1h: 9, request: 0.01 },
      "work/big-*": { in: 7, out: 8, tiers: [{ above: 10, in: 70, out: 80 }] },
      "anthropic/claude-sonnet-4-5": { retired: true },
      "ollama/rented": { in: 1, out: 1 },
    });
    const table = await openPrices({ override, isLoopback });
    expect(table.find(model("openai/gpt-5"), now)).toEqual({
      ...{ in: 1, out: 2, cached: 1, cacheWrite: 1, from: "prices.json" },
    });
    expect(table.window(model("openai/gpt-5"))).toEqual({ context: 1_000, output: 500 });
    expect(table.find(model("work/m"), now)).toMatchObject({ in: 5, cached: 1, cacheWrite1h: 9, request: 0.01 });
    expect(table.find(model("work/big-1"), now)?.tiers).toEqual([
      { above: 10, in: 70, out: 80, cached: 70, cacheWrite: 70 },
    ]);
    expect(table.find(model("ollama/rented"), now)?.in).toBe(1);
    // What the file leaves out stays unchanged.
    expect(table.find(model("anthropic/claude-sonnet-4-5"), now)?.in).toBe(3);
    expect(table.isRetired(model("anthropic/claude-sonnet-4-5"))).toBe(true);
  });

  it.each([
    ["{", "it is not JSON"],
    [[], "it is not a JSON object"],
    [{ gpt: {} }, '"gpt" is not the name of a model: it has the form provider/model'],
    [{ "a/b": 3 }, '"a/b" must be an object'],
    [{ "a/b": { in: 1 } }, '"a/b" needs both in and out'],
    [{ "a/b": { in: -1, out: 1 } }, '"a/b" has in: -1; it must be a number, 0 or more'],
    [{ "a/b": { in: 1, out: 1, price: 2 } }, '"a/b" has an unknown member "price"'],
    [{ "a/b": { context: 1.5 } }, '"a/b" has context: 1.5; it must be a whole number'],
    [{ "a/b": { in: 1, out: 1, tiers: [{ in: 1, out: 1 }] } }, '"a/b" has a tier without above'],
    [{ "a/b": { retired: "yes" } }, '"a/b" has a member retired that is neither true nor false'],
  ])("that says %j is refused with a reason", async (content, why) => {
    await expect(openPrices({ override: fileWith(content), isLoopback })).rejects.toThrow(why);
  });

  it("that does not exist is refused, because nobody would notice that other prices apply", async () => {
    const override = join(dir, "missing.json");
    await expect(openPrices({ override, isLoopback })).rejects.toThrow("there is no such file");
  });
});
