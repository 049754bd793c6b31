import { describe, expect, it } from "vitest";
import { gatewayOf } from "../../../src/models/gateway/gateway-of.ts";
import { listChanges } from "../../../src/store/journal/journal.ts";
import { listRetiredModels } from "../../../src/store/nouns/retired-models.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, requestTo } from "./lab.ts";
import { LLAMA, type ModelMind, withModelMind } from "./mind.ts";

const unknown = { error: { status: 404, type: "not_found_error", message: "model: claude-sonnet-4-5" } };
const WRONG = "If that was wrong: oldhand models add anthropic/claude-sonnet-4-5";

const ask = ({ run }: ModelMind) => run("agents complete", { agent: "clerk", prompt: "hello" });

/** Asks until the provider says that it does not know the model. */
async function leaveOut(of: ModelMind): Promise<void> {
  await expect(ask(of)).rejects.toMatchObject({ code: "config" });
  expect(await listRetiredModels(of.mind.db)).toMatchObject([{ id: CLAUDE }]);
}

describe.each(stores)("a model that its provider does not know, on $name", (kind) => {
  it.each(["Not Found", "Not found: /nope/v1/messages", ""])(
    "is not left out after a 404 that does not name it: %j",
    (message) =>
      withModelMind(
        kind,
        { claude: () => ({ error: { status: 404, type: "not_found_error", message } }) },
        async (of) => {
          await expect(ask(of)).rejects.toMatchObject({
            message: expect.stringContaining("there is no such API at this address") as string,
          });
          expect(await listRetiredModels(of.mind.db)).toEqual([]);
        },
      ),
  );

  it("is left out after a 404 that names it, and every place says since when, why, and how to get it back", () =>
    withModelMind(kind, { claude: () => unknown }, async (of) => {
      await leaveOut(of);
      const why = `${CLAUDE} is left out since 2026-11-17, because the provider answered 404. ${WRONG}`;
      await expect(ask(of)).rejects.toMatchObject({ message: expect.stringContaining(why) as string });
      for (const name of ["models list", "models stats", "status"]) expect(await of.print(name)).toContain(WRONG);
    }));

  const SAID = `${CLAUDE} is left out from now on; oldhand models add ${CLAUDE} brings it back`;

  it("is said to be left out by the call and by the test that learned it, once", () =>
    withModelMind(kind, { claude: () => unknown }, async (of) => {
      expect(await of.print("models test")).toContain(SAID);
      expect(await of.print("models test")).not.toContain("from now on");
      await of.run("models add", { name: CLAUDE });
      await expect(ask(of)).rejects.toMatchObject({ hint: expect.stringContaining(SAID) as string });
    }));

  it("is said to be left out before the answer of the model that comes instead", () =>
    withModelMind(kind, { claude: () => unknown, use: [CLAUDE, LLAMA] }, async ({ mind }) => {
      const texts: string[] = [];
      for await (const event of gatewayOf(mind).stream(requestTo(null)))
        if (event.kind === "instead") texts.push(event.text);
      expect(texts).toEqual([expect.stringContaining(SAID)]);
    }));

  it("is not left out while its server lists it", () =>
    withModelMind(
      kind,
      {
        use: ["ollama/scripted:latest"],
        llama: () => ({ error: { status: 404, type: "api_error", message: "model 'scripted:latest' not found" } }),
      },
      async (of) => {
        const printed = await of.print("models test");
        expect(printed).toContain("no-such-model");
        expect(printed).not.toContain("left out");
        expect(await listRetiredModels(of.mind.db)).toEqual([]);
      },
    ));

  it("comes back with models add, in the journal, in the owner's name", () =>
    withModelMind(kind, { claude: (_request, at) => (at === 0 ? unknown : { text: "here" }) }, async (of) => {
      await leaveOut(of);
      await of.run("models add", { name: CLAUDE });
      expect(await listRetiredModels(of.mind.db)).toEqual([]);
      const [last] = await listChanges(of.mind.db, { limit: 1 });
      expect(last).toMatchObject({ noun: "retired-model", subject: CLAUDE, after: null });
      expect(last).toHaveProperty("actor", expect.stringMatching(/^owner/));
      expect(await ask(of)).toMatchObject({ response: "here" });
    }));

  it("is said to be back by models add; adding a model that is there changes nothing and says no more", () =>
    withModelMind(kind, { claude: (_request, at) => (at === 0 ? unknown : { text: "here" }) }, async (of) => {
      await leaveOut(of);
      expect(await of.print("models add", { name: CLAUDE })).toMatch(
        new RegExp(`^${CLAUDE} was left out, and is back\\. .*\n\\(change \\d+; oldhand undo \\d+ undoes it\\)$`),
      );
      expect(await of.print("models add", { name: CLAUDE })).toBe(
        `${CLAUDE} was already there. oldhand models test ${CLAUDE} tries it.`,
      );
      expect(await of.run("models add", { name: CLAUDE })).toMatchObject({
        ...{ isNew: false, isBack: false, changes: [], unjournalled: null },
      });
    }));

  it("models add says what is missing if the name of an endpoint, or a new name, comes without a model", () =>
    withModelMind(kind, {}, async ({ run, llama }) => {
      await run("models add", { name: "workshop", url: llama.url, kind: "ollama" });
      await expect(run("models add", { name: "workshop" })).rejects.toMatchObject({
        message: "workshop is an endpoint, not a model",
        hint: "oldhand models add workshop/scripted:latest adds a model; oldhand models list workshop shows its models",
      });
      await expect(run("models add", { name: "bar" })).rejects.toMatchObject({
        message: '"bar" is not a model',
        hint: expect.stringContaining("oldhand models add bar --url URL adds an endpoint of your own") as string,
      });
    }));

  it("comes back with a test that succeeds, and stays away after one that fails", () =>
    withModelMind(kind, { claude: (_request, at) => (at < 2 ? unknown : { text: "here" }) }, async (of) => {
      await leaveOut(of);
      await of.run("models test", { model: CLAUDE });
      expect(await listRetiredModels(of.mind.db)).toHaveLength(1);
      await of.run("models test", { model: CLAUDE });
      expect(await listRetiredModels(of.mind.db)).toEqual([]);
    }));

  it("comes back when its provider has another address, in the journal", () =>
    withModelMind(kind, { claude: (_request, at) => (at === 0 ? unknown : { text: "here" }) }, async (of) => {
      await leaveOut(of);
      await of.reopen({ ANTHROPIC_BASE_URL: of.claude.url.replace("127.0.0.1", "localhost") });
      expect(await of.print("models list")).not.toContain(WRONG);
      expect(await ask(of)).toMatchObject({ response: "here" });
      expect(await listRetiredModels(of.mind.db)).toEqual([]);
      const [last] = await listChanges(of.mind.db, { limit: 1 });
      expect(last).toMatchObject({ noun: "retired-model", subject: CLAUDE, after: null });
    }));
});
