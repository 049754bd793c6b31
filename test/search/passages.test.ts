import { describe, expect, it } from "vitest";
import { searchPassages } from "../../src/search/search-passages.ts";
import { putPassages, removePassage } from "../../src/store/nouns/passages.ts";
import { stores, withStore } from "../stores.ts";

describe.each(stores)("passages on $name", (kind) => {
  const passage = (subject: string, scope: string, text: string) => ({ noun: "memory", subject, scope, text });
  /** Points east for texts about animals, north for all others. */
  const embedder = {
    model: "compass",
    embed: async (texts: readonly string[]) =>
      texts.map((text) => (/dog|pet|animal/.test(text) ? Int8Array.of(120, 5) : Int8Array.of(5, 120))),
  };

  it("are found by words within the scopes that may be seen, and never beyond", () =>
    withStore(kind, async ({ db }) => {
      await putPassages(db, [
        passage("a", "global", "prefers pnpm over npm"),
        passage("b", "/home/ada/shop", "pnpm needs the frozen lockfile"),
        passage("c", "/home/ben/bank", "pnpm is forbidden"),
      ]);
      const ask = async (scopes?: readonly string[]) =>
        (await searchPassages({ db }, { noun: "memory", query: "pnpm", limit: 9, ...(scopes ? { scopes } : {}) }))
          .map((hit) => hit.subject)
          .toSorted();
      expect(await ask()).toEqual(["a", "b", "c"]);
      expect(await ask(["global", "/home/ada/shop"])).toEqual(["a", "b"]);
      expect(await ask([])).toEqual([]);
    }));

  it("are found by meaning within scopes too, and gone when they are removed or replaced", () =>
    withStore(kind, async ({ db }) => {
      const vectors = await db.dialect.vectors();
      const texts = [
        passage("rex", "mine", "my dog is Rex"),
        passage("tax", "mine", "taxes are due"),
        passage("cat", "theirs", "a pet cat"),
      ];
      await putPassages(db, texts);
      const made = await embedder.embed(texts.map((one) => one.text));
      await vectors.put(
        db,
        texts.map((one, at) => ({
          noun: "memory",
          subject: one.subject,
          model: "compass",
          dims: 2,
          vector: made[at] ?? Int8Array.of(0, 0),
        })),
      );
      const ask = async (scopes: readonly string[]) =>
        (await searchPassages({ db, embedder }, { noun: "memory", query: "animal", limit: 9, scopes })).map(
          (hit) => hit.subject,
        );
      expect((await ask(["mine"]))[0]).toBe("rex");
      expect(await ask(["mine"])).not.toContain("cat");
      expect(await ask(["mine", "theirs"])).toContain("cat");
      await removePassage(db, "memory", "rex");
      expect(await ask(["mine"])).not.toContain("rex");
      await putPassages(db, [passage("tax", "theirs", "taxes are due")]);
      expect(await ask(["mine"])).toEqual([]);
    }));

  it("are found in a narrow scope also where thousands beyond it have the same words and are nearer", () =>
    withStore(kind, async ({ db }) => {
      const vectors = await db.dialect.vectors();
      const mine = passage("mine", "mine", "a pet of the deployment");
      const theirs = Array.from({ length: 3_200 }, (_, n) => passage(`t${n}`, "theirs", "deployment of a pet"));
      await putPassages(db, [mine, ...theirs]);
      const made = [mine, ...theirs].map(({ subject }, n) => ({
        noun: "memory",
        subject,
        model: "compass",
        dims: 2,
        vector: n === 0 ? Int8Array.of(5, 120) : Int8Array.of(120, 5),
      }));
      for (let from = 0; from < made.length; from += 500) await vectors.put(db, made.slice(from, from + 500));
      const ask = async (query: string, by: typeof embedder | null, scopes = ["mine"]) =>
        (await searchPassages({ db, embedder: by }, { noun: "memory", query, limit: 3, scopes })).map(
          (hit) => hit.subject,
        );
      expect(await ask("deployment", null)).toEqual(["mine"]);
      expect(await ask("animal", embedder)).toEqual(["mine"]);
      expect(await ask("deployment", null, ["none"])).toEqual([]);
    }));

  it("are replaced, moved and left as they are in one go", () =>
    withStore(kind, async ({ db }) => {
      const find = async (query: string, scopes: readonly string[]) =>
        (await searchPassages({ db }, { noun: "memory", query, limit: 9, scopes }))
          .map((hit) => hit.subject)
          .toSorted();
      await putPassages(db, [
        passage("a", "x", "red apple"),
        passage("b", "x", "red pear"),
        passage("c", "x", "red fig"),
      ]);
      await putPassages(db, [
        passage("a", "x", "green apple"),
        passage("b", "y", "red pear"),
        passage("c", "x", "red fig"),
        passage("d", "x", "blue plum"),
        passage("d", "x", "red plum"),
      ]);
      expect(await find("red", ["x"])).toEqual(["c", "d"]);
      expect(await find("red", ["y"])).toEqual(["b"]);
      expect(await find("green blue", ["x"])).toEqual(["a"]);
    }));

  it("say what is known of them where words say the same", () =>
    withStore(kind, async ({ db }) => {
      await putPassages(db, [passage("old", "global", "use tabs"), passage("new", "global", "use tabs")]);
      const known = async () =>
        new Map([
          ["old", { importance: 0.9 }],
          ["new", { importance: 0.1 }],
        ]);
      const hits = await searchPassages({ db }, { noun: "memory", query: "tabs", limit: 2, known });
      expect(hits.map((hit) => hit.subject)).toEqual(["old", "new"]);
    }));
});
