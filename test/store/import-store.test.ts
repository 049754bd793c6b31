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
import { actOnMarkers } from "../../src/record/markers/act-on-markers.ts";
import { findDisagreements, forgetSubject, listChanges } from "../../src/store/journal/journal.ts";
import { listMemories } from "../../src/store/nouns/memories.ts";
import { isSpeaking } from "../../src/domain/rule/rule.ts";
import { listRules } from "../../src/store/nouns/rules.ts";
import { listComments } from "../../src/store/goals/comments.ts";
import { listExecutionEntries } from "../../src/store/goals/execution-log.ts";
import { listSnapshots, readLastSnapshot } from "../../src/store/goals/snapshots.ts";
import { listGoals } from "../../src/store/nouns/goals.ts";
import { listMistakes, listWins } from "../../src/store/nouns/ledger.ts";
import { listTasks, taskNoun } from "../../src/store/nouns/tasks.ts";
import {
  secret,
  writeClaudeMem,
  writeFrameworkDump,
  writeHermes,
  writeLearnedBehavior,
  writeLivingBoard,
} from "../other-stores.ts";
import { byOwner } from "./samples.ts";
import { stores, withStore } from "../stores.ts";

describe.each(stores)("the stores of other products, on $name", (kind) => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "oldhand-others-"));
    writeLearnedBehavior(join(dir, "learning.db"));
    writeLivingBoard(join(dir, "board"));
    writeHermes(join(dir, "hermes"));
    writeClaudeMem(join(dir, "claude-mem.db"));
    writeFrameworkDump(join(dir, "agent.sql"));
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
  const all = ["learning.db", "board", "hermes", "agent.sql", "claude-mem.db"];
  const none = { goals: 0, tasks: 0, others: 0 };
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
        [1, 2, 2],
        [4, 0, 2],
      ]);
      for (const name of all)
        expect(await bring(db, name)).toMatchObject({ ...none, events: 0, rules: 0, memories: 0 });
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

  it("bring goals that are only proposed, and tasks that are at most claimed, with parents and what comes first", () =>
    withStore(kind, async ({ db }) => {
      await bring(db, "board");
      const goals = new Map((await listGoals(db)).map((goal) => [goal.title, goal]));
      expect([...goals.values()].filter(({ status }) => status === "active")).toEqual([]);
      expect(goals.get("Write")).toMatchObject({ status: "done", priority: 4, createdBy: "import", folder: null });
      const publish = goals.get("Publish");
      const write = goals.get("Write")?.id ?? "";
      expect(publish).toMatchObject({ status: "proposed", priority: 1, parent: write, dependsOn: [write] });
      expect(goals.get("Sell")).toMatchObject({ reason: "it was blocked in living-board: no key" });
      // Each was the other's parent there.
      const parents = [goals.get("Sell"), goals.get("Earn")].map((goal) => goal?.parent ?? null);
      expect(parents.filter((parent) => parent !== null)).toHaveLength(1);
      const tasks = new Map((await listTasks(db)).map((task) => [task.title, task]));
      expect(tasks.get("Research")).toMatchObject({
        ...{ status: "done", proof: "claimed", result: "three found", check: { kind: "person" } },
        endedAt: Date.parse("2026-04-01T01:00:00Z"),
      });
      expect(tasks.get("Log in")).toMatchObject({ status: "pending", dependsOn: [tasks.get("Get a key")?.id] });
      expect(tasks.get("Get a key")).toMatchObject({ status: "blocked", reason: expect.stringMatching(/^needs /) });
      expect(JSON.stringify([...tasks.values()])).not.toContain(secret);
      expect(await findDisagreements(db)).toEqual([]);
    }));

  it("bring what was said, the log and the snapshots as what they are: history from elsewhere", () =>
    withStore(kind, async ({ db }) => {
      await bring(db, "board");
      const publish = (await listGoals(db)).find(({ title }) => title === "Publish");
      expect(await listComments(db, { goal: publish?.id })).toMatchObject([
        { kind: "direction", text: "Dev.to first", author: "import", acknowledgedAt: null },
        { kind: "question", text: "When?", answer: "May" },
      ]);
      const log = await listExecutionEntries(db);
      expect(log).toHaveLength(3);
      expect(log[0]).toMatchObject({ action: "execute", source: "living-board", cycle: null });
      const [snapshot] = await listSnapshots(db, { limit: 5 });
      expect(snapshot).toMatchObject({
        ...{ content: "All is well", cycleCount: 1, source: "living-board", currentFocus: "g-2" },
        activeGoals: [{ id: publish?.id, claimedPercent: 40, verifiedPercent: 0 }],
        openBlockers: [{ description: "no key" }],
      });
      expect(JSON.stringify([log, snapshot])).not.toContain(secret);
      expect(await readLastSnapshot(db)).toBeNull();
    }));

  it("bring nothing back that was undone or forgotten since", () =>
    withStore(kind, async ({ db }) => {
      await bring(db, "board");
      const task = (await listTasks(db)).find(({ title }) => title === "Research");
      await forgetSubject(db, { noun: taskNoun, id: task?.id ?? "" }, byOwner(2_000));
      expect(await bring(db, "board")).toMatchObject(none);
      expect((await listTasks(db)).map(({ title }) => title)).not.toContain("Research");
    }));

  it("read a dump of a database: its ledger, its tasks, and directives as rules that wait", () =>
    withStore(kind, async ({ db }) => {
      const { leftOut, ...counts } = await bring(db, "agent.sql");
      expect(counts).toMatchObject({ rules: 2, memories: 2, goals: 2, tasks: 4, others: 3 });
      expect(leftOut).toMatchObject([
        { what: "agent_memory", count: 1 },
        { what: "deltas", count: 1 },
        { what: "unknown fields of agent_ledger", why: "mood" },
        { what: "agent_activity", count: 1 },
      ]);
      expect(await listMistakes(db)).toMatchObject([
        { what: "It's (not) deployed", severity: "high", signal: 'the log said "0 files"', origin: "external" },
      ]);
      expect(await listWins(db)).toMatchObject([{ what: "read the log\nfirst", pattern: "reading-first" }]);
      const memories = new Map((await listMemories(db)).map((one) => [one.text, one]));
      expect(memories.get("Ada likes short answers.\nAlways.")).toMatchObject({
        importance: 80,
        tags: ["of ada", "persistent-agent-framework", "person", "style"],
      });
      expect(memories.get("caches lie\nExpected: green. It was: red.")).toMatchObject({ category: "operational" });
      expect((await listGoals(db)).map(({ status }) => status)).toEqual(["proposed", "proposed"]);
      const tasks = new Map((await listTasks(db)).map((one) => [one.title, one]));
      expect(tasks.get("send the brief")).toMatchObject({
        position: 1,
        status: "pending",
        description: '{"to":"ada"}',
      });
      expect(tasks.get("fetch")).toMatchObject({ status: "blocked", reason: "no network" });
      expect(tasks.get("tidy")).toMatchObject({ status: "done", proof: "claimed" });
      expect(tasks.get("buy a domain")).toMatchObject({ description: "ask the owner" });
      // What its log says does nothing here.
      expect(await actOnMarkers({ db, config, clock })).toMatchObject({ tasks: 0, refused: 0 });
    }));
});
