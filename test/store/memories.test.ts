import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Memory,
  memoryScopes,
  type MemoryScope,
  formatMemoryScope,
  type Viewer,
} from "../../src/domain/memory/memory.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { findDisagreements, forgetSubject, undoChange } from "../../src/store/journal/journal.ts";
import {
  getMemory,
  listMemories,
  memoryNoun,
  rebuildMemoryWordIndex,
  searchMemories,
} from "../../src/store/nouns/memories.ts";
import { countMemoryUses, recordMemoryUses } from "../../src/store/shown/memory-uses.ts";
import { remember, type NewMemory } from "../../src/store/journal/remember.ts";
import { stores, withStore } from "../stores.ts";
import { byOwner } from "./samples.ts";

const by = (at: number) => ({ ...byOwner(at), policy: defaultPolicy.memory });
const aWish = (over: Partial<NewMemory> & { text: string }): NewMemory => ({
  scope: { kind: "global" },
  origin: "owner",
  ...over,
});

async function written(db: Db, newMemory: Partial<NewMemory> & { text: string }, at = 10): Promise<Memory> {
  const made = await remember(db, aWish(newMemory), by(at));
  if (made.kind !== "written") throw new Error(`known as ${made.memory.text}`);
  return made.memory;
}

describe.each(stores)("memories on $name", (kind) => {
  it("are written once for each key and scope; the same key again replaces the text and keeps the rest", () =>
    withStore(kind, async ({ db }) => {
      const first = await written(db, {
        text: "The owner prefers Rust",
        key: "language",
        importance: 80,
        tags: ["b", "a"],
      });
      expect(first).toMatchObject({
        importance: 80,
        tags: ["a", "b"],
        confidence: 0.9,
        trust: "owner",
        status: "active",
      });
      const second = await written(db, { text: "The owner prefers Zig", key: "language" }, 20);
      expect(second).toMatchObject({ id: first.id, importance: 80, createdAt: 10, text: "The owner prefers Zig" });
      const other = await written(db, { text: "Go", key: "language", scope: { kind: "workspace", name: "/w" } });
      expect(other.id).not.toBe(first.id);
      expect(await listMemories(db)).toHaveLength(2);
      expect(await findDisagreements(db)).toEqual([]);
    }));

  it("are found by their words, their key and their tags, and no longer by words they had", () =>
    withStore(kind, async ({ db }) => {
      const find = async (query: string) => (await searchMemories(db, query, { limit: 9 })).map((memory) => memory.key);
      await written(db, { text: "Deploys go through staging first", key: "deploy-path", tags: ["kubernetes"] });
      expect(await find("staging")).toEqual(["deploy-path"]);
      expect(await find("kubernetes")).toEqual(["deploy-path"]);
      expect(await find("path")).toEqual(["deploy-path"]);
      await written(db, { text: "Deploys go straight to production", key: "deploy-path" });
      expect(await find("staging")).toEqual([]);
      expect(await find("production")).toEqual(["deploy-path"]);
      await (await db.dialect.passageWords()).drop(db);
      expect(await find("production")).toEqual([]);
      expect(await rebuildMemoryWordIndex(db)).toBe(1);
      expect(await find("production")).toEqual(["deploy-path"]);
    }));

  it("that say nearly the same are one, and a changed word, number or negation makes another", () =>
    withStore(kind, async ({ db }) => {
      const first = await written(db, { text: "The staging server listens on port 8080 behind nginx" });
      const again = await remember(db, aWish({ text: "Staging server listens on port 8080, behind nginx." }), by(20));
      expect(again).toMatchObject({ kind: "known", memory: { id: first.id } });
      for (const text of [
        "The staging server listens on port 8081 behind nginx",
        "The staging server never listens on port 8080 behind nginx",
        "The production server listens on port 8080 behind nginx",
      ])
        expect([text, (await remember(db, aWish({ text }), by(30))).kind]).toEqual([text, "written"]);
      expect((await remember(db, aWish({ text: first.text, anyway: true }), by(40))).kind).toBe("written");
      const elsewhere = aWish({ text: first.text, scope: { kind: "workspace", name: "/w" } });
      expect((await remember(db, elsewhere, by(50))).kind).toBe("written");
    }));

  it("keep the least trust of what they supersede, and what is less trusted never replaces what is more", () =>
    withStore(kind, async ({ db }) => {
      const page = await written(db, { text: "The API limit is 100 calls", key: "limit", origin: "external" });
      const ours = await written(db, { text: "The limit is 100", origin: "agent", supersedes: [page.id] }, 20);
      expect(ours).toMatchObject({ origin: "agent", trust: "external", supersedes: [page.id] });
      expect(await getMemory(db, page.id)).toMatchObject({ status: "superseded" });
      await written(db, { text: "The owner's name is Ada", key: "name" });
      await expect(remember(db, aWish({ text: "It is Eve", key: "name", origin: "external" }), by(30))).rejects.toThrow(
        "may not replace",
      );
      await expect(remember(db, aWish({ text: "x", origin: "agent", supersedes: ["m_none"] }), by(30))).rejects.toThrow(
        "no memory m_none",
      );
    }));

  it("are undone, with what they superseded back in place, and forgotten", () =>
    withStore(kind, async ({ db }) => {
      const old = await written(db, { text: "We use npm" });
      const made = await remember(db, aWish({ text: "We use pnpm", supersedes: [old.id] }), by(20));
      if (made.kind !== "written") throw new Error("known");
      for (const change of made.changes.toReversed()) await undoChange(db, change.id, byOwner(30));
      expect(await listMemories(db)).toMatchObject([{ id: old.id, status: "active" }]);
      await forgetSubject(db, { noun: memoryNoun, id: old.id }, byOwner(40));
      expect(await searchMemories(db, "npm", { limit: 9 })).toEqual([]);
      expect(await findDisagreements(db)).toEqual([]);
    }));

  it("refuse a learning without a category, and a category on anything else", () =>
    withStore(kind, async ({ db }) => {
      await expect(remember(db, aWish({ text: "x", kind: "learning" }), by(1))).rejects.toThrow("needs a category");
      await expect(remember(db, aWish({ text: "x", category: "meta" }), by(1))).rejects.toThrow("only a learning");
      expect(await written(db, { text: "x", kind: "learning", category: "meta" })).toMatchObject({ category: "meta" });
    }));

  it("count uses without journalling them", () =>
    withStore(kind, async ({ db }) => {
      const { id } = await written(db, { text: "x" });
      await recordMemoryUses(db, [id, id], { at: 50, kind: "recalled" });
      await recordMemoryUses(db, [id], { at: 60, kind: "confirmed", host: "codex", session: "s" });
      expect((await countMemoryUses(db, [id])).get(id)).toEqual({
        uses: 2,
        confirmations: 1,
        contradictions: 0,
        lastUsedAt: 50,
        lastConfirmedAt: 60,
      });
      expect(await findDisagreements(db)).toEqual([]);
    }));

  it("lose the vector of words they no longer have", () =>
    withStore(kind, async ({ db }) => {
      const vectors = await db.dialect.vectors();
      const { id } = await written(db, { text: "alpha", key: "k" });
      const vector = Int8Array.from([1, 2, 3, 4]);
      const missing = () => vectors.missing(db, { noun: "memory", model: "m" }, [id]);
      await vectors.put(db, [{ noun: "memory", subject: id, model: "m", dims: 4, vector }]);
      await written(db, { text: "alpha", key: "k", importance: 90 });
      expect(await missing()).toEqual([]);
      await written(db, { text: "beta", key: "k" });
      expect(await missing()).toEqual([id]);
    }));

  it("of one scope are never found or listed from another", () =>
    withStore(kind, async ({ db }) => {
      const name = fc.constantFrom("a", "b", "");
      const scope: fc.Arbitrary<MemoryScope> = fc
        .tuple(fc.constantFrom(...memoryScopes), name)
        .map(([one, of]) => (one === "global" ? { kind: one } : { kind: one, name: of }));
      const standpoint: fc.Arbitrary<Viewer> = fc.record({ workspace: name, goal: name, agent: name });
      await fc.assert(
        fc
          .asyncProperty(fc.array(scope, { minLength: 1, maxLength: 8 }), standpoint, async (scopes, here) => {
            for (const [index, each] of scopes.entries())
              await written(db, { text: `the secret word is ${index}`, scope: each, anyway: true });
            const seenFrom = here;
            const seen = [
              ...(await searchMemories(db, "secret word", { viewer: seenFrom, limit: 50 })),
              ...(await listMemories(db, { viewer: seenFrom })),
            ];
            const allowed = new Set(
              scopes
                .filter((each) => each.kind === "global" || (each.name !== "" && here[each.kind] === each.name))
                .map(formatMemoryScope),
            );
            for (const memory of seen) expect([...allowed]).toContain(formatMemoryScope(memory.scope));
            for (const each of allowed) expect(seen.map((memory) => formatMemoryScope(memory.scope))).toContain(each);
          })
          .beforeEach(async () => {
            await db.run("delete from memories");
            await db.run("delete from journal");
            await db.run("delete from passages");
            await (await db.dialect.passageWords()).drop(db);
          }),
        { numRuns: kind.name === "sqlite" ? 60 : 15 },
      );
    }));
});
