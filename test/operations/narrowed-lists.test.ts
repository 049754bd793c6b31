import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Context } from "../../src/context.ts";
import type { Memory } from "../../src/domain/memory/memory.ts";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { invoke } from "../../src/invoke.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { operations } from "../../src/operations.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { mistakeNoun } from "../../src/store/nouns/ledger.ts";
import { memoryNoun } from "../../src/store/nouns/memories.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { quiet } from "../context.ts";
import { aFailure, aMistake, anEvent, aRule, put } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const home = mkdtempSync(join(tmpdir(), "oldhand-narrowed-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const config = {
  home,
  database: "",
  off: { everywhere: false, workspaces: [] },
  policy: defaultPolicy,
  providers: noProviders,
};
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 2, 31);
const shop = "/home/ada/shop";
const bank = "/home/ada/bank";

/** The same things in each month and each project, named after both. */
const months = [
  { name: "january", at: Date.UTC(2026, 0, 15) },
  { name: "february", at: Date.UTC(2026, 1, 15) },
  { name: "march", at: Date.UTC(2026, 2, 15) },
] as const;
const february = { since: "2026-02-01T00:00:00Z", until: "2026-02-28T23:59:59Z" };

const aMemory = (id: string, over: Pick<Memory, "text" | "scope" | "createdAt">): Memory => ({
  ...{ id, key: id, kind: "fact", category: null, importance: 50, confidence: 0.9, tags: [], supersedes: [] },
  ...{ origin: "owner", trust: "owner", pinned: false, status: "active", ...over },
});

async function fill(ctx: Context): Promise<void> {
  const { db } = ctx;
  // In chronological order, because the journal's time never decreases.
  for (const { name, at } of months)
    for (const [workspace, place] of [
      [shop, "shop"],
      [bank, "bank"],
    ] as const) {
      const word = `${place}-${name}`;
      const there = { workspace, cwd: workspace, at };
      const rule = aRule(`r_${word}`, { text: `Rule ${word}`, scope: { kind: "workspace", workspace } });
      const evidence = { ...rule.evidence, first: at, last: at + DAY };
      await put(db, ruleNoun, { ...rule, evidence }, { at });
      await put(db, mistakeNoun, aMistake(`mk_${word}`, { what: `Mistake ${word}`, pattern: word, workspace, at }), {
        at,
      });
      const scope = { kind: "workspace", name: workspace } as const;
      await put(db, memoryNoun, aMemory(`m_${word}`, { text: `Memory 100% ${word}`, scope, createdAt: at }), { at });
      await appendEvents(db, [
        ...[1, 2].map((session) =>
          aFailure(`${word}-${session}`, `failure ${word}`, {
            ...there,
            session: `${word}-${session}`,
            head: "make",
            input: { command: `make ${word}` },
            error: `no rule for ${word}`,
          }),
        ),
        anEvent(`${word}-prompt`, {
          ...{ ...there, session: `${word}-1`, kind: "prompt", tool: null, head: null, input: null },
          text: `please build ${word} now`,
        }),
      ]);
    }
}

function narrowed(what: string, act: (ctx: Context) => Promise<void>): void {
  it.each(stores)(`${what}, on $name`, (kind) =>
    withStore(kind, async (store) => {
      const ctx: Context = {
        ...quiet,
        ...{ db: store.db, store, config, clock: fixedClock(NOW), actor: { kind: "owner" } },
      };
      await fill(ctx);
      await act(ctx);
    }),
  );
}

async function ask(ctx: Context, name: string, input: Record<string, unknown>): Promise<string> {
  const operation = operations.find((one) => one.name === name && one.surfaces.includes("http"));
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  return JSON.stringify(await invoke(ctx, operation, input, ""));
}

/** The projects and months that a result mentions. */
function listWords(text: string): readonly string[] {
  return [...new Set(text.match(/(shop|bank)-(january|february|march)/g) ?? [])].toSorted();
}

describe("a time range and a workspace", () => {
  const lists = ["sessions list", "report", "rules list", "memories list", "ledger list", "history"];

  narrowed("hold in every list", async (ctx) => {
    for (const name of lists) {
      const listFor = async (input: Record<string, unknown>) => [name, listWords(await ask(ctx, name, input))];
      expect(await listFor({})).toEqual([name, expect.objectContaining({ length: 6 })]);
      expect(await listFor(february)).toEqual([name, ["bank-february", "shop-february"]]);
      expect(await listFor({ workspace: shop })).toEqual([name, ["shop-february", "shop-january", "shop-march"]]);
      expect(await listFor({ ...february, workspace: shop })).toEqual([name, ["shop-february"]]);
      expect(await listFor({ since: "2026-03-01T00:00:00Z" })).toEqual([name, ["bank-march", "shop-march"]]);
      expect(await listFor({ until: "2026-01-31T00:00:00Z" })).toEqual([name, ["bank-january", "shop-january"]]);
    }
  });

  narrowed("hold in a search through the sessions", async (ctx) => {
    const input = { query: "build", by: "words" };
    expect(listWords(await ask(ctx, "sessions search", input))).toHaveLength(6);
    expect(listWords(await ask(ctx, "sessions search", { ...input, ...february }))).toEqual([
      "bank-february",
      "shop-february",
    ]);
    expect(listWords(await ask(ctx, "sessions search", { ...input, ...february, workspace: bank }))).toEqual([
      "bank-february",
    ]);
  });

  narrowed("count what is in them", async (ctx) => {
    const { totals } = JSON.parse(await ask(ctx, "report", { ...february, workspace: shop }));
    expect(totals).toEqual({ sessions: 2, events: 3, failures: 2, repeated: 1 });
  });
});

describe("workspaces", () => {
  narrowed("are listed with their sessions", async (ctx) => {
    const { workspaces } = JSON.parse(await ask(ctx, "workspaces list", {}));
    const march = "2026-03-15T00:00:00.000Z";
    expect(workspaces).toEqual([
      { workspace: bank, sessions: 6, lastAt: march },
      { workspace: shop, sessions: 6, lastAt: march },
    ]);
  });
});

describe("find", () => {
  narrowed("finds rules, memories, mistakes and ledger entries by beginnings of words", async (ctx) => {
    const found = JSON.parse(await ask(ctx, "find", { query: "shop-febr" }));
    expect(found.rules.map((one: { id: string }) => one.id)).toEqual(["r_shop-february"]);
    expect(found.memories.map((one: { id: string }) => one.id)).toEqual(["m_shop-february"]);
    expect(found.entries.map((one: { id: string }) => one.id)).toEqual(["mk_shop-february"]);
    expect(found.mistakes).toEqual([
      { signature: "failure shop-february", text: expect.stringContaining("shop-february"), count: 2 },
    ]);
  });

  narrowed("takes every sign as it is, all words, and one folder where it is asked", async (ctx) => {
    const ids = async (input: Record<string, unknown>) =>
      JSON.parse(await ask(ctx, "find", input)).memories.map((one: { id: string }) => one.id);
    expect(await ids({ query: "100% march", workspace: bank })).toEqual(["m_bank-march"]);
    expect(await ids({ query: "10_%" })).toEqual([]);
    expect(await ids({ query: "memory", limit: 2 })).toHaveLength(2);
  });
});
