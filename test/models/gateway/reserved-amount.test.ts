import { describe, expect, it } from "vitest";
import { boundInputTokens } from "../../../src/domain/model/cost.ts";
import { stores } from "../../stores.ts";
import { setDayCap } from "../pass-through/passing.ts";
import { CLAUDE, GPT, requestTo, says, withGateway } from "./lab.ts";

const [sqlite] = stores;
if (sqlite === undefined) throw new Error("there is no store");

describe("the worst case of a call", () => {
  const chat = says("word ".repeat(4_000));
  // Dollars per million tokens: 3 in, 3.75 written to the cache, 15 out.
  const amount = (inputPrice: number) => (boundInputTokens(chat) * inputPrice + chat.maxTokens * 15) / 1_000_000;

  it("counts writes to Anthropic's prompt cache only if the request asks for them", () =>
    withGateway(sqlite, { claude: [{ text: "ok" }] }, async ({ gateway, db, claude }) => {
      await setDayCap(db, (amount(3) + amount(3.75)) / 2);
      const marked = { ...chat, promptCache: true };
      expect((await gateway.complete(requestTo(CLAUDE, "", { chat: marked, mayUseOthers: false }))).outcome).toBe(
        "capped",
      );
      expect(claude.requests).toHaveLength(0);
      expect((await gateway.complete(requestTo(CLAUDE, "", { chat, mayUseOthers: false }))).outcome).toBe("ok");
    }));

  it("holds all tokens that the caller allows", () =>
    withGateway(sqlite, { claude: [{ text: "ok" }] }, async ({ gateway, db, claude }) => {
      await setDayCap(db, amount(3) - 0.000_1);
      expect((await gateway.complete(requestTo(CLAUDE, "", { chat, mayUseOthers: false }))).outcome).toBe("capped");
      expect(claude.requests).toHaveLength(0);
    }));

  it("is not passed silently: an answer that was cut off says so", () =>
    withGateway(sqlite, { gpt: [{ text: "begin", stop: "length" }] }, async ({ gateway }) => {
      const { route, outcome } = await gateway.complete(requestTo(GPT, "hi", { mayUseOthers: false }));
      expect([outcome, route.at(-1)]).toEqual([
        "ok",
        "The answer was cut off after 20 tokens (the limit of the model or of its server; maxTokens would allow 500).",
      ]);
    }));
});
