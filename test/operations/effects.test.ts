import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Preparation } from "../../src/operation.ts";
import { operations } from "../../src/operations.ts";
import { prepare } from "../../src/operations/shared/prepare.ts";
import { tables } from "../../src/store/state/tables.ts";
import { stores } from "../stores.ts";
import { changedBetween, dumpOf, type PendingMind, pendingMind } from "./pending-mind.ts";

describe.each(stores)("what operations change: $name", (kind) => {
  let pending: PendingMind;
  beforeAll(async () => {
    pending = await pendingMind(kind);
  });
  afterAll(() => pending.close());

  const reading = operations.filter((one) => one.effect === "read");
  const touching = operations.filter((one) => one.effect === "touches");

  it.each(reading.map((one) => one.name))("%s reads, and changes no table and no file", async (name) => {
    await pending.leaveWork();
    const before = await dumpOf(pending);
    await pending.run(name, inputFor(pending, name));
    expect(changedBetween(before, await dumpOf(pending))).toEqual([]);
  });

  it.each(touching)("$name changes nothing but bookkeeping", async ({ name, prepare: prepared }) => {
    await pending.leaveWork();
    const before = await dumpOf(pending);
    await pending.run(name, inputFor(pending, name));
    const changed = changedBetween(before, await dumpOf(pending)).map(tableOf);
    const allowed = [...prepared.flatMap((one) => preparedTables[one]), ...(ownBooks[name] ?? [])];
    expect(changed.filter((table) => !allowed.includes(table))).toEqual([]);
  });

  // They list changes; an edit that nobody has read yet is not one.
  const ofTheJournal = ["history", "why", "at"];
  const asking = [...reading, ...touching].map((one) => one.name).filter((name) => !ofTheJournal.includes(name));

  it.each(asking)("%s answers the same, whether somebody looked at the new events before or not", async (name) => {
    await pending.leaveWork();
    const input = inputFor(pending, name);
    const first = await pending.run(name, input);
    await prepare(pending.mind, all);
    expect(withoutDid(await pending.run(name, input))).toEqual(withoutDid(first));
  });
});

/** `soul show` reports what was just done with each file, which differs the second time. */
function withoutDid(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result, (key, value: unknown) => (key === "did" ? undefined : value)));
}

const all: readonly Preparation[] = ["events", "markers", "owner-edits", "identity-edits", "vectors"];

/** Recomputed from stored data, so any reader may update it. */
const derived = tables.filter((one) => one.backup === "derived").map((one) => tableOf(one.name));

/** The tables that each preparation updates. */
const preparedTables: Readonly<Record<Preparation, readonly string[]>> = {
  events: ["events", "meta", ...derived],
  markers: [
    ...["memories", "passages", "words", "journal", "meta", "mistakes", "wins", "rules", "kv", "messages"],
    ...["goals", "tasks", "execution_log"],
  ],
  "owner-edits": [
    ...["memories", "passages", "words", "journal"],
    ...["file MEMORY.md", "file USER.md", "file memory-files.json"],
  ],
  "identity-edits": ["identities", "journal", "file identity-files.json"],
  vectors: ["vectors", "meta"],
};

const counts = ["rule_sessions", "rule_marks"];

/** Further tables that an operation writes: counts, uses and summaries. */
const ownBooks: Readonly<Record<string, readonly string[]>> = {
  report: counts,
  "rules backtest": counts,
  "rules effect": counts,
  "suggest skills": counts,
  recall: ["memory_uses"],
  "memories boot": ["memory_uses"],
  advice: ["memory_uses", "shown"],
  "sessions summary": ["session_summaries"],
  daily: ["session_summaries"],
  // They synchronise files and mind themselves, because the result contains what was done with each.
  "soul show": [...preparedTables["owner-edits"], ...preparedTables["identity-edits"]],
  "soul proposals": [...counts, "identity_proposals"],
};

/** The word index has several tables, which differ between the stores. */
function tableOf(name: string): string {
  return /^(passage_)?words?_(\w+)$|^(passage_)?words$/.test(name) ? "words" : name;
}

function inputFor({ ids }: PendingMind, name: string): object {
  const given: Readonly<Record<string, object>> = {
    at: { time: "2030-01-01T00:00:00Z" },
    match: { command: "git push origin main" },
    why: { id: ids.change },
    "working list": { session: ids.session },
    "memories show": { id: ids.memory },
    recall: { query: "parsers" },
    advice: { prompt: "what did the owner write about parsers?" },
    "memories boot": { situation: "parsers" },
    "sessions entries": { id: "chat_1" },
    "sessions follow": { after: 0, limit: 5 },
    "sessions search": { query: "parser", by: "words" },
    find: { query: "parser" },
    daily: { day: "2026-11-01" },
    "models call": { id: "mc_1" },
    "agents stats": { agent: "clerk" },
    "agents health": { agent: "clerk" },
    "goal show": { goal: ids.goal },
    "goal tool": { action: "list" },
  };
  const needsId = name.startsWith("rules ") && name !== "rules list" && name !== "rules shown";
  if (name.startsWith("sessions s") || name === "sessions replay") return given[name] ?? { id: ids.session };
  return given[name] ?? (needsId ? { id: ids.rule } : {});
}
