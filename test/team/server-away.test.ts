import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSlowNetwork, type SlowNetwork } from "../../bench/slow-network.ts";
import { DAY, systemClock } from "../../src/lib/clock.ts";
import { readRuleCopy, writeRuleCopy } from "../../src/recall/copy/rule-copy.ts";
import { describeRun, newPlace, payload, type Place, type Ran, wordsOnly } from "../program.ts";
import { stores, type TestDatabase } from "../stores.ts";

const push = "git push --force origin main";

interface StatusOutput {
  readonly unreached: Readonly<Record<"hooks" | "stopped" | "passed" | "unjudged" | "slow" | "refused", number>>;
  readonly overridden: readonly unknown[];
  readonly counts: { readonly events: number };
}

describe.each(stores.filter((store) => store.name === "postgres"))(
  "a call whose server does not answer: $name",
  (store) => {
    let database: TestDatabase;
    let network: SlowNetwork;
    let place: Place;
    let workspace: string;
    let sessions = 0;

    beforeEach(async () => {
      database = await store.migrated();
      place = newPlace(wordsOnly);
      workspace = join(place.dir, "shop");
      mkdirSync(join(workspace, ".git"), { recursive: true });
      await reachThrough(0);
    });
    afterEach(async () => {
      await network.close();
      await database.remove();
      place.remove();
    });

    async function reachThrough(roundTripMs: number): Promise<void> {
      network = await openSlowNetwork(database.database, roundTripMs);
      mkdirSync(place.home, { recursive: true, mode: 0o700 });
      writeFileSync(join(place.home, "config.json"), JSON.stringify({ database: network.address }), { mode: 0o600 });
    }

    /** A rule of the owner against the call, at this level. */
    async function learn(level: "ask" | "deny", ...more: readonly string[]): Promise<string> {
      const words = ["learn", "Never force-push main", "--command", "git push --force", ...more];
      const { rule } = await place.json<{ readonly rule: { readonly id: string } }>(words, { cwd: workspace });
      await place.json(["rules", "edit", rule.id, "--level", level]);
      return rule.id;
    }

    /** The decision about the call, in a session of its own; undefined if it may run. */
    async function decide(command = push, cwd = workspace): Promise<{ decision?: string; reason?: string }> {
      const session = `s${++sessions}`;
      const call = { session_id: session, cwd, tool_input: { command }, tool_use_id: `${session}-1` };
      const ran = await place.run(["hook", "claude-code"], { stdin: payload("PreToolUse", call) });
      return readDecision(ran);
    }

    function readDecision(ran: Pick<Ran, "code" | "stdout" | "stderr"> & Partial<Ran>): {
      decision?: string;
      reason?: string;
    } {
      expect([ran.code, ran.stderr], describeRun(ran as Ran)).toEqual([0, ""]);
      if (ran.stdout === "") return {};
      const { hookSpecificOutput: said } = JSON.parse(ran.stdout) as {
        hookSpecificOutput: { permissionDecision: string; permissionDecisionReason: string };
      };
      return { decision: said.permissionDecision, reason: said.permissionDecisionReason };
    }

    const copyOf = (one: string | null) => readRuleCopy({ home: place.home, database: network.address }, one);
    /** Calls, until a hook was in time to copy this many rules for the workspace: on a busy machine the first may not be. */
    const copied = (rules: number) =>
      expect
        .poll(async () => {
          await decide("git status");
          const read = copyOf(workspace);
          return read.kind === "copy" ? read.copy.rules.length : read.kind;
        })
        .toBe(rules);

    const status = () => place.json<StatusOutput>(["status"]);
    const copies = () => join(place.home, "rule-copies");

    it.each([30, 100])("is denied with a round trip of %i ms, in every session", async (roundTripMs) => {
      await network.close();
      await reachThrough(roundTripMs);
      const id = await learn("deny");
      for (let n = 0; n < 4; n++) {
        const { decision, reason } = await decide();
        expect([decision, reason?.includes(id)]).toEqual(["deny", true]);
      }
      expect(await decide("git push origin main")).toEqual({});
    });

    it.each(["refuse", "hang"] as const)("is denied if the server begins to %s, and this is counted", async (state) => {
      const id = await learn("deny");
      await network.become(state);
      const { decision, reason } = await decide();
      expect(decision).toBe("deny");
      expect(reason).toContain(`oldhand, rule ${id}: Never force-push main Only the user can allow it`);
      expect(reason).toMatch(/did not answer; this is the local copy of the rules of \d{4}-/);
      expect(await decide("git status")).toEqual({});
      // Without the server, `doctor` says it too.
      if (state === "hang") await network.become("refuse");
      const alone = await place.run(["doctor"]);
      expect(alone.stdout).toMatch(
        /did not answer 2 hooks in the last .*: 1 stopped by the local copy of the rules, 1 judged by it and passed/,
      );
      await network.become("working");
      const reason1 = state === "hang" ? "slow" : "refused";
      const now = await status();
      expect(now.unreached).toMatchObject({ hooks: 2, stopped: 1, passed: 1, unjudged: 0, [reason1]: 2 });
      // The denied call is stored once the server is back.
      expect(now.counts.events).toBe(1);
      expect((await place.run(["status"])).stdout).toContain("did not answer 2 hooks in the last 7 days");
    });

    it("is asked about where the rule asks", async () => {
      await learn("ask");
      await network.become("refuse");
      expect((await decide()).decision).toBe("ask");
    });

    it("is denied in a process that lives as long as its session", async () => {
      await learn("deny");
      const stream = place.start(["hook", "claude-code", "--stream"]);
      const lines = createInterface({ input: stream.child.stdout! })[Symbol.asyncIterator]();
      const ask = async (session: string) => {
        const call = {
          session_id: session,
          cwd: workspace,
          tool_input: { command: push },
          tool_use_id: `${session}-1`,
        };
        stream.child.stdin!.write(`${payload("PreToolUse", call)}\n`);
        const { value } = (await lines.next()) as { value: string };
        return readDecision({ code: 0, stderr: "", stdout: value });
      };
      // On a busy machine it may take more than one call until it has connected in time.
      await expect.poll(async () => (await ask("l1")).reason).not.toContain("local copy");
      await network.become("hang");
      const away = await ask("l2");
      expect([away.decision, away.reason?.includes("local copy")]).toEqual(["deny", true]);
      stream.child.stdin!.end();
      await network.become("refuse");
      await stream.ended;
    });

    it("passes once with an override, and the server learns of its use", async () => {
      const id = await learn("deny");
      await place.json(["override", id]);
      await network.become("refuse");
      expect(await decide()).toEqual({});
      expect((await decide()).decision).toBe("deny");
      await network.become("working");
      // The first hook that reaches the server tells it.
      expect((await decide()).decision).toBe("deny");
      await expect.poll(async () => (await status()).overridden).toEqual([]);
      await network.become("refuse");
      expect((await decide()).decision).toBe("deny");
    });

    it("passes while oldhand is off", async () => {
      await learn("deny");
      await network.become("refuse");
      expect(await place.run(["off"])).toMatchObject({ code: 0 });
      expect(await decide()).toEqual({});
      expect(await place.run(["on"])).toMatchObject({ code: 0 });
      expect((await decide()).decision).toBe("deny");
    });

    it("passes if another machine retired the rule and a hook has been told since", async () => {
      const id = await learn("deny");
      await copied(1);
      const other = newPlace({ ...wordsOnly, OLDHAND_DATABASE: database.database });
      try {
        await other.json(["rules", "retire", id]);
      } finally {
        other.remove();
      }
      // Not told yet.
      await network.become("refuse");
      expect((await decide()).decision).toBe("deny");
      await network.become("working");
      await copied(0);
      await network.become("refuse");
      expect(await decide()).toEqual({});
    });

    it("is judged by the rules of its own workspace", async () => {
      await learn("deny", "--workspace", workspace);
      await copied(1);
      const elsewhere = join(place.dir, "elsewhere");
      mkdirSync(join(elsewhere, ".git"), { recursive: true });
      await network.become("refuse");
      expect((await decide()).decision).toBe("deny");
      expect(await decide(push, elsewhere)).toEqual({});
    });

    it("passes with a damaged copy, which is counted and written anew", async () => {
      await learn("deny");
      await copied(1);
      const files = readdirSync(copies()).map((name) => join(copies(), name));
      expect(files).toHaveLength(2);
      if (process.platform !== "win32") for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600);
      const [first = "", second = ""] = files;
      const text = readFileSync(first, "utf8");
      rmSync(join(place.home, "unreached"), { recursive: true, force: true });
      await network.become("refuse");
      for (const damaged of [
        "",
        "{}",
        text.slice(0, -20),
        text.replace("deny", "nudg"),
        "x".repeat(100_000),
        `${text}${text}`,
      ]) {
        for (const file of files) writeFileSync(file, damaged);
        expect(await decide(), damaged.slice(0, 40)).toEqual({});
      }
      rmSync(second);
      mkdirSync(second);
      expect(await decide()).toEqual({});
      rmSync(second, { recursive: true });
      const doctor = await place.run(["doctor"]);
      expect(doctor.stdout).toMatch(/✗ the database did not answer 7 hooks in the last .*: 7 with a damaged copy/);
      await network.become("working");
      await copied(1);
      await network.become("refuse");
      expect((await decide()).decision).toBe("deny");
    });

    it("passes unjudged with a copy that is too old, or without one, and `doctor` says so", async () => {
      await learn("deny");
      await copied(1);
      rmSync(join(place.home, "unreached"), { recursive: true, force: true });
      const at = { home: place.home, database: network.address };
      for (const one of [workspace, null]) {
        const read = copyOf(one);
        if (read.kind !== "copy") throw new Error(`the copy is ${read.kind}`);
        writeRuleCopy(at, { ...read.copy, at: systemClock.now() - 8 * DAY });
      }
      await network.become("refuse");
      expect(await decide()).toEqual({});
      rmSync(copies(), { recursive: true });
      expect(await decide()).toEqual({});
      const doctor = await place.run(["doctor"]);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toMatch(/✗ .*: 1 unjudged for want of a copy, 1 unjudged because the copy was too old/);
    });

    it("has no copy if the setting says so", async () => {
      const settings = { database: network.address, store: { copyDays: 0 } };
      writeFileSync(join(place.home, "config.json"), JSON.stringify(settings), { mode: 0o600 });
      await learn("deny");
      await expect.poll(async () => (await decide()).decision).toBe("deny");
      expect(existsSync(copies())).toBe(false);
      await network.become("refuse");
      expect(await decide()).toEqual({});
    });

    it("`doctor` and `init --database` say whether hooks are in time", async () => {
      expect((await place.run(["doctor"])).stdout).toMatch(
        /✓ round trip .* ms: a hook at a call waits about \d+ ms for the server; rules arrive at the call/,
      );
      await network.close();
      await reachThrough(90);
      expect((await place.run(["doctor"])).stdout).toMatch(
        /· round trip \d+ ms: .*gives up after 600 ms; only rules at ask and deny/,
      );
      const init = await place.run(["init", "--database", network.address]);
      expect(init.stdout, describeRun(init)).toMatch(/Round trip \d+ ms: .*gives up after 600 ms/);
    });
  },
);

it("a mind in a file has no copy of its rules, and counts nothing", async () => {
  const place = newPlace(wordsOnly);
  try {
    const words = ["learn", "Never force-push main", "--command", "git push --force"];
    const { rule } = await place.json<{ readonly rule: { readonly id: string } }>(words);
    await place.json(["rules", "edit", rule.id, "--level", "deny"]);
    const stdin = payload("PreToolUse", { tool_input: { command: push } });
    expect((await place.run(["hook", "claude-code"], { stdin })).stdout).toContain('"deny"');
    expect(readdirSync(place.home)).not.toContain("rule-copies");
    expect(readdirSync(place.home)).not.toContain("unreached");
  } finally {
    place.remove();
  }
});
