import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { attendPayload } from "../../src/attend/attend.ts";
import { owner } from "../../src/domain/actor.ts";
import { openContext, type OpenMind } from "../../src/mind.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import { operationNamed, type OperationMap } from "../../src/operations.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { stores, type TestDatabase } from "../stores.ts";
import { attemptedCall, cloneInto, failingSession, type MachineOptions, newMachine } from "./two-machines.ts";

const shop = "git@example.com:acme/shop.git";
const bank = "git@example.com:acme/bank.git";

interface Working {
  readonly mind: OpenMind;
  readonly workspace: string;
  send(payload: Readonly<Record<string, unknown>>): Promise<string>;
  start(session: string): Promise<string>;
  /** What an agent is given with a prompt. */
  ask(session: string, prompt: string): Promise<string>;
  run<Name extends keyof OperationMap>(
    name: Name,
    input: OperationMap[Name]["input"],
  ): Promise<OperationMap[Name]["output"]>;
  remember(text: string, key?: string): Promise<OperationMap["remember"]["output"]>;
  /** The texts that `recall` finds. */
  recall(query: string): Promise<readonly string[]>;
}

/** Homes of several machines on one PostgreSQL. */
describe.each(stores.filter((store) => store.name === "postgres"))("a workspace of a team, on $name", (store) => {
  const closing: (() => Promise<void>)[] = [];
  let database: TestDatabase | undefined;
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await database?.remove();
    database = undefined;
  });

  async function machine(options: Omit<MachineOptions, "database">): Promise<Working> {
    database ??= await store.migrated();
    const place = newMachine({ ...options, database: database.database });
    const mind = await openContext({ home: place.home });
    closing.push(async () => {
      await mind.close();
      place.remove();
    });
    return working(mind, place.workspace);
  }

  it("has the memories that were saved in any clone of its repository", async () => {
    const a = await machine({ name: "a", folder: "shop", remote: shop });
    const b = await machine({ name: "b", folder: "code/shop-2", remote: "https://example.com/acme/shop" });
    const other = await machine({ name: "c", folder: "bank", remote: bank });
    await a.remember("The staging database is called heron.");
    await b.remember("The release branch is called walnut.");
    for (const one of [a, b]) {
      expect(await one.recall("staging database")).toContain("The staging database is called heron.");
      expect(await one.recall("release branch")).toContain("The release branch is called walnut.");
      expect(await one.ask(`in ${one.workspace}`, "Which staging database do we use?")).toContain("heron");
      expect((await one.run("memories list", { workspace: one.workspace })).memories).toHaveLength(2);
    }
    expect(await other.recall("staging database")).toEqual([]);
    expect(await other.ask("elsewhere", "Which staging database do we use?")).not.toContain("heron");
  });

  it("is told of sessions in its other clones as of its own", async () => {
    const a = await machine({ name: "a", folder: "shop", remote: shop });
    const b = await machine({ name: "b", folder: "shop-2", remote: shop });
    const other = await machine({ name: "c", folder: "bank", remote: bank });
    const failed = { commands: ["npm test"], error: "Exit code 1" };
    for (const payload of failingSession(a.workspace, "a1", failed).slice(0, -1)) await a.send(payload);
    expect(await b.start("b1")).toContain("in another clone of this workspace");
    expect(await other.start("c1")).toContain("in another workspace");
  });

  it("has one memory under a key, whichever clone it is written in", async () => {
    const a = await machine({ name: "a", folder: "shop", remote: shop });
    const b = await machine({ name: "b", folder: "shop-2", remote: shop });
    const first = await a.remember("The test port is 4001.", "test-port");
    const second = await b.remember("The test port is 4002.", "test-port");
    expect(second.memory.id).toBe(first.memory.id);
    expect(await a.recall("test port")).toEqual(["The test port is 4002."]);
  });

  it("has no memories of another repository that another machine keeps under the same path", async () => {
    const a = await machine({ name: "a", folder: "shop", remote: shop });
    await a.remember("The staging database is called heron.");
    const b = await machine({ name: "b", folder: "unused", remote: null });
    cloneInto(a.workspace, bank);
    const inContainer = working(b.mind, a.workspace);
    expect(await inContainer.recall("staging database")).toEqual([]);
    await inContainer.remember("The ledger service is called otter.");
    expect(await inContainer.recall("ledger service")).toEqual(["The ledger service is called otter."]);
    cloneInto(a.workspace, shop);
    expect(await a.recall("ledger service")).toEqual([]);
  });

  it("has the facts that failures showed in any clone, if they hold on this disk", async () => {
    const a = await machine({ name: "a", folder: "shop", remote: shop });
    const b = await machine({ name: "b", folder: "code/shop-2", remote: shop });
    await b.start("b1");
    const read = (one: Working) => `cat ${join(one.workspace, "src/old-name.ts")}`;
    for (const one of [a, b]) mkdirSync(join(one.workspace, "src"));
    const missing = `Exit code 1\ncat: ${join(a.workspace, "src/old-name.ts")}: No such file or directory`;
    for (const payload of failingSession(a.workspace, "a1", { commands: [read(a)], error: missing }))
      await a.send(payload);
    await digest(a.mind.db);
    const facts = await b.run("facts list", { workspace: b.workspace });
    expect(facts).toMatchObject([{ subject: join(b.workspace, "src/old-name.ts"), workspace: b.workspace }]);
    expect(await b.send(attemptedCall(b.workspace, "b1", read(b)))).toContain("src/old-name.ts");
    writeFileSync(join(b.workspace, "src/old-name.ts"), "");
    await b.start("b2");
    expect(await b.send(attemptedCall(b.workspace, "b2", read(b)))).toBe("");
    // On the other machine it still holds.
    expect(await a.run("facts list", { workspace: a.workspace })).toHaveLength(1);
  });
});

function working(mind: OpenMind, workspace: string): Working {
  const host = findHost("claude-code");
  if (host === undefined) throw new Error("there is no host claude-code");
  const send: Working["send"] = async (payload) => (await attendPayload(mind, host, payload)).text;
  const run: Working["run"] = async (name, input) => {
    const found = operationNamed(name);
    return (await found.run({ ...mind, actor: owner }, found.input.parse(input))) as never;
  };
  return {
    ...{ mind, workspace, send, run },
    start: (session) =>
      send({ hook_event_name: "SessionStart", session_id: session, cwd: workspace, source: "startup" }),
    ask: (session, prompt) =>
      send({ hook_event_name: "UserPromptSubmit", session_id: session, cwd: workspace, prompt }),
    remember: (text, key) => run("remember", { text, workspace, ...(key === undefined ? {} : { key }) }),
    recall: async (query) =>
      (await run("recall", { query, workspace, tiers: ["semantic"] })).pieces.map(({ text }) => text ?? ""),
  };
}
