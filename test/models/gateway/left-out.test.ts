import { describe, expect, it } from "vitest";
import { listChanges } from "../../../src/store/journal/journal.ts";
import { listRetiredModels } from "../../../src/store/nouns/retired-models.ts";
import { stores } from "../../stores.ts";
import { CLAUDE } from "./lab.ts";
import { type ModelMind, withModelMind } from "./mind.ts";

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
