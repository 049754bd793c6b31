import { describe, expect, it } from "vitest";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import { newPlace, wordsOnly } from "../../program.ts";
import { stores } from "../../stores.ts";
import { type ModelMind, withModelMind } from "./mind.ts";

const refused = { error: { status: 401, type: "authentication_error", message: "invalid x-api-key" } };
const ask = ({ run }: ModelMind) => run("agents complete", { agent: "clerk", prompt: "hello" });

describe.each(stores)("a provider that refused the key, on $name", (kind) => {
  it("is in status until a call succeeds, also after it may be tried again", () =>
    withModelMind(kind, { claude: (_request, at) => (at === 0 ? refused : { text: "ok" }) }, async (of) => {
      expect(await of.run("status")).toMatchObject({ failingProviders: [] });
      await expect(ask(of)).rejects.toMatchObject({ code: "config" });
      const said = /^anthropic refused the key, so it is not called until .*ANTHROPIC_API_KEY.*oldhand models test/m;
      expect(await of.print("status")).toMatch(said);
      of.clock.set(of.clock.now() + 86_400_000);
      expect(await of.print("status")).toMatch(
        /^anthropic refused the key the last time, and the next call tries it again; .*oldhand models test/m,
      );
      await ask(of);
      expect(await of.run("status")).toMatchObject({ failingProviders: [] });
    }));
});

describe.each(stores)("a provider whose last calls failed, on $name", (kind) => {
  const down = { error: { status: 503, type: "overloaded_error", message: "no" } };

  it("is in status from the first failure on, until a call succeeds", () =>
    withModelMind(
      kind,
      { claude: (_request, at) => (at < 2 ? down : { text: "ok" }), models: { retries: 0, attempts: 1 } },
      async (of) => {
        await expect(ask(of)).rejects.toMatchObject({ code: "unanswered" });
        expect(await of.print("status")).toMatch(
          /^anthropic failed the last time \(overloaded\), and the next call tries it again; to try it now: oldhand models test anthropic\//m,
        );
        of.clock.advance(5_000);
        await expect(ask(of)).rejects.toMatchObject({ code: "unanswered" });
        expect(await of.print("status")).toMatch(
          /^anthropic failed 2 times in a row \(overloaded\), and the next call/m,
        );
        await ask(of);
        expect(await of.run("status")).toMatchObject({ failingProviders: [] });
      },
    ));

  it("is not chosen and left out at once, if there is no other", () =>
    withModelMind(kind, { claude: () => down, models: { retries: 0, attempts: 1, breakerFailures: 1 } }, async (of) => {
      await expect(ask(of)).rejects.toMatchObject({ code: "unanswered" });
      const { model, why } = (await of.run("models route", { taskType: "chat", why: true })) as {
        readonly model: string;
        readonly why: readonly string[];
      };
      expect(model).toBe("anthropic/claude-sonnet-4-5");
      expect(why.filter((line) => line.includes("left out"))).toEqual([]);
      expect(why.at(-1)).toMatch(
        /^No other model can be called, so anthropic\/claude-sonnet-4-5 may be tried, although anthropic failed the last time \(overloaded\), so it is not called until /,
      );
    }));
});

describe("doctor", () => {
  it("names a provider that refused the key as a problem, with the command that tries it", async () => {
    const model = await fakeAnthropic(() => refused, { everyRequest: true });
    const place = newPlace({ ...wordsOnly, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "plain-first-key-4711" });
    try {
      await place.run(["models", "add", "anthropic/claude-sonnet-4-5"]);
      await place.run(["agents", "complete", "clerk", "hello"]);
      const ran = await place.run(["doctor"]);
      expect(ran.stdout).toMatch(
        /✗ anthropic refused the key, so it is not called until [^]*oldhand models test anthropic\/claude-sonnet-4-5\n/,
      );
    } finally {
      await model.close();
      place.remove();
    }
  });
});
