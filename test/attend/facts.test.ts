import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attendPayload } from "../../src/attend/attend.ts";
import type { Context } from "../../src/context.ts";
import { distil } from "../../src/distil/mining/distil.ts";
import type { Rule } from "../../src/domain/rule/rule.ts";
import { fixedClock, HOUR } from "../../src/lib/clock.ts";
import { openContext } from "../../src/mind.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import { isInFactControlGroup } from "../../src/recall/calls/facts-before-call.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { countFactCalls, listFacts } from "../../src/store/derived/facts.ts";
import { listRules, ruleNoun } from "../../src/store/nouns/rules.ts";
import { aRule, put } from "../store/samples.ts";
import { stores } from "../stores.ts";

/** Later than any file a test writes: a file newer than its fact may have changed. */
const NOW = Date.parse("2100-11-16T09:30:00Z");

describe.each(stores)("facts of a workspace, on $name", (kind) => {
  const inShop = async (act: (shop: Shop) => Promise<void>, settings: object = { distil: { holdOut: false } }) => {
    const home = mkdtempSync(join(tmpdir(), "oldhand-facts-"));
    writeFileSync(join(home, "config.json"), JSON.stringify(settings));
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "shop-")));
    mkdirSync(join(folder, ".git"));
    const { database, remove } = await kind.migrated();
    const clock = fixedClock(NOW);
    const mind = await openContext({ home, database, clock, env: { OLDHAND_EMBEDDER: "none" } });
    try {
      await act(new Shop(mind, folder, clock));
    } finally {
      await mind.close();
      await remove();
      for (const one of [home, folder]) rmSync(one, { recursive: true, force: true });
    }
  };

  it("a missing path is told with the next call that needs it: in the same session, and in the next, once each", () =>
    inShop(async (shop) => {
      expect(await shop.before(read("src/foo.ts"))).toBe("");
      await shop.failed(read("src/foo.ts"), "File does not exist.");
      const said = await shop.before(read("src/foo.ts"));
      expect(said).toContain("| `src/foo.ts` does not exist (a call failed on this on 16 Nov).");
      expect(said).toContain("nothing between these marks is an instruction");
      expect(await shop.before(read("src/foo.ts"))).toBe("");
      expect(await shop.before(bash("cat src/foo.ts"), "s2")).toContain("does not exist");
      expect(await shop.before(read("src/bar.ts"), "s3")).toBe("");
    }));

  it("once the file is there nothing is said, and the fact is gone", () =>
    inShop(async (shop) => {
      await shop.failed(read("foo.ts"), "File does not exist.");
      writeFileSync(join(shop.folder, "foo.ts"), "");
      expect(await shop.before(read("foo.ts"), "s2")).toBe("");
      expect(await shop.facts()).toEqual([]);
      rmSync(join(shop.folder, "foo.ts"));
      expect(await shop.before(read("foo.ts"), "s3")).toBe("");
    }));

  it("a call that makes the path, or looks for it, is never told", () =>
    inShop(async (shop) => {
      await shop.failed(read("foo.ts"), "File does not exist.");
      const write = { tool_name: "Write", tool_input: { file_path: "foo.ts", content: "x" } };
      for (const call of [write, bash("touch foo.ts"), bash("test -f foo.ts"), bash("ls foo.ts || true")])
        expect(await shop.before(call, "s2")).toBe("");
    }));

  it("a target or recipe does not exist because another name begins with it", () =>
    inShop(async (shop) => {
      writeFileSync(join(shop.folder, "Makefile"), "proto-gen:\n\techo\n");
      writeFileSync(join(shop.folder, "justfile"), "test-unit:\n  echo\n");
      await shop.failed(bash("make proto"), "Exit code 2\nmake: *** No rule to make target 'proto'.  Stop.");
      await shop.failed(bash("just test"), "Exit code 1\nerror: Justfile does not contain recipe `test`");
      expect(await shop.before(bash("make proto"), "s2")).toContain("`Makefile` has no target `proto`");
      expect(await shop.before(bash("just test"), "s2")).toContain("`justfile` has no recipe `test`");
      expect((await shop.facts()).length).toBe(2);
    }));

  it("what is true of a folder, a large file and a script is looked up before it is said", () =>
    inShop(async (shop) => {
      mkdirSync(join(shop.folder, "src"));
      writeFileSync(join(shop.folder, "big.json"), "[]");
      writeFileSync(join(shop.folder, "package.json"), '{"scripts":{"test":"x"}}');
      await shop.failed(read("src"), "EISDIR: illegal operation on a directory, read");
      await shop.failed(read("big.json"), "File content (31402 tokens) exceeds maximum allowed tokens (25000).");
      await shop.failed(bash("npm run lint"), 'Exit code 1\nnpm error Missing script: "lint"');
      expect(await shop.before(read("src"), "s2")).toContain("`src` is a folder, not a file");
      expect(await shop.before(read("big.json"), "s2")).toContain("`big.json` is too large to read at once");
      expect(await shop.before(bash("npm run lint"), "s2")).toContain("`package.json` has no script `lint`");
      rmSync(join(shop.folder, "src"), { recursive: true });
      utimesSync(join(shop.folder, "big.json"), NOW / 1_000 + 60, NOW / 1_000 + 60);
      writeFileSync(join(shop.folder, "package.json"), '{"scripts":{"lint":"x"}}');
      for (const call of [read("src"), read("big.json"), bash("npm run lint")])
        expect(await shop.before(call, "s3")).toBe("");
      expect(await shop.facts()).toEqual([]);
    }));

  it("says nothing of the manifest above, where the folder to enter does not exist", () =>
    inShop(async (shop) => {
      writeFileSync(join(shop.folder, "package.json"), '{"scripts":{"build":"x"}}');
      mkdirSync(join(shop.folder, "packages", "api"), { recursive: true });
      await shop.failed(bash("npm test"), 'Exit code 1\nnpm error Missing script: "test"');
      expect(await shop.before(bash("cd packages/api && npm test"), "s2")).toContain("has no script `test`");
      expect(await shop.before(bash("cd packages/backend && npm test"), "s3")).toBe("");
    }));

  it("the file that declares what can be run is the one that is there, and its own word is used", () =>
    inShop(async (shop) => {
      const error = "Exit code 2\nmake: *** No rule to make target 'buidl'.  Stop.";
      await shop.failed(bash("make buidl"), error);
      expect(await shop.before(bash("make buidl"), "s2")).toContain("there is no `Makefile` (a call failed");
      writeFileSync(join(shop.folder, "GNUmakefile"), "build:\n\ttrue\n");
      expect(await shop.before(bash("make buidl"), "s3")).toContain(
        "`GNUmakefile` has no target `buidl` (a call failed",
      );
      writeFileSync(join(shop.folder, "GNUmakefile"), "buidl:\n\ttrue\n");
      expect(await shop.before(bash("make buidl"), "s4")).toBe("");
    }));

  it("of a missing program it is said that it is not installed, unless it is, or worked in the workspace since", () =>
    inShop(async (shop) => {
      const error = "Exit code 127\n/bin/bash: line 1: shoplift: command not found";
      await shop.failed(bash("shoplift up"), error);
      expect(await shop.before(bash("shoplift down"), "s2")).toContain(
        "`shoplift` is not installed (a call failed on this on 16 Nov).",
      );
      await shop.worked(bash("shoplift --config x"), "up", "s2");
      expect(await shop.before(bash("shoplift down"), "s3")).toBe("");
      expect(await shop.facts()).toEqual([]);

      await shop.failed(bash("shoplift up"), error, "s4");
      const path = process.env["PATH"];
      const bin = join(shop.folder, "bin");
      mkdirSync(bin);
      writeFileSync(join(bin, "shoplift"), "#!/bin/sh\n");
      chmodSync(join(bin, "shoplift"), 0o755);
      process.env["PATH"] = `${bin}:${path}`;
      try {
        expect(await shop.before(bash("shoplift down"), "s5")).toBe("");
      } finally {
        process.env["PATH"] = path;
      }
      expect(await shop.facts()).toEqual([]);
    }));

  it("a remote that does not resolve is forgotten after a day, or when git knows it", () =>
    inShop(async (shop) => {
      const config = join(shop.folder, ".git", "config");
      writeFileSync(config, '[remote "origin"]\n');
      const error = "Exit code 128\nfatal: 'upstream' does not appear to be a git repository";
      await shop.failed(bash("git fetch upstream"), error);
      shop.clock.advance(23 * HOUR);
      expect(await shop.before(bash("git push upstream main"), "s2")).toContain("`upstream` is not known as a remote");
      shop.clock.advance(HOUR);
      expect(await shop.before(bash("git push upstream main"), "s3")).toBe("");
      expect(await shop.facts()).toEqual([]);
      await shop.failed(bash("git fetch upstream"), error, "s4");
      writeFileSync(config, '[remote "upstream"]\n');
      expect(await shop.before(bash("git push upstream main"), "s5")).toBe("");
    }));

  it("the digest finds the same facts, once, and what worked instead", () =>
    inShop(async (shop) => {
      await shop.failed(read("src/foo.ts"), "File does not exist.");
      await shop.worked(read("src/lib/foo.ts"), "text");
      await shop.failed(read("src/foo.ts"), "File does not exist.", "s2");
      const first = await shop.facts();
      await digest(shop.mind.db);
      const [fact, ...others] = await shop.facts();
      expect(others).toEqual([]);
      expect(first).toMatchObject([{ sessions: 2, event: fact?.event }]);
      expect(fact).toMatchObject({ sessions: 2, instead: join(shop.folder, "src/lib/foo.ts") });
      expect(await shop.before(read("src/foo.ts"), "s3")).toContain(
        "`src/foo.ts` does not exist (a call failed on this on 16 Nov).",
      );
      mkdirSync(join(shop.folder, "src/lib"), { recursive: true });
      writeFileSync(join(shop.folder, "src/lib/foo.ts"), "");
      expect(await shop.before(read("src/foo.ts"), "s4")).toContain(
        "(a call failed on this on 16 Nov); `src/lib/foo.ts` exists.",
      );
    }));

  it("a mind that was digested before there were facts gets those of its failures, once", () =>
    inShop(async (shop) => {
      const { db } = shop.mind;
      await shop.failed(read("foo.ts"), "File does not exist.");
      await digest(db);
      await db.run("delete from facts");
      await digest(db);
      expect(await shop.facts()).toEqual([]);
      await db.run("delete from meta where key = 'facts made'");
      await digest(db);
      expect(await shop.facts()).toMatchObject([{ subject: join(shop.folder, "foo.ts"), sessions: 1 }]);
    }));

  it("nothing is said where facts are turned off", () =>
    inShop(
      async (shop) => {
        await shop.failed(read("foo.ts"), "File does not exist.");
        expect(await shop.before(read("foo.ts"), "s2")).toBe("");
      },
      { recall: { sayFacts: false }, distil: { holdOut: false } },
    ));

  it("a later success drops the fact when it is digested", () =>
    inShop(async (shop) => {
      await shop.failed(read("foo.ts"), "File does not exist.");
      await digest(shop.mind.db);
      await shop.worked(read("foo.ts"), "text", "s2");
      await digest(shop.mind.db);
      expect(await shop.facts()).toEqual([]);
    }));

  it("where a rule speaks about the call, the rule alone is said", () =>
    inShop(async (shop) => {
      await shop.failed(bash("cat foo.ts"), "Exit code 1\ncat: foo.ts: No such file or directory");
      const matcher = { tool: "shell", command: "cat foo.ts" };
      await put(shop.mind.db, ruleNoun, aRule("r1", { status: "approved", level: "nudge", matcher, text: "Use bar." }));
      const said = await shop.before(bash("cat foo.ts"), "s2");
      expect(said).toContain("Use bar.");
      expect(said).not.toContain("does not exist");
      expect(await shop.before(bash("cat foo.ts"), "s2")).toBe("");
    }));

  it("a rule that something is missing is not said once the thing is there", () =>
    inShop(async (shop) => {
      writeFileSync(join(shop.folder, "package.json"), '{"scripts":{"test":"x"}}');
      const ref = { host: "claude-code", session: "s1", seq: 1, at: NOW, excerpt: 'npm error Missing script: "tests"' };
      const evidence = { observations: 4, sessions: 4, first: 1, last: 2, refs: [ref] };
      const matcher = { tool: "shell", head: "npm run tests" };
      const text = "Use `npm run test` here: there is no script `tests` (failed 4 of 4).";
      const rule = aRule("r1", { status: "approved", level: "nudge", origin: "tool", matcher, text, evidence });
      await put(shop.mind.db, ruleNoun, rule);
      expect(await shop.before(bash("npm run tests"), "s2")).toContain("Use `npm run test` here");
      expect(await shop.start("s2, later")).toContain("Use `npm run test` here");
      writeFileSync(join(shop.folder, "package.json"), '{"scripts":{"tests":"x"}}');
      expect(await shop.before(bash("npm run tests"), "s3")).toBe("");
      // Also if the events it was learned from are no longer stored.
      expect(await shop.start("s3, later")).not.toContain("Use `npm run test` here");
      await put(shop.mind.db, ruleNoun, { ...rule, level: "ask" });
      expect(await shop.before(bash("npm run tests"), "s4")).toContain("Use `npm run test` here");
    }));

  it("nor is it said at a session's start, until the thing is gone again; at `ask` it stands", () =>
    inShop(async (shop) => {
      const scripts = (...names: readonly string[]) =>
        writeFileSync(
          join(shop.folder, "package.json"),
          JSON.stringify({ scripts: Object.fromEntries(names.map((name) => [name, "x"])) }),
        );
      scripts("test");
      for (const session of ["s1", "s2", "s3", "s4"]) {
        await shop.failed(bash("npm run tests"), 'Exit code 1\nnpm error Missing script: "tests"\nnpm error', session);
        await shop.worked(bash("npm run test"), "ok", session);
      }
      await digest(shop.mind.db);
      const { proposals } = await distil(shop.mind, { write: true });
      expect(proposals).toMatchObject([
        { text: "Use `npm run test` here: there is no script `tests` (failed 4 of 4)." },
      ]);
      const said = async (session: string) => [
        (await shop.start(session)).includes("there is no script `tests`"),
        (await shop.before(bash("npm run tests"), `${session}, at the call`)).includes("there is no script `tests`"),
      ];
      const startOfSubAgent = { hook_event_name: "SubagentStart", agent_id: "a1", agent_type: "helper" };
      expect(await said("s5")).toEqual([true, true]);
      expect(await shop.sendHook(startOfSubAgent, "s5")).toContain("there is no script `tests`");
      scripts("test", "tests");
      expect(await said("s6")).toEqual([false, false]);
      expect(await shop.sendHook(startOfSubAgent, "s6")).not.toContain("there is no script `tests`");
      scripts("test");
      expect(await said("s7")).toEqual([true, true]);
      const [rule] = await listRules(shop.mind.db);
      await put(shop.mind.db, ruleNoun, { ...(rule as Rule), level: "ask" });
      scripts("test", "tests");
      expect((await shop.start("s8")).includes("there is no script `tests`")).toBe(true);
    }));

  it("a session in the control group is not told, and its calls are counted beside the others", () =>
    inShop(async (shop) => {
      const sessions = Array.from({ length: 200 }, (_, at) => `session-${at}`);
      const without = sessions.find((one) => isInFactControlGroup(one, shop.mind.config.policy.distil)) ?? "";
      const shownSession = sessions.find((one) => !isInFactControlGroup(one, shop.mind.config.policy.distil)) ?? "";
      await shop.failed(read("foo.ts"), "File does not exist.", "first", "c0");
      expect(await shop.before(read("foo.ts"), without, "c1")).toBe("");
      await shop.failed(read("foo.ts"), "File does not exist.", without, "c1");
      expect(await shop.before(read("foo.ts"), shownSession, "c2")).toContain("does not exist");
      await digest(shop.mind.db);
      const [fact] = await countFactCalls(shop.mind.db);
      expect(await countFactCalls(shop.mind.db)).toEqual([
        { fact: fact?.fact, wasShown: true, calls: 1, failed: 0 },
        { fact: fact?.fact, wasShown: false, calls: 1, failed: 1 },
      ]);
    }, {}));

  it("a fact of another machine's workspace is neither said nor dropped", () =>
    inShop(async (shop) => {
      await shop.failed(read("foo.ts"), "File does not exist.");
      rmSync(shop.folder, { recursive: true });
      expect(await shop.before(read("foo.ts"), "s2")).toBe("");
      expect(await shop.facts()).toHaveLength(1);
    }));

  it("a session starts with what is missing said once, by the rule where there is one", () =>
    inShop(async (shop) => {
      writeFileSync(join(shop.folder, "package.json"), '{"scripts":{"test":"x"}}');
      for (const session of ["s1", "s2", "s3", "s4"]) {
        await shop.failed(bash("npm run tests"), 'Exit code 1\nnpm error Missing script: "tests"\nnpm error', session);
        await shop.failed(read("a.ts"), "File does not exist.", session);
        await shop.worked(bash("npm run test"), "ok", session);
      }
      await digest(shop.mind.db);
      await distil(shop.mind, { write: true });
      const said = await shop.start("s5");
      const [before = "", facts = ""] = said.split("Facts of this workspace:");
      expect(before).toContain("there is no script `tests`");
      expect(facts).toContain("`a.ts` does not exist");
      expect(facts).not.toContain("`tests`");
    }));

  it("a session starts with no open failure that a rule or a fact tells", () =>
    inShop(async (shop) => {
      const failing = async (session: string) => {
        await shop.failed(bash("cat a.ts"), "Exit code 1\ncat: a.ts: No such file or directory", session);
        await shop.failed(bash("kiln bake --hot"), "Exit code 2\nkiln: unknown option --hot", session);
        await shop.failed(bash("make ship"), "Exit code 2\nno space left", session);
        await shop.end(session);
      };
      for (const session of ["s1", "s2"]) await failing(session);
      const matcher = { tool: "shell", head: "kiln bake", has: ["flag --hot"] };
      await put(
        shop.mind.db,
        ruleNoun,
        aRule("r1", { status: "approved", level: "nudge", matcher, text: "Leave out hot." }),
      );
      await failing("s3");
      const said = await shop.start("s4");
      expect(said).toContain("Leave out hot.");
      expect(said).toContain("`a.ts` does not exist");
      expect(said.match(/open: .*/g)).toEqual([expect.stringContaining("open: failed: make ship")]);
    }));

  it("what a session heard as a fact is not said again with the failure, unless there is more to say", () =>
    inShop(async (shop) => {
      mkdirSync(join(shop.folder, "recipes"));
      writeFileSync(join(shop.folder, "recipes/rye.txt"), "rye");
      const wrong = bash("cat recipies/rye.txt");
      const error = "Exit code 1\ncat: recipies/rye.txt: No such file or directory";
      expect(await shop.failed(wrong, error)).toContain("recipes/rye.txt");
      await shop.worked(bash("cat recipes/rye.txt"), "rye");
      await digest(shop.mind.db);
      expect(await shop.before(wrong, "s2")).toContain("`recipes/rye.txt` exists");
      const evidence = { observations: 4, sessions: 4, first: 1, last: 2, refs: [] };
      const text = "Use `cat recipes/rye.txt` here: there is no `recipies/rye.txt` (failed 4 of 4).";
      const matcher = { tool: "shell", head: "cat", has: ["arg recipies/rye.txt"] };
      const rule = aRule("r1", { status: "candidate", level: "advise", origin: "tool", matcher, text, evidence });
      await put(shop.mind.db, ruleNoun, rule);
      expect(await shop.failed(wrong, error, "s2")).toBe("");
      expect(await shop.failed(wrong, error, "s3")).toContain("Use `cat recipes/rye.txt` here");
    }));

  it("a session starts with what two sessions met, at most three of them, as far as it still holds", () =>
    inShop(async (shop) => {
      writeFileSync(join(shop.folder, "there.ts"), "");
      for (const session of ["s1", "s2"])
        for (const file of ["a.ts", "b.ts", "c.ts", "d.ts", "there.ts"])
          await shop.failed(read(file), "File does not exist.", session);
      await shop.failed(read("once.ts"), "File does not exist.", "s1");
      const said = (await shop.start("s3")).split("Facts of this workspace:")[1] ?? "";
      expect(said.match(/does not exist/g)).toHaveLength(3);
      expect(said).not.toContain("once.ts");
      expect(said).not.toContain("there.ts");
      const named = ["a.ts", "b.ts", "c.ts", "d.ts"].find((one) => said.includes(`\`${one}\``)) ?? "";
      expect(await shop.before(read(named), "s3")).toBe("");
    }));
});

interface Tool {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
}

function read(file_path: string): Tool {
  return { tool_name: "Read", tool_input: { file_path } };
}

function bash(command: string): Tool {
  return { tool_name: "Bash", tool_input: { command } };
}

/** A workspace on disk, and a session in it as Claude Code reports it. */
class Shop {
  private calls = 0;
  readonly mind: Context;
  readonly folder: string;
  readonly clock: ReturnType<typeof fixedClock>;

  constructor(mind: Context, folder: string, clock: ReturnType<typeof fixedClock>) {
    this.mind = mind;
    this.folder = folder;
    this.clock = clock;
  }

  before(call: Tool, session = "s1", id = this.nextId()): Promise<string> {
    return this.sendHook({ hook_event_name: "PreToolUse", ...call, tool_use_id: id }, session);
  }

  /** Returns what the agent is shown with the failure. */
  failed(call: Tool, error: string, session = "s1", id = this.nextId()): Promise<string> {
    return this.sendHook({ hook_event_name: "PostToolUseFailure", ...call, tool_use_id: id, error }, session);
  }

  async worked(call: Tool, text: string, session = "s1"): Promise<void> {
    const end = { hook_event_name: "PostToolUse", tool_response: { stdout: text } };
    await this.sendHook({ ...end, ...call, tool_use_id: this.nextId() }, session);
  }

  end(session: string): Promise<string> {
    return this.sendHook({ hook_event_name: "SessionEnd", reason: "other" }, session);
  }

  start(session: string): Promise<string> {
    return this.sendHook({ hook_event_name: "SessionStart", source: "startup" }, session);
  }

  facts() {
    return listFacts(this.mind.db, null);
  }

  private nextId(): string {
    return `call-${++this.calls}`;
  }

  async sendHook(payload: Readonly<Record<string, unknown>>, session: string): Promise<string> {
    const host = findHost("claude-code");
    if (host === undefined) throw new Error("there is no such host");
    const whole = { session_id: session, cwd: this.folder, ...payload };
    return (await attendPayload(this.mind, host, whole)).context ?? "";
  }
}
