import { describe, expect, it } from "vitest";
import { openPrices } from "../../../src/models/prices/prices.ts";
import { chooseModels } from "../../../src/models/gateway/choose-models.ts";
import { noProviders } from "../../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../../src/domain/policy.ts";
import { listBreakers } from "../../../src/store/models/breakers.ts";
import { listTallies } from "../../../src/store/models/tallies.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, GPT, ref, requestTo, says, START, withGateway } from "./lab.ts";

const sqlite = stores[0] as (typeof stores)[number];
const busy = { error: { status: 503, type: "server_error", message: "busy" } } as const;

/** What a route says about a prompt of this many tokens. */
async function routeFor(db: Db, tokens: number) {
  const config = {
    policy: { models: { ...defaultPolicy.models, exploreShare: 0 } },
    providers: {
      ...noProviders,
      env: { ANTHROPIC_API_KEY: "one", OPENAI_API_KEY: "two" },
      models: [CLAUDE, GPT].map(ref),
    },
  };
  const prices = await openPrices({ isLoopback: () => false });
  const request = { agent: "tester", taskType: "general", chat: says(""), inputTokens: tokens };
  return chooseModels({ db, config, prices }, request, START);
}

describe.each(stores)("the figures of the router, on $name", (kind) => {
  it("count a call once, although it was repeated, with its whole cost", () =>
    withGateway(kind, { gpt: [busy, { text: "done" }] }, async ({ gateway, db }) => {
      const answer = await gateway.complete(requestTo(GPT));
      expect(answer.healed).toBe(true);
      const [tally] = await listTallies(db);
      expect(tally).toMatchObject({ model: GPT, tries: 1, calls: 1 });
      expect(tally?.cost).toBeCloseTo(answer.cost, 9);
    }));

  it("forget a provider's failure when a later attempt of the same call works", () =>
    withGateway(kind, { gpt: [busy, { text: "done" }] }, async ({ gateway, db }) => {
      await gateway.complete(requestTo(GPT));
      expect((await listBreakers(db)).filter(({ failures }) => failures > 0)).toEqual([]);
    }));
});

describe("the cost of a route", () => {
  it("is that of this prompt, also after many calls with short ones", () =>
    withGateway(sqlite, { claude: () => ({ text: "ok" }) }, async ({ gateway, db }) => {
      for (let n = 0; n < 30; n++) await gateway.complete(requestTo(CLAUDE, "hello", { taskType: "general" }));
      const { route, why } = await routeFor(db, 100_000);
      const claude = route?.weighed.find(({ model }) => model === CLAUDE);
      const [tally] = await listTallies(db);
      expect(claude?.cost).toBeCloseTo((claude?.price ?? 0) * ((20 + (tally?.costRatio ?? 0)) / 50), 9);
      expect(claude?.price).toBeGreaterThan(0.3);
      expect(why.join("\n")).toMatch(/Costs are expected for a prompt of 100,000 tokens and an answer of 500 tokens/);
    }));

  it("is the list price while nothing was called", () =>
    withGateway(sqlite, {}, async ({ db }) => {
      const { route } = await routeFor(db, 100_000);
      for (const one of route?.weighed ?? []) expect(one.cost).toBe(one.price);
    }));

  it("names no model after a failure whose window is too small, and says so if all are", () =>
    withGateway(sqlite, {}, async ({ db }) => {
      const long = await routeFor(db, 300_000);
      expect(long.targets).toEqual([ref(GPT)]);
      expect(long.why.join("\n")).toMatch(
        /claude-sonnet-4-5 is left out: the prompt has about 300,000 tokens, and its context window holds 200,000\./,
      );
      const tooLong = await routeFor(db, 5_000_000);
      expect(tooLong.why[0]).toMatch(
        /^The prompt has about 5,000,000 tokens, and the largest context window holds 400,000: the call will probably fail\.$/,
      );
    }));
});
