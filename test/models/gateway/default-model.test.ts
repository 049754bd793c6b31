import { describe, expect, it } from "vitest";
import { formatModelRef } from "../../../src/domain/model/model-ref.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, GPT, type Lab, ref, requestTo, withGateway } from "./lab.ts";

const answers = { claude: () => ({ text: "from claude" }), gpt: () => ({ text: "from gpt" }) };
const exploring = { ...answers, models: { exploreShare: 0.05 } };

/** The models of the next calls, which nobody judges. */
async function nextModels({ gateway }: Lab, count: number): Promise<readonly string[]> {
  const models = [];
  for (let n = 0; n < count; n++) models.push((await gateway.complete(requestTo(null, `task ${n}`))).model.provider);
  return models;
}

describe.each(stores)("the default model, on $name", (kind) => {
  it("is the first of models.use, and does every task until one is judged", () =>
    withGateway(kind, { ...exploring, use: [CLAUDE, GPT] }, async (lab) => {
      expect(await nextModels(lab, 5)).toEqual(Array(5).fill("anthropic"));
      const { route } = await lab.gateway.complete(requestTo(null));
      expect(route[0]).toBe(`${CLAUDE} is the default model, and nobody has judged a call of this kind of task yet.`);
    }));

  it("is the only model that its explanation calls chosen; the scores say what they would choose", async () => {
    for (const use of [
      [CLAUDE, GPT],
      [GPT, CLAUDE],
    ])
      await withGateway(kind, { ...answers, use }, async ({ gateway }) => {
        const { route, model } = await gateway.complete(requestTo(null));
        expect(formatModelRef(model)).toBe(use[0]);
        expect(route.filter((line) => line.includes("is chosen"))).toEqual([]);
        expect(route[1]).toMatch(/^(Its score is the highest of the 2 models|By score alone it would be )/);
      });
  });

  it("is another one if that stands first", () =>
    withGateway(kind, { ...exploring, use: [GPT, CLAUDE] }, async (lab) => {
      expect(await nextModels(lab, 5)).toEqual(Array(5).fill("openai"));
    }));

  it("gives way to the router after a verdict: other models are tried then", () =>
    withGateway(kind, exploring, async (lab) => {
      const first = await lab.gateway.complete(requestTo(null));
      await lab.gateway.recordQuality(first.call, { quality: 1, source: "feedback" });
      expect(await nextModels(lab, 6)).toContain("openai");
    }));

  it("stays after good verdicts: an unjudged model that is cheaper is only tried, which is said, and counted", () =>
    withGateway(kind, { ...exploring, models: { exploreShare: 0.05, costWeight: 40 } }, async (lab) => {
      const first = await lab.gateway.complete(requestTo(null));
      await lab.gateway.recordQuality(first.call, { quality: 1, source: "feedback" });
      const tried = await lab.gateway.complete(requestTo(null, "a trial"));
      expect(formatModelRef(tried.model)).toBe(GPT);
      expect(tried.route[0]).toBe(
        `${GPT} is tried to learn about it: nobody has judged its calls of this kind of task, and those of ${CLAUDE}, the default model, were judged good.`,
      );
      expect(tried.route.join("\n")).not.toContain("is chosen");
      // 20 trials at first, and 5 % of all calls.
      const models = await nextModels(lab, 30);
      expect(models.slice(0, 19)).toEqual(Array(19).fill("openai"));
      expect(models.slice(21)).toEqual(Array(9).fill("anthropic"));
      const { route } = await lab.gateway.complete(requestTo(null, "last"));
      expect(route[0]).toBe(
        `${CLAUDE} is the default model, and its verdicts are good; no other model has been judged at this kind of task, and none may be tried now.`,
      );
    }));

  it("stays without exploration as long as its verdicts are good and no other model has one", () =>
    withGateway(kind, { ...answers, models: { costWeight: 40 } }, async (lab) => {
      const judge = async (quality: number, model: string | null = null) => {
        const { call } = await lab.gateway.complete(requestTo(model));
        await lab.gateway.recordQuality(call, { quality, source: "verified" });
      };
      await judge(1);
      expect(await nextModels(lab, 2)).toEqual(["anthropic", "anthropic"]);
      await judge(1, GPT);
      expect(await nextModels(lab, 2)).toEqual(["openai", "openai"]);
    }));

  it("gives way without exploration if its own verdicts are bad", () =>
    withGateway(kind, answers, async (lab) => {
      for (let n = 0; n < 6; n++) {
        const { call } = await lab.gateway.complete(requestTo(CLAUDE));
        await lab.gateway.recordQuality(call, { quality: 0, source: "verified" });
      }
      expect(await nextModels(lab, 1)).toEqual(["openai"]);
    }));
});

describe.each(stores)("a pinned model, on $name", (kind) => {
  const failing = { error: { status: 500, type: "api_error", message: "no" } };

  it("is the only one that is called: it is tried again, and no other model follows", () =>
    withGateway(kind, { ...answers, claude: [failing, { text: "again" }, failing, failing, failing] }, async (lab) => {
      const { gateway, gpt } = lab;
      const pinned = requestTo(CLAUDE, "hello", { mayUseOthers: false });
      expect(await gateway.complete(pinned)).toMatchObject({ text: "again", healed: true });
      expect(await gateway.complete(pinned)).toMatchObject({ outcome: "failed" });
      expect(gpt.requests).toHaveLength(0);
    }));

  it("is followed by others if the caller allows it; the cache keeps no answer of theirs for it", () =>
    withGateway(kind, { ...answers, claude: () => failing }, async ({ gateway, gpt }) => {
      const pinned = requestTo(CLAUDE, "hello", { useResponseCache: true });
      expect(await gateway.complete(pinned)).toMatchObject({ model: ref(GPT), healed: true });
      expect(await gateway.complete(pinned)).toMatchObject({ cached: false });
      expect(gpt.requests).toHaveLength(2);
    }));
});
