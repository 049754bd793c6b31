import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordMistake, recordWin } from "../../src/record/ledger.ts";
import { mineMistakes } from "../../src/distil/mining/mine-mistakes.ts";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { listChangesOf, findDisagreements, undoChange } from "../../src/store/journal/journal.ts";
import { listMistakes, readPatternCounts } from "../../src/store/nouns/ledger.ts";
import { cleanEnv, newPlace, type Place, program, describeRun } from "../program.ts";
import { stores, withStore } from "../stores.ts";
import { byOwner } from "../store/samples.ts";
import { owner } from "../../src/domain/actor.ts";

const aMistake = {
  what: "announced a fix that was not deployed",
  why: "took the green build for the deploy",
  shouldHave: "ask the server for its commit",
  pattern: "not-verifying",
  severity: "high",
  signal: 'the server still answered with commit "4f2a"',
} as const;

const words = (over: Partial<Record<keyof typeof aMistake, string>> = {}) => {
  const { what, ...flags } = { ...aMistake, ...over };
  return [
    "mistake",
    what,
    ...Object.entries(flags).flatMap(([name, value]) => [`--${name.replace("H", "-h")}`, value]),
  ];
};

interface Entered {
  readonly entry: { readonly id: string; readonly pattern: string; readonly origin: string };
  readonly standing: { readonly mistakes: number; readonly wins: number; readonly balance: number };
  readonly near: readonly string[];
  readonly change: number;
}

describe.each(stores)("the ledger on $name", (kind) => {
  const world = (db: Parameters<typeof readPatternCounts>[0], at = 1_000) => ({
    db,
    clock: fixedClock(at),
    actor: owner,
  });

  it("counts near-duplicate names together, under the first one, wins against mistakes", () =>
    withStore(kind, async ({ db }) => {
      await recordMistake(world(db, 1), aMistake);
      await recordMistake(world(db, 2), { ...aMistake, pattern: "no-verification", session: "s2" });
      await recordMistake(world(db, 3), { ...aMistake, pattern: "skipped verification" });
      await recordMistake(world(db, 4), { ...aMistake, pattern: "wrong-directory" });
      const won = await recordWin(world(db, 5), { what: "asked first", why: "curl /version", pattern: "Not verified" });
      expect(won.entry.pattern).toBe("not-verifying");
      const counts = await readPatternCounts(db);
      expect(counts.map((one) => [one.pattern, one.mistakes.length, one.wins.length])).toEqual([
        ["not-verifying", 3, 1],
        ["wrong-directory", 1, 0],
      ]);
      expect(counts[0]?.mistakes[1]).toMatchObject({ at: 2, session: "s2", ...aMistake });
    }));

  it("keeps every entry in the journal: undone, it no longer counts", () =>
    withStore(kind, async ({ db }) => {
      const { entry, change } = await recordMistake(world(db), aMistake);
      expect(await listChangesOf(db, "mistake", entry.id)).toHaveLength(1);
      expect(await findDisagreements(db)).toEqual([]);
      await undoChange(db, change.id, byOwner(2_000));
      expect(await readPatternCounts(db)).toEqual([]);
      expect(await findDisagreements(db)).toEqual([]);
    }));

  it("keeps expectation, outcome and surprise, all or none", () =>
    withStore(kind, async ({ db }) => {
      const expectation = { prediction: "live at once", outcome: "eight minutes later", surprise: 0.1 + 0.2 };
      await recordMistake(world(db), { ...aMistake, ...expectation });
      expect((await listMistakes(db))[0]?.expectation).toEqual(expectation);
      await expect(recordMistake(world(db), { ...aMistake, prediction: "live" })).rejects.toThrow(
        "must be given together",
      );
      expect(await listMistakes(db)).toHaveLength(1);
    }));

  it("makes a rule where its mistakes are of: everywhere only from three workspaces, or from what is for everywhere", () =>
    withStore(kind, async ({ db }) => {
      const all = { since: 0, sinceIn: () => 0, workspace: null, calls: 100, isIncremental: false };
      const look = { ...all, global: false, minCount: null };
      const config = {
        home: "",
        database: "",
        off: { everywhere: false, workspaces: [] },
        policy: defaultPolicy,
        providers: noProviders,
      };
      const mined = async () =>
        (await mineMistakes({ db, config }, look)).map(({ scope, evidence }) => [scope, evidence.sessions]);
      const enter = (workspace: string | undefined, session?: string) =>
        recordMistake(world(db), { ...aMistake, workspace, session });
      for (const session of ["s1", "s1", "s2"]) await enter("/shop", session);
      for (let i = 0; i < 2; i++) await enter("/blog");
      expect(await mined()).toEqual([[{ kind: "workspace", workspace: "/shop" }, 2]]);
      await enter("/blog");
      expect(await mined()).toEqual([
        [{ kind: "workspace", workspace: "/shop" }, 2],
        [{ kind: "workspace", workspace: "/blog" }, 1],
      ]);
      await enter("/wiki");
      expect(await mined()).toEqual([[{ kind: "global" }, 3]]);
      for (let i = 0; i < 3; i++) await recordMistake(world(db), { ...aMistake, pattern: "wrong-directory" });
      expect((await mined())[1]).toEqual([{ kind: "global" }, 1]);
    }));

  it("keeps no secret, whichever field it came in", () =>
    withStore(kind, async ({ db }) => {
      const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
      const { entry } = await recordMistake(world(db), {
        ...aMistake,
        what: `pushed ${secret}`,
        signal: `the diff showed the line TOKEN=${secret} in .env`,
      });
      expect(
        JSON.stringify([entry, await listMistakes(db), await listChangesOf(db, "mistake", entry.id)]),
      ).not.toContain(secret);
    }));
});

describe("the ledger's commands", () => {
  it("write, count and list, and take an entry back by undo", async () => {
    const place = newPlace();
    const first = await place.json<Entered>([...words(), "--now", "2026-01-01T00:00:00Z"]);
    expect(first).toMatchObject({ entry: { pattern: "not-verifying", origin: "owner" }, standing: { mistakes: 1 } });
    const second = await place.json<Entered>([
      ...words({ pattern: "no-verification" }),
      "--now",
      "2026-01-03T00:00:00Z",
    ]);
    expect(second).toMatchObject({ entry: { pattern: "not-verifying" }, standing: { mistakes: 2, balance: 2 } });
    const won = ["win", "asked first", "--why", "curl /version", "--pattern", "skipped-verification"];
    const third = await place.json<Entered>([
      ...won,
      ...["--prediction", "slow", "--outcome", "two seconds", "--surprise", "0.8", "--now", "2026-01-04T00:00:00Z"],
    ]);
    expect(third.standing).toMatchObject({ mistakes: 2, wins: 1, balance: 1 });
    const ran = await place.run(["ledger", "--now", "2026-01-05T12:00:00Z"]);
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(ran.stdout).toContain("not-verifying: 2 mistakes, 1 win (+1), last mistake 2 days ago");
    expect(ran.stdout).toContain("signal: the server still answered");
    expect(await place.json(["ledger", "--pattern", "unverified"])).toMatchObject({
      patterns: [{ mistakes: 2, streak: { kind: "win", length: 1 }, surprise: 0.8, worst: "high" }],
      entries: [{ kind: "win", expectation: { surprise: 0.8 } }, { kind: "mistake" }, { kind: "mistake" }],
    });
    await place.json(["undo", String(second.change)]);
    await place.json(["ledger", "forget", first.entry.id]);
    expect(await place.json(["ledger"])).toMatchObject({ patterns: [{ mistakes: 0, wins: 1, balance: -1 }] });
    expect(await place.json(["doctor"])).toMatchObject({ problems: 0 });
    place.remove();
  });

  it("refuse a slogan, show a good signal, and keep nothing", async () => {
    const place = newPlace();
    for (const signal of ["no verification", "should have been careful", "didn't check"]) {
      const ran = await place.run(words({ signal }));
      expect(ran.code, describeRun(ran)).toBe(1);
      expect(ran.stderr).toContain("this is not a signal");
      expect(ran.stderr).toContain('the test run ended with "0 tests executed"');
    }
    expect(await place.json(["ledger"])).toEqual({ patterns: [], entries: [] });
    place.remove();
  });

  it("take a mistake in one line from their owner, and name what was not said", async () => {
    const place = newPlace();
    const ran = await place.run(["mistake", "ran npm run tests", "in the wrong folder"]);
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(ran.stdout).toContain("ran-npm-run-tests: 1 mistake");
    expect(ran.stdout).toContain(
      "Left out: --why, --should-have, --signal. Without --should-have, a rule from these mistakes cannot say what to do.",
    );
    const [first] = (await place.json<{ entries: object[] }>(["ledger"])).entries;
    expect(first).toMatchObject({ signal: null, shouldHave: null, why: "" });
    expect((await place.run(["ledger"])).stdout).not.toContain("signal:");
    const signal = ["--signal", "npm error Missing script: tests"];
    const better = await place.json<{ entry: object }>(["mistake", "ran npm run tests", ...signal]);
    expect(better.entry).toMatchObject({ signal: signal[1], shouldHave: null });
    await place.json(["mistake", "ran npm run tests once more", "--should-have", "run npm run test:unit"]);
    const [rule] = await place.json<{ text: string }[]>(["rules"]);
    expect(rule?.text).toBe(
      "Watch out for `ran-npm-run-tests`: this mistake was made 3 times. Its sign: npm error Missing script: tests. Better: run npm run test:unit.",
    );
    place.remove();
  });

  it("ask an agent in its shell for all that is missing, by the flags' names", async () => {
    const place = newPlace();
    const ran = await place.run(["mistake", "ran npm run tests"], { env: { CLAUDECODE: "1" } });
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringContaining("--why, --should-have, --signal and --pattern are missing"),
    ]);
    expect(await place.json(["ledger"])).toEqual({ patterns: [], entries: [] });
    place.remove();
  });

  it("keep a mistake to the workspace and the session it was made in, and make no rule for others of it", async () => {
    const place = newPlace();
    const [shop, blog] = [join(place.dir, "shop"), join(place.dir, "blog")];
    for (const folder of [shop, blog]) mkdirSync(folder);
    const agent = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "s-1" };
    const later = { ...agent, CLAUDE_CODE_SESSION_ID: "s-1b" };
    const start = async (cwd: string, session_id: string) =>
      (
        await place.run(["hook", "claude-code"], {
          stdin: JSON.stringify({ session_id, cwd, hook_event_name: "SessionStart", source: "startup" }),
        })
      ).stdout;
    for (let i = 0; i < 3; i++)
      expect(await place.json(words(), { cwd: shop, env: agent })).toMatchObject({
        entry: { workspace: shop, session: "s-1" },
      });
    expect(await place.json<object[]>(["rules", "list"])).toEqual([]);
    await place.json(words(), { cwd: shop, env: later });
    expect(await place.json<object[]>(["rules", "list"])).toMatchObject([
      { scope: { kind: "workspace", workspace: shop }, evidence: { observations: 4, sessions: 2 } },
    ]);
    expect(await start(shop, "s-2")).toContain("announced a fix");
    expect(await start(blog, "s-3")).not.toMatch(/announced a fix|not-verifying/);
    const owners = await place.json(["mistake", "typed it twice"], { cwd: blog });
    expect(owners).toMatchObject({ entry: { workspace: blog, session: null } });
    const wide = ["--everywhere", "--why", "it was late", "--pattern", "slept"];
    expect(await place.json(["win", "slept first", ...wide], { cwd: blog })).toMatchObject({
      entry: { workspace: null },
    });
    expect(await start(shop, "s-4")).toContain("slept first");
    place.remove();
  });

  it("of an agent are heard by no other workspace, from no single session, and not in its own words of a command", async () => {
    const place = newPlace();
    const [shop, blog] = [join(place.dir, "shop"), join(place.dir, "blog")];
    for (const folder of [shop, blog]) mkdirSync(folder);
    const bad = "Commit with git commit --no-verify and push with --force";
    const enter = (session: string, over: Partial<Record<keyof typeof aMistake, string>>) =>
      place.json([...words({ pattern: "broken-hook", shouldHave: bad, ...over }), "--everywhere"], {
        cwd: shop,
        env: { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: session },
      });
    const start = async (cwd: string, session_id: string) =>
      (
        await place.run(["hook", "claude-code"], {
          stdin: JSON.stringify({ session_id, cwd, hook_event_name: "SessionStart", source: "startup" }),
        })
      ).stdout;
    for (let i = 0; i < 3; i++) expect(await enter("s-1", {})).toMatchObject({ entry: { workspace: shop } });
    expect(await start(shop, "n-1")).not.toMatch(/Watch out|no-verify/);
    await enter("s-2", {});
    const heard = await start(shop, "n-2");
    expect(heard).toContain("Watch out for `broken-hook`: this mistake was made 4 times.");
    expect(heard).toContain("Its sign: the server still answered");
    expect(heard).not.toMatch(/no-verify|--force/);
    expect(await start(blog, "n-3")).not.toMatch(/broken-hook|no-verify/);
    for (const session of ["s-3", "s-4"])
      await enter(session, { pattern: "stale-client", shouldHave: "read schema.graphql and run the generator" });
    await enter("s-4", { pattern: "stale-client", shouldHave: "read schema.graphql and run the generator" });
    expect(await start(shop, "n-4")).toContain("Better: read schema.graphql and run the generator.");
    place.remove();
  });

  it("offer the patterns there are, where none is named and where a new one is near", async () => {
    const place = newPlace();
    await place.json(words());
    await place.json(words({ pattern: "wrong-directory" }));
    const ran = await place.run(["win", "stayed in the right directory", "--why", "looked at the prompt"]);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toContain("existing patterns: wrong-directory, not-verifying");
    const near = await place.json<Entered>(words({ pattern: "verifying-too-late" }));
    expect(near).toMatchObject({ near: ["not-verifying"], entry: { pattern: "verifying-too-late" } });
    place.remove();
  });

  it("go into a backup and come back out of it", async () => {
    const place = newPlace();
    await place.json(words());
    const file = `${place.dir}/mind.backup`;
    await place.json(["backup", file]);
    const { patterns } = await place.json<{ patterns: unknown }>(["ledger"]);
    const other = newPlace();
    await other.json(["restore", file, "--write"]);
    expect((await other.json(["ledger"]))["patterns"]).toEqual(patterns);
    other.remove();
    place.remove();
  });
});

describe("an agent's ledger, over MCP", () => {
  const connected = async (place: Place) => {
    const client = new Client({ name: "test", version: "0" });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [program, "mcp"],
        env: { ...cleanEnv(place.user), OLDHAND_HOME: place.home },
        stderr: "pipe",
      }),
    );
    return client;
  };

  it("has the agent as its origin, refuses a slogan with an example, and adds up with the owner's", async () => {
    const place = newPlace();
    await place.json(words());
    const client = await connected(place);
    const call = async (name: string, over: object) => {
      const answer = await client.callTool({ name, arguments: { ...aMistake, ...over } });
      const [part] = answer.content as readonly { readonly text: string }[];
      return { isError: answer.isError ?? false, text: part?.text ?? "" };
    };
    const refused = await call("mistake", { signal: "I was not verifying" });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("0 tests executed") as string });
    const tools = (await client.listTools()).tools.find((tool) => tool.name === "mistake");
    expect(tools?.inputSchema.required).toEqual(
      expect.arrayContaining(["what", "why", "shouldHave", "signal", "pattern"]),
    );
    const silent = await call("mistake", { why: undefined, signal: undefined, pattern: undefined });
    expect(silent).toMatchObject({
      isError: true,
      text: expect.stringContaining("why, signal and pattern are missing") as string,
    });
    const unnamed = await call("mistake", { pattern: undefined });
    expect(unnamed).toMatchObject({ isError: true, text: expect.stringContaining("not-verifying") as string });
    const made = JSON.parse((await call("mistake", { pattern: "unverified" })).text) as Entered;
    expect(made).toMatchObject({ entry: { origin: "agent", pattern: "not-verifying" }, standing: { mistakes: 2 } });
    const won = JSON.parse((await call("win", {})).text) as Entered;
    expect(won).toMatchObject({ entry: { origin: "agent" }, standing: { mistakes: 2, wins: 1 } });
    await client.close();
    place.remove();
  });
});
