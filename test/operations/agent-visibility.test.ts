import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Context } from "../../src/context.ts";
import type { Memory } from "../../src/domain/memory/memory.ts";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { invoke, invokeStream } from "../../src/invoke.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { OldhandError } from "../../src/lib/errors.ts";
import type { Operation } from "../../src/operation.ts";
import { operations } from "../../src/operations.ts";
import { addAnswer } from "../../src/store/shown/answers.ts";
import { digest } from "../../src/store/derived/digest.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { listFacts } from "../../src/store/derived/facts.ts";
import { mistakeNoun } from "../../src/store/nouns/ledger.ts";
import { memoryNoun } from "../../src/store/nouns/memories.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { recordShownParts } from "../../src/store/shown/shown.ts";
import { storeTurn } from "../../src/store/sessions/working-memory.ts";
import { factId } from "../../src/domain/fact/fact.ts";
import { quiet } from "../context.ts";
import { aFailure, aMistake, anEvent, aRule, put } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const home = mkdtempSync(join(tmpdir(), "oldhand-visibility-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const config = {
  home,
  database: "",
  off: { everywhere: false, workspaces: [] },
  policy: defaultPolicy,
  providers: noProviders,
};
const actor = { kind: "agent", name: "codex" } as const;
const NOW = Date.UTC(2026, 0, 10);
const shop = "/home/ada/shop";
const bank = "/home/ada/bank";

/** Occurs in everything of the other project, and nowhere else. */
const SECRET = "zanzibar";
/** The same for the agent's own project, and for everything global. */
const OWN = "cabbage";
const WIDE = "everywhereword";

/** Fills a mind with two projects: one of each kind of thing in each. */
async function fill(db: Db): Promise<{ readonly ids: readonly string[]; readonly own: readonly string[] }> {
  const of = { [bank]: SECRET, [shop]: OWN };
  for (const [workspace, word] of Object.entries(of)) {
    const session = `session-${word}`;
    const there = { workspace, cwd: workspace, session, at: NOW - 60_000 };
    await put(db, ruleNoun, {
      ...aRule(`r_${word}`, { text: `Ask ${word} first.`, status: "approved", createdAt: NOW - 1_000 }),
      scope: { kind: "workspace", workspace },
    });
    await put(db, memoryNoun, aMemory(`m_${word}`, `The ${word} key is kept.`, { kind: "workspace", name: workspace }));
    await put(db, mistakeNoun, {
      ...aMistake(`mk_${word}`, { what: `Lost ${word}.`, pattern: `losing-${word}`, workspace, at: NOW - 1_000 }),
    });
    const failures = [1, 2, 3].map((at) =>
      aFailure(`${word}-f${at}`, `sig ${word}`, {
        ...{ ...there, session: `${session}-${at}` },
        ...{ head: `${word} run`, input: { command: `${word} run` }, error: `${word}: it broke` },
      }),
    );
    await appendEvents(db, [
      anEvent(`${word}-p`, { ...there, kind: "prompt", tool: null, head: null, input: null, text: `about ${word}` }),
      aFailure(`${word}-missing`, "sig", {
        ...there,
        ...{ tool: "Read", head: null, input: { file_path: `${workspace}/${word}.ts` }, error: "File does not exist." },
      }),
      ...failures,
    ]);
    await digest(db);
    const answer = { at: NOW, cause: "missing-path", given: true, tokens: 3, file: null, texts: [word] };
    await addAnswer(db, { host: "claude-code", session, agent: null, uid: `${word}-missing` }, answer);
    await recordShownParts(db, { at: NOW, host: "claude-code", session, moment: "prompt" }, [
      { kind: "rule", subject: `r_${word}`, level: "advise", tokens: 3 },
    ]);
    await storeTurn(db, { session, text: `turn of ${word}`, now: NOW, ttlMs: 3_600_000, maxBytes: 10_000 });
  }
  await put(db, ruleNoun, aRule("r_wide", { text: `Say ${WIDE}.`, status: "approved" }));
  await put(db, memoryNoun, aMemory("m_wide", `The ${WIDE} memory.`, { kind: "global" }));
  const facts = await listFacts(db, null);
  const named = (workspace: string) => facts.filter((fact) => fact.workspace === workspace).map(factId);
  const all = (word: string, workspace: string) => [
    ...[`r_${word}`, `m_${word}`, `mk_${word}`, `session-${word}`],
    ...named(workspace),
  ];
  return { ids: all(SECRET, bank), own: all(OWN, shop) };
}

const fresh = async (run: (ctx: Context, ids: Awaited<ReturnType<typeof fill>>) => Promise<void>, kind: Kind) =>
  withStore(kind, async (store) => {
    const ids = await fill(store.db);
    const ctx = { ...quiet, store, db: store.db, config, clock: fixedClock(NOW) };
    await run({ ...ctx, actor, within: [shop] }, ids);
  });
type Kind = (typeof stores)[number];

/** Inputs with which an agent might try to reach the other project: every way to name it. */
function questions(operation: Operation, ids: readonly string[]): readonly Record<string, unknown>[] {
  const shape = operation.input.shape as Readonly<Record<string, unknown>>;
  const has = (name: string) => name in shape;
  const words = Object.fromEntries(
    ["query", "prompt", "situation", "text", "what"].filter(has).map((name) => [name, `the ${SECRET} of it`]),
  );
  const limits = has("limit") ? { limit: 1_000 } : {};
  const base = { ...words, ...limits, ...(has("after") ? { after: 0 } : {}), ...fixed[operation.name] };
  const named = ["id", "session"].filter(has).flatMap((name) => ids.map((id) => ({ ...base, [name]: id })));
  return [
    base,
    ...named,
    ...(has("workspace") ? [bank, "/home/ada", "/"].map((workspace) => ({ ...base, workspace })) : []),
    ...(has("cwd") ? [{ ...base, cwd: bank, command: `${SECRET} run` }] : []),
    ...(has("all") ? [{ ...base, all: true }] : []),
    ...(has("by") && operation.name === "stats"
      ? [
          { ...base, by: "workspace" },
          { ...base, by: "tool" },
        ]
      : []),
  ];
}

const fixed: Readonly<Record<string, Record<string, unknown>>> = {
  daily: { day: "2026-01-09" },
  at: { time: "2026-01-10T00:00:00Z" },
  "sessions search": { by: "neighbours" },
  find: { query: SECRET },
  config: { action: "list" },
  "memories list": { status: "active" },
};

/** Operations that write files, read outside the mind or need a model: not about the mind's contents. */
const APART = new Set(["backup", "restore", "import", "import-rules", "init", "embed", "export", "suggest hooks"]);

/** Operations that only repeat what the agent said itself. */
const ECHOES = new Set(["remember", "mistake", "win", "markers", "working keep", "soul propose"]);

it.each(stores)("no operation shows an agent what is of another project, on $name", (kind) =>
  fresh(async (ctx, { ids }) => {
    const leaks: string[] = [];
    const readable = operations.filter((one) => !APART.has(one.name) && !ECHOES.has(one.name) && one.needs === "mind");
    for (const operation of readable)
      for (const input of questions(operation, ids)) {
        const results = await resultsOf(ctx, operation, input);
        // The input itself is not a leak.
        const text = JSON.stringify(results).replaceAll(`the ${SECRET} of it`, "");
        if (results.length > 0 && text.toLowerCase().includes(SECRET))
          leaks.push(`${operation.name} ${JSON.stringify(input)}: ${around(text)}`);
      }
    expect(leaks).toEqual([]);
  }, kind),
);

it.each(stores)("an agent still sees its own project and what holds everywhere, on $name", (kind) =>
  fresh(async (ctx, { own }) => {
    const lists = ["rules list", "memories list", "facts list", "sessions list", "sessions search", "ledger list"];
    for (const name of [...lists, "report", "history", "status", "sessions live"].filter((one) => one !== "status"))
      expect([name, await textOf(ctx, name, name === "sessions search" ? { query: OWN } : {})]).toEqual([
        name,
        name === "sessions live" ? expect.any(String) : expect.stringContaining(OWN),
      ]);
    for (const name of ["rules list", "memories list", "history"])
      expect([name, await textOf(ctx, name, {})]).toEqual([name, expect.stringContaining(WIDE)]);
    expect(await textOf(ctx, "answers", {})).toContain('"shown":{"answers":1');
    const [rule, memory, mistake, session, fact] = own;
    for (const [name, id] of [
      ["rules show", rule],
      ["rules why", rule],
      ["memories show", memory],
      ["why", mistake],
      ["why", fact],
      ["sessions show", session],
      ["sessions replay", session],
      ["sessions summary", session],
    ] as const)
      expect([name, await textOf(ctx, name, { id })]).toEqual([name, expect.stringContaining(OWN)]);
  }, kind),
);

it.each(stores)("a mistake is told with no rule of another project, and no numbers of one, on $name", (kind) =>
  fresh(async (ctx) => {
    const { db } = ctx;
    const failed = (workspace: string, word: string, at: number) =>
      aFailure(`both-${word}-${at}`, "sig both", {
        ...{ workspace, cwd: workspace, session: `both-${word}-${at}`, at: NOW - 60_000, head: "rel push" },
        ...{ input: { command: "rel push" }, error: "it broke" },
      });
    const worked = anEvent("both-ok", {
      ...{ workspace: bank, cwd: bank, session: "both-ok", head: "rel push", input: { command: "rel push" } },
    });
    await appendEvents(db, [...[1, 2, 3].flatMap((at) => [failed(bank, SECRET, at), failed(shop, OWN, at)]), worked]);
    await put(db, ruleNoun, {
      ...aRule("r_other", { text: `Push to ${SECRET}.`, status: "approved", signature: "sig both" }),
      ...{ scope: { kind: "workspace", workspace: bank }, matcher: { tool: "shell", head: "rel push", has: [] } },
    });
    const owner = { ...ctx, within: undefined, actor: { kind: "owner" } as const };
    for (const [who, input] of [
      [ctx, {}],
      [owner, { workspace: shop }],
    ] as const) {
      const text = await textOf(who, "report", input);
      expect(text).toContain("sig both");
      expect(text).not.toMatch(/r_other|worked 1 time/);
      expect(text).toContain('"totals":{"sessions":7,"events":8,"failures":7,"repeated":2}');
    }
    expect(await textOf(owner, "report", { workspace: bank })).toContain("r_other");
    expect(await textOf(owner, "report", {})).toContain("r_other");
    const status = await textOf(ctx, "status", {});
    expect(status).toContain('"counts":{"sessions":7,"events":8,"failures":7,"rules":2}');
    expect(status).toMatch(/"host":"claude-code","lastFiredAt":"[^"]*","events":8}/);
    expect(await textOf(owner, "status", {})).toContain('"sessions":15');
  }, kind),
);

it.each(stores)("an agent is told when a host was last heard in its own project, and in no other, on $name", (kind) =>
  fresh(async (ctx) => {
    const elsewhere = { host: "codex", workspace: bank, cwd: bank, session: "codex-bank", at: NOW - 5_000 };
    const later = { workspace: bank, cwd: bank, session: "claude-bank", at: NOW - 1_000 };
    await appendEvents(ctx.db, [anEvent("codex-bank", elsewhere), anEvent("claude-bank", later)]);
    const listHeard = async (who: Context) => {
      const { hosts } = JSON.parse(await textOf(who, "hosts list", {})) as { hosts: Record<string, unknown>[] };
      return (name: string) => hosts.find(({ host }) => host === name);
    };
    const own = await listHeard(ctx);
    expect(own("codex")).toMatchObject({ lastAt: null, firedAt: null, events: 0 });
    expect(own("claude-code")).toMatchObject({ lastAt: new Date(NOW - 60_000).toISOString(), events: 5 });
    const all = await listHeard({ ...ctx, within: undefined, actor: { kind: "owner" } as const });
    expect(all("codex")).toMatchObject({ lastAt: new Date(NOW - 5_000).toISOString(), events: 1 });
    expect(all("claude-code")).toMatchObject({ lastAt: new Date(NOW - 1_000).toISOString() });
  }, kind),
);

it.each(stores)("an agent is told why it is refused another project, on $name", (kind) =>
  fresh(async (ctx, { ids: [rule = "", memory = "", , session = ""] }) => {
    const cases: readonly (readonly [string, Record<string, unknown>])[] = [
      ["rules list", { workspace: bank }],
      ["sessions list", { workspace: bank }],
      ["memories list", { workspace: bank }],
      ["facts list", { workspace: bank }],
      ["answers", { workspace: bank }],
      ["report", { workspace: "/home/ada" }],
      ["recall", { query: SECRET, workspace: bank }],
      ["match", { command: "npm test", cwd: bank }],
    ];
    for (const [name, input] of cases)
      await expect(textOf(ctx, name, input), name).rejects.toThrow(
        `an agent sees only its own workspace (${shop}), not ${name === "report" ? "/home/ada" : bank}`,
      );
    await expect(textOf(ctx, "rules show", { id: rule })).rejects.toThrow(`rule ${rule} belongs to another workspace`);
    await expect(textOf(ctx, "memories show", { id: memory })).rejects.toThrow(`memory ${memory} belongs to another`);
    await expect(textOf(ctx, "sessions show", { id: session })).rejects.toThrow(
      `session ${session} belongs to another`,
    );
  }, kind),
);

it.each(stores)("the owner sees all projects, on $name", (kind) =>
  fresh(async (ctx) => {
    const owner = { ...ctx, within: undefined, actor: { kind: "owner" } as const };
    for (const name of [
      "rules list",
      "memories list",
      "facts list",
      "sessions list",
      "ledger list",
      "report",
      "history",
    ])
      for (const word of [SECRET, OWN])
        expect([name, await textOf(owner, name, {})]).toEqual([name, expect.stringContaining(word)]);
  }, kind),
);

/** Each result as an object; the message if refused. */
async function resultsOf(ctx: Context, operation: Operation, input: Record<string, unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  try {
    found.push(await invoke(ctx, operation, input, ""));
    if (operation.stream === null || operation.name === "sessions follow") return found;
    for await (const event of invokeStream(ctx, operation, input, "")) found.push(event);
    return found;
  } catch (error) {
    if (!(error instanceof OldhandError)) throw error;
    // The id from the input is not a leak.
    const named = Object.values(input).filter((one) => typeof one === "string");
    return [named.reduce((text, one) => text.replaceAll(one, ""), error.message)];
  }
}

async function textOf(ctx: Context, name: string, input: Record<string, unknown>): Promise<string> {
  const operation = operations.find((one) => one.name === name && one.surfaces.some((each) => each !== "http"));
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  return JSON.stringify(await invoke(ctx, operation, input, ""));
}

function around(text: string): string {
  const at = text.toLowerCase().indexOf(SECRET);
  return text.slice(Math.max(0, at - 60), at + 60);
}

function aMemory(id: string, text: string, scope: Memory["scope"]): Memory {
  return {
    ...{ id, key: id, text, kind: "fact", category: null, importance: 50, confidence: 0.5, createdAt: NOW - 1_000 },
    ...{ tags: [], scope, supersedes: [], pinned: false, status: "active", origin: "agent", trust: "agent" },
  };
}
