import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { costOf } from "../../../src/domain/model/cost.ts";
import { gatewayOf } from "../../../src/models/gateway/gateway-of.ts";
import { reserve } from "../../../src/store/models/reservations.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, requestTo, START } from "./lab.ts";
import { LLAMA, withModelMind } from "./mind.ts";

describe.each(stores)("what is shown of model calls, on $name", (kind) => {
  it("has the prices that the cost was computed with: those of a long prompt, and of cache writes", () => {
    const usage = { in: 300_000, out: 100, cached: 1_000, cacheWrite: 2_000 };
    return withModelMind(kind, { claude: () => ({ text: "ok", usage }) }, async ({ mind, run, print }) => {
      const { call } = await gatewayOf(mind).complete(requestTo(CLAUDE));
      const { attempts } = (await run("models call", { id: call })) as unknown as {
        attempts: readonly { cost: number; tokens: typeof usage; price: Parameters<typeof costOf>[0] }[];
      };
      const [{ cost, tokens, price } = { cost: 0, tokens: usage, price: null as never }] = attempts;
      expect(costOf({ ...price, tiers: undefined }, { ...tokens, reasoning: 0 })).toBeCloseTo(cost, 9);
      expect(await print("models call", { id: call })).toContain(
        "300,000 tokens in (1,000 from the prompt cache, 2,000 written to it), 100 out, $1.79985 " +
          "($6 in, $0.6 from the prompt cache, $7.5 written to it and $22.5 out per million tokens of prompts above 200,000 tokens, prices of",
      );
    });
  });

  it("includes calls under way, and calls whose process ended without a result", () =>
    withModelMind(kind, {}, async ({ mind, print, clock }) => {
      const spender = { agent: "clerk", job: null, goal: null };
      await reserve(mind.db, { call: "mc_1", attempt: 1, spender, amount: 0.5, leaseMs: 60_000, now: START });
      await reserve(mind.db, { call: "mc_1", attempt: 2, spender, amount: 0.25, leaseMs: 60_000, now: START });
      expect(await print("models calls")).toContain(
        "mc_1  2026-11-17T12:00:00.000Z  clerk  under way: up to $0.75 is reserved until 2026-11-17T12:01:00.000Z",
      );
      clock.advance(120_000);
      expect(await print("models calls")).toContain(
        "mc_1  2026-11-17T12:00:00.000Z  clerk  ended without a result: up to $0.75 may have been spent",
      );
      expect(await print("models calls", { agent: "other" })).toBe("No model has been called.");
      expect((await print("models stats")).replace(/\n.*/s, "")).toBe(
        "The router has learned nothing yet. It learns from calls that it routes, not from clients that run through oldhand.",
      );
    }));

  it("says the same of a call without a result in the list, in its details and at the caps", () =>
    withModelMind(kind, {}, async ({ mind, run, print, clock }) => {
      const spender = { agent: "clerk", job: null, goal: null };
      await reserve(mind.db, { call: "mc_1", attempt: 1, spender, amount: 0.5, leaseMs: 60_000, now: START });
      const running = await print("models call", { id: "mc_1" });
      expect(running).toContain("under way: up to $0.50 is reserved until 2026-11-17T12:01:00.000Z");
      clock.advance(120_000);
      expect(await run("models call", { id: "mc_1" })).toMatchObject({
        outcome: "no-result",
        at: "2026-11-17T12:00:00.000Z",
        agent: "clerk",
        model: null,
        cost: 0,
        reserved: [{ attempt: 1, amount: 0.5 }],
      });
      const ended = "ended without a result: up to $0.50 may have been spent";
      expect(await print("models call", { id: "mc_1" })).toContain(ended);
      expect(await print("models calls")).toContain(ended);
      expect(await print("models caps")).toContain("up to $0.50 lost");
    }));

  it("stands in the order of time, also a call without a result", () =>
    withModelMind(kind, { claude: () => ({ text: "ok" }) }, async ({ mind, run, print, clock }) => {
      const spender = { agent: "clerk", job: null, goal: null };
      const older = await gatewayOf(mind).complete(requestTo(CLAUDE));
      clock.advance(60_000);
      await reserve(mind.db, { call: "mc_1", attempt: 1, spender, amount: 0.5, leaseMs: 10, now: clock.now() });
      clock.advance(60_000);
      const newer = await gatewayOf(mind).complete(requestTo(CLAUDE));
      const ids = (await print("models calls")).split("\n").map((line) => line.split(" ")[0]);
      expect(ids.slice(0, 3)).toEqual([newer.call, "mc_1", older.call]);
      expect(await run("models calls", { limit: 1 })).toMatchObject({ calls: [{ id: newer.call }], unfinished: [] });
    }));

  it("has every digit of what a call cost", () => {
    const usage = { in: 1_312, out: 40, cached: 0 };
    return withModelMind(kind, { claude: () => ({ text: "ok", usage }) }, async ({ mind, run, print }) => {
      const { call } = await gatewayOf(mind).complete(requestTo(CLAUDE));
      const text = await print("models call", { id: call });
      expect(text).toContain(`${CLAUDE}, $0.004536, `);
      expect(text).toContain("1,312 tokens in, 40 out, $0.004536 ($3 in and $15 out per million tokens");
      expect(await run("models call", { id: call })).toMatchObject({ cost: 0.004536, attempts: [{ cost: 0.004536 }] });
    });
  });

  it("says that a model is unknown when it is added or tested", () =>
    withModelMind(kind, { use: [] }, async ({ run, reopen, mind: { config } }) => {
      const unknown = await run("models add", { name: "anthropic/claude-nope" });
      expect(unknown["notes"]).toEqual([
        expect.stringMatching(/^the price of anthropic\/claude-nope is unknown, so it counts/),
      ]);
      expect((await run("models add", { name: CLAUDE }))["notes"]).toEqual([]);
      await expect(run("models add", { name: "ollama/nope" })).rejects.toThrow(
        /^ollama does not have the model nope: it has /,
      );
      const missing = await run("models add", { name: "ollama/nope", force: true });
      expect(missing["notes"]).toEqual([expect.stringMatching(/^ollama does not have the model nope: it has /)]);
      expect((await run("models test", { model: "anthropic/claude-nope" }))["notes"]).toHaveLength(1);
      // A model that the owner's price file calls retired is left out.
      writeFileSync(join(config.home, "prices.json"), JSON.stringify({ [CLAUDE]: { retired: true } }));
      await run("config", { action: "set", path: "models.prices", value: "prices.json" });
      await reopen();
      const { model, why } = (await run("models route")) as { model: string; why: readonly string[] };
      expect(model).not.toBe(CLAUDE);
      expect(why.join("\n")).toContain(
        `${CLAUDE} is left out: your price file says that it is retired (models.prices).`,
      );
      const { models } = (await run("models list")) as { models: readonly { model: string; why: string | null }[] };
      expect(models.find((one) => one.model === CLAUDE)?.why).toContain("your price file says that it is retired");
    }));

  it("says of a failing provider when it is tried again", () =>
    withModelMind(
      kind,
      {
        claude: () => ({ error: { status: 401, type: "authentication_error", message: "wrong key" } }),
        use: [CLAUDE, LLAMA],
      },
      async ({ mind, print }) => {
        await gatewayOf(mind).complete(requestTo(CLAUDE, "hello", { mayUseOthers: false }));
        expect(await print("agents health", { agent: "clerk" })).toMatch(
          /anthropic: its last call failed \(auth\); it is tried again at \d\d:\d\d:\d\d UTC/,
        );
      },
    ));

  it("has no agent named owner, because tests of models have that name", () =>
    withModelMind(kind, {}, async ({ run }) => {
      await expect(run("agents complete", { agent: "owner", prompt: "hello" })).rejects.toThrow(
        'agent may not be "owner"',
      );
      await expect(run("agents stats", { agent: "nobody" })).rejects.toThrow('the agent "nobody" has no tasks yet');
    }));
});
