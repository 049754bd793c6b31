import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attendPayload } from "../../src/attend/attend.ts";
import { runMaintenanceTask } from "../../src/distil/maintenance/maintenance.ts";
import { countRules } from "../../src/distil/counting/count-rules.ts";
import { countNewTries } from "../../src/distil/counting/count-new-events.ts";
import { fixedClock, HOUR } from "../../src/lib/clock.ts";
import { openContext, type OpenMind } from "../../src/mind.ts";
import { invoke } from "../../src/invoke.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import { ruleEvidenceOperations } from "../../src/operations/rules/rule-evidence.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { appendEvents, listSessionCalls } from "../../src/store/events/events.ts";
import { listReinforcements } from "../../src/store/shown/reinforcements.ts";
import { listRuleSessions } from "../../src/store/shown/rule-sessions.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { quiet } from "../context.ts";
import { aFailure, aRule, put } from "../store/samples.ts";
import { stores } from "../stores.ts";

const W = "/home/me/shop";
const NOW = Date.parse("2026-11-16T09:30:00Z");
const matcher = { tool: "shell", head: "npm test" };

describe.each(stores)("what came of a rule, by how it was delivered, on $name", (kind) => {
  it("a held call is no failure, no attempt and no repeat; what the session does next is", () =>
    inMind(kind, async (mind) => {
      const kept = new Session(mind, "kept");
      expect(await kept.before("npm test")).toContain("held once by rule r1");
      await kept.refused("npm test");
      mind.clock.advance(1_000);
      expect(await kept.before("pnpm test")).toBe("");
      await kept.ran("pnpm test");
      const meant = new Session(mind, "meant");
      expect(await meant.before("npm test")).toContain("held once by rule r1");
      await meant.refused("npm test");
      mind.clock.advance(1_000);
      expect(await meant.before("npm test")).toBe("");
      await meant.failed("npm test");

      await digest(mind.db);
      const calls = await listSessionCalls(mind.db, { host: "claude-code", id: "kept" });
      expect(calls.map(({ outcome, signature }) => [outcome, signature])).toEqual([
        ["denied", null],
        ["ok", null],
      ]);
      const ctx = { ...quiet, ...mind };
      await countNewTries(ctx);
      await countRules(ctx);
      const counted = (await listRuleSessions(mind.db, "r1")).filter((one) => one.at >= NOW);
      expect(counted.map(({ session, opportunities, attempts }) => [session, opportunities, attempts])).toEqual([
        ["kept", 1, 0],
        ["meant", 1, 1],
      ]);

      mind.clock.advance(2 * HOUR);
      await runMaintenanceTask(ctx, "reinforce", { write: true });
      expect(await effect(mind)).toMatchObject({
        deliveries: [{ delivery: "hold", sessions: 2, kept: 1, share: 0.5 }],
      });
      expect(await shown(mind)).toEqual([
        ["kept", "hold", false],
        ["meant", "hold", true],
      ]);
    }));

  it("notes and holds are told apart, each with its interval", () =>
    inMind(kind, async (mind) => {
      for (const name of ["a", "b", "c"]) {
        const session = new Session(mind, name);
        await session.before("npm test");
        await session.refused("npm test");
        mind.clock.advance(1_000);
        await session.before("pnpm test");
        await session.ran("pnpm test");
      }
      const law = { ...mind.config.policy.recall, holdCalls: false };
      const without = { ...mind, config: { ...mind.config, policy: { ...mind.config.policy, recall: law } } };
      const noted = new Session(without, "noted");
      expect(await noted.before("npm test")).toContain("oldhand, rule r1: Run pnpm test.");
      await noted.failed("npm test");
      await noted.failed("npm test", "again");
      await digest(mind.db);
      mind.clock.advance(2 * HOUR);
      await runMaintenanceTask({ ...quiet, ...mind }, "reinforce", { write: true });
      const { deliveries } = await effect(mind);
      expect(deliveries).toMatchObject([
        { delivery: "note", sessions: 1, kept: 0 },
        { delivery: "hold", sessions: 3, kept: 3, interval: [expect.closeTo(0.44, 2), 1] },
      ]);
    }));

  it("every note, hold, question, denial and avoided repeat is a row with its delivery", () =>
    inMind(kind, async (mind) => {
      const own = { status: "approved", origin: "owner" } as const;
      const flagged = (head: string, flag: string) => ({ tool: "shell", head, has: [`flag ${flag}`] });
      const rules = {
        note: aRule("r2", { ...own, level: "nudge", matcher: flagged("git commit", "--no-verify") }),
        ask: aRule("r3", { ...own, level: "ask", matcher: flagged("git merge", "--squash") }),
        deny: aRule("r4", { ...own, level: "deny", matcher: flagged("git push", "--force") }),
      };
      for (const rule of Object.values(rules)) await put(mind.db, ruleNoun, rule, { at: NOW - 1 });
      const session = new Session(mind, "one");
      for (const bad of ["npm test", "git commit --no-verify", "git merge --squash x", "git push --force"])
        expect(await session.before(bad), bad).not.toBe("");
      mind.clock.advance(1_000);
      for (const good of ["pnpm test", "git commit -m x", "git merge x", "git push"]) {
        expect(await session.before(good), good).toBe("");
        await session.ran(good);
      }
      await digest(mind.db);
      mind.clock.advance(2 * HOUR);
      await runMaintenanceTask({ ...quiet, ...mind }, "reinforce", { write: true });
      expect(await shown(mind)).toEqual(["hold", "note", "ask", "deny"].map((delivery) => ["one", delivery, false]));
      const avoided = await Promise.all(["r1", "r2", "r3", "r4"].map((id) => listReinforcements(mind.db, id)));
      expect(avoided.flat().map(({ rule, delivery, broken }) => [rule, delivery, broken])).toEqual([
        ["r1", "hold", false],
        ["r2", "note", false],
        ["r3", "ask", false],
        ["r4", "deny", false],
      ]);
    }));

  it("what was shown before deliveries were written down is told as what it was", () =>
    inMind(kind, async (mind) => {
      const old = "insert into shown (at, host, session, kind, subject, moment, level, tokens)";
      await mind.db.run(`${old} values (1, 'codex', 'old', 'rule', 'r1', 'before-call', 'nudge', 3)`);
      expect(await shown(mind)).toEqual([["old", "note", null]]);
    }));
});

async function inMind(
  kind: (typeof stores)[number],
  act: (mind: Omit<OpenMind, "clock"> & { clock: ReturnType<typeof fixedClock> }) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-deliveries-"));
  const { database, remove } = await kind.migrated();
  const clock = fixedClock(NOW - HOUR);
  const mind = await openContext({ home, database, clock, env: { OLDHAND_EMBEDDER: "none" } });
  try {
    const past = Array.from({ length: 12 }, (_, n) =>
      aFailure(`p${n}`, "npm", { session: `past${n % 4}`, at: NOW - HOUR, workspace: W, seq: n, durationMs: 60_000 }),
    );
    await appendEvents(mind.db, past);
    await put(
      mind.db,
      ruleNoun,
      aRule("r1", { status: "approved", level: "nudge", origin: "tool", matcher, text: "Run pnpm test." }),
      {
        at: NOW - 1,
      },
    );
    await digest(mind.db);
    await countNewTries({ ...quiet, ...mind });
    await countRules({ ...quiet, ...mind });
    clock.advance(HOUR);
    await act({ ...mind, clock });
  } finally {
    await mind.close();
    await remove();
    rmSync(home, { recursive: true, force: true });
  }
}

/** One session of Claude Code, reported by its hooks. */
class Session {
  readonly #mind: Parameters<typeof attendPayload>[0];
  readonly #name: string;
  #last = 0;

  constructor(mind: Parameters<typeof attendPayload>[0], name: string) {
    this.#mind = mind;
    this.#name = name;
  }

  before(command: string): Promise<string> {
    this.#last++;
    return this.#tell({ hook_event_name: "PreToolUse", ...this.#call(command), effort: {} });
  }

  async refused(command: string): Promise<void> {
    const call = { ...this.#call(command), tool_response: `PreToolUse:Bash hook error: ${HELD}` };
    await this.#tell({ hook_event_name: "PostToolBatch", tool_calls: [call] });
  }

  async ran(command: string): Promise<void> {
    await this.#tell({ hook_event_name: "PostToolUse", ...this.#call(command), tool_response: { stdout: "fine" } });
  }

  async failed(command: string, id = ""): Promise<void> {
    const call = this.#call(command, id);
    await this.#tell({
      hook_event_name: "PostToolUseFailure",
      ...call,
      error: "Exit code 127\nbash: line 1: npm: command not found",
    });
  }

  #call(command: string, id = "") {
    return { tool_name: "Bash", tool_input: { command }, tool_use_id: `${this.#name}${this.#last}${id}` };
  }

  async #tell(payload: object): Promise<string> {
    const host = findHost("claude-code");
    if (host === undefined) throw new Error("there is no claude-code");
    return (await attendPayload(this.#mind, host, { session_id: this.#name, cwd: W, ...payload })).text;
  }
}

const HELD = "oldhand, held once by rule r1: Run pnpm test.";

async function effect(mind: OpenMind) {
  const operation = ruleEvidenceOperations.find((one) => one.name === "rules effect");
  if (operation === undefined) throw new Error("there is no rules effect");
  return (await invoke(mind, operation, { id: "r1" }, "")) as { readonly deliveries: readonly object[] };
}

async function shown(mind: OpenMind) {
  const operation = ruleEvidenceOperations.find((one) => one.name === "rules shown");
  if (operation === undefined) throw new Error("there is no rules shown");
  type Row = { session: string; delivery: string; broken: boolean | null };
  const result = (await invoke(mind, operation, {}, "")) as { readonly shown: readonly Row[] };
  return result.shown.map(({ session, delivery, broken }) => [session, delivery, broken]).toReversed();
}
