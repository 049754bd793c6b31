import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gatewayOf } from "../../../src/models/gateway/gateway-of.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, requestTo, says } from "./lab.ts";
import { LLAMA, withModelMind } from "./mind.ts";

const own = { models: { prices: "prices.json" } };

describe.each(stores)("a model that the caller names, on $name", (kind) => {
  it("is asked for no longer an answer than the price file says that it can give", () =>
    withModelMind(kind, own, async ({ mind, home, claude }) => {
      writeFileSync(join(home, "prices.json"), JSON.stringify({ [CLAUDE]: { in: 1, out: 2, output: 64 } }));
      const asked = requestTo(CLAUDE, "hello", { mayUseOthers: false, chat: says("hello", { maxTokens: 500 }) });
      await gatewayOf(mind).complete(asked);
      await gatewayOf(mind).complete({ ...asked, chat: says("hello", { maxTokens: 20 }) });
      expect(claude.requests.map(({ body }) => (body as { max_tokens: number }).max_tokens)).toEqual([64, 20]);
    }));

  it("says in the route that the prompt does not fit into the window of the price file", () =>
    withModelMind(kind, own, async ({ mind, home }) => {
      writeFileSync(join(home, "prices.json"), JSON.stringify({ [CLAUDE]: { in: 1, out: 2, context: 100 } }));
      const { route } = await gatewayOf(mind).complete(requestTo(CLAUDE, "hello", { mayUseOthers: false }));
      expect(route.join(" ")).toMatch(/its context window holds 100: the call will probably fail/);
    }));

  it("has its expected cost, its price and its window in models route --why", () =>
    withModelMind(kind, { ...own, use: [CLAUDE, LLAMA] }, async ({ home, print }) => {
      writeFileSync(join(home, "prices.json"), "{}");
      const why = (model: string, more: object = {}) => print("models route", { model, why: true, ...more });
      expect(await why(CLAUDE)).toContain(
        "It is expected to cost $0.015 for a prompt of 2,000 tokens and an answer of 600 tokens (at most 1,000).",
      );
      expect(await why(CLAUDE)).toContain("Its context window holds 200,000 tokens.");
      expect(await why(CLAUDE, { tokens: 300_000 })).toMatch(/holds 200,000: the call will probably fail/);
      expect(await why("ollama/scripted:latest")).toContain("It costs nothing.");
      expect(await why("ollama/scripted:latest")).toContain("Its context window is not known.");
      expect(await why("anthropic/nobody-knows")).toContain(
        "Its price is unknown, so it counts at the highest known price (models.unknownPrice): $0.66 ",
      );
      expect(await print("models route", { model: "anthropic/nobody-knows" })).toContain("Its price is unknown");
    }));
});
