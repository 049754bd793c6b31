import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { importStore } from "../../src/observe/imports/import-store.ts";
import { findOtherStore } from "../../src/observe/stores/list.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { findDisagreements, listChanges } from "../../src/store/journal/journal.ts";
import { listMemories } from "../../src/store/nouns/memories.ts";
import { isSpeaking } from "../../src/domain/rule/rule.ts";
import { listRules } from "../../src/store/nouns/rules.ts";
import { writeClaudeMem, writeHermes, writeLearnedBehavior, writeLivingBoard } from "../other-stores.ts";
import { stores, withStore } from "../stores.ts";

describe.each(stores)("the stores of other products, on $name", (kind) => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "oldhand-others-"));
    writeLearnedBehavior(join(dir, "learning.db"));
    writeLivingBoard(join(dir, "board"));
    writeHermes(join(dir, "hermes"));
    writeClaudeMem(join(dir, "claude-mem.db"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const clock = fixedClock(Date.parse("2026-11-01T00:00:00Z"));
  const config = {
    home: "",
    database: "",
    off: { everywhere: false, workspaces: [] },
    policy: defaultPolicy,
    providers: noProviders,
  };
  const all = ["learning.db", "board", "hermes", "claude-mem.db"];
  const bring = (db: Db, name: string) => {
    const path = join(dir, name);
    const store = findOtherStore(path, null);
    if (store === null) throw new Error(`${name} is not known for what it is`);
    return importStore({ db, config, clock }, { store, path });
  };

  it("are known by what is in them, and brought in once", () =>
    withStore(kind, async ({ db }) => {
      const first = [];
      for (const name of all) first.push(await bring(db, name));
      expect(first.map(({ events, rules, memories }) => [events, rules, memories])).toEqual([
        [4, 3, 0],
        [3, 0, 3],
        [0, 0, 4],
        [4, 0, 2],
      ]);
      for (const name of all) expect(await bring(db, name)).toMatchObject({ events: 0, rules: 0, memories: 0 });
      expect(await findDisagreements(db)).toEqual([]);
    }));

  it("are not trusted: every rule and memory is external, no rule speaks, and the journal names the import", () =>
    withStore(kind, async ({ db }) => {
      for (const name of all) await bring(db, name);
      expect(new Set((await listRules(db)).map((rule) => rule.origin))).toEqual(new Set(["external"]));
      expect(new Set((await listMemories(db)).flatMap(({ origin, trust }) => [origin, trust]))).toEqual(
        new Set(["external"]),
      );
      expect((await listRules(db)).filter(isSpeaking)).toEqual([]);
      const [last] = await listChanges(db, { limit: 1 });
      expect(last).toMatchObject({ actor: "import", cause: { kind: "import", id: "claude-mem" }, at: clock.now() });
    }));

  it("keep the time and the confidence they recorded; what is too unsure is archived at once", () =>
    withStore(kind, async ({ db }) => {
      await bring(db, "board");
      const learnt = await listMemories(db);
      const found = (words: string) => learnt.find((memory) => memory.text.startsWith(words));
      expect(found("Publish weekly")).toMatchObject({
        createdAt: Date.parse("2026-03-30T02:00:00Z"),
        status: "active",
        confidence: 0.7,
      });
      expect(found("The editor wants")).toMatchObject({
        category: "domain_knowledge",
        tags: ["living-board", "technical"],
        status: "archived",
      });
      expect(found("The cookie is")?.tags).toContain("goal:g-1");
    }));
});
