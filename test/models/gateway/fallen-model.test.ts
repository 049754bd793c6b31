import { describe, expect, it } from "vitest";
import { stores } from "../../stores.ts";
import { CLAUDE, requestTo } from "./lab.ts";
import { gatewayOf } from "../../../src/models/gateway/gateway-of.ts";
import { LLAMA, withModelMind } from "./mind.ts";
import { listTallies } from "../../../src/store/models/tallies.ts";

describe.each(stores)("a model whose quality fell, on $name", (kind) => {
  it("is named by status and by models evolve, also if there is nothing to propose", () =>
    withModelMind(kind, { use: [CLAUDE] }, async ({ mind, print }) => {
      const judge = async (count: number, quality: number) => {
        for (let n = 0; n < count; n++) {
          const { call } = await gatewayOf(mind).complete(requestTo(CLAUDE));
          await gatewayOf(mind).recordQuality(call, { quality, source: "feedback" });
        }
      };
      await judge(24, 1);
      expect(await print("status")).not.toContain("fell");
      await judge(8, 0);
      const fell = `he quality of ${CLAUDE} at simple triage tasks fell from 1.00 to 0.00; there is no stronger model among yours`;
      expect(await print("status")).toContain(`t${fell}`);
      expect(await print("models evolve")).toMatch(
        /^T.*\.\nNothing to propose \(\d+ answered calls of the last 90 days, \d+ of them judged; tests, cached answers and calls of clients do not count\)\.$/,
      );
      expect(await print("models evolve")).toContain(fell);
    }));

  it("is named with the best of the others", () =>
    withModelMind(kind, { use: [CLAUDE, LLAMA] }, async ({ mind, print }) => {
      const judge = async (model: string, count: number, quality: number) => {
        for (let n = 0; n < count; n++) {
          const { call } = await gatewayOf(mind).complete(requestTo(model));
          await gatewayOf(mind).recordQuality(call, { quality, source: "feedback" });
        }
      };
      await judge(CLAUDE, 24, 1);
      await judge(LLAMA, 3, 0.5);
      await judge(CLAUDE, 8, 0);
      expect(await print("models evolve")).toContain(
        `the best of your other models is ${LLAMA}: 0.50 (from the latest 3 verdicts)`,
      );
    }));
});

describe.each(stores)("a cached answer, on $name", (kind) => {
  it("teaches the router by its verdict: it counts for the call that wrote the answer", () =>
    withModelMind(kind, {}, async ({ mind, print }) => {
      const asked = requestTo(null, "hello", { useResponseCache: true });
      const wrote = await gatewayOf(mind).complete(asked);
      const repeated = await gatewayOf(mind).complete(asked);
      expect(repeated.cached).toBe(true);
      await gatewayOf(mind).recordQuality(repeated.call, { quality: 0, source: "feedback" });
      expect(await listTallies(mind.db)).toMatchObject([{ tries: 1, outcomes: 1, judged: 1, quality: 0 }]);
      expect(await print("models stats")).toContain("1 verdict with a mean quality of 0.00");
      // A verdict on the call itself replaces it, because there is only one answer.
      await gatewayOf(mind).recordQuality(wrote.call, { quality: 1, source: "feedback" });
      expect(await listTallies(mind.db)).toMatchObject([{ outcomes: 1, quality: 1 }]);
      expect(await print("models usage")).toContain("quality 1.00");
    }));
});
