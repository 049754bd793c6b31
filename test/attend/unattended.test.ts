import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { attendPayload } from "../../src/attend/attend.ts";
import { countRules } from "../../src/distil/counting/count-rules.ts";
import { runMiningSlice, type SliceContext } from "../../src/distil/maintenance/mining-slice.ts";
import { owner } from "../../src/domain/actor.ts";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { isFromUserWords } from "../../src/domain/rule/backing.ts";
import { editRule } from "../../src/domain/rule/decisions.ts";
import type { Rule } from "../../src/domain/rule/rule.ts";
import { runLearningSlice } from "../../src/entrypoints/hook/learn.ts";
import { invoke } from "../../src/invoke.ts";
import { DAY, fixedClock, HOUR } from "../../src/lib/clock.ts";
import type { Stoppable } from "../../src/lib/stopped.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import { operationNamed } from "../../src/operations.ts";
import { takeLearnedLine, wrongLine } from "../../src/recall/learned-line.ts";
import { cursors, readCursor } from "../../src/store/state/cursors.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { listChangesOf, listChanges } from "../../src/store/journal/journal.ts";
import { openStore } from "../../src/store/open.ts";
import { listRules, ruleNoun } from "../../src/store/nouns/rules.ts";
import { noteKeptRule } from "../../src/store/nouns/kept-rules.ts";
import { takeUnnotifiedRules } from "../../src/store/nouns/notified-rules.ts";
import { hasUnminedEvents } from "../../src/store/derived/unmined-events.ts";
import { wilsonLower } from "../../src/domain/proof/wilson.ts";
import { readHoldEvidence, readRuleTotals } from "../../src/store/shown/rule-sessions.ts";
import { quiet } from "../context.ts";
import { newPlace, type Place, describeRun } from "../program.ts";
import { anEvent, aRule, put } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const SHOP = "/home/me/shop";
const config = {
  home: "/nowhere",
  database: "",
  off: { everywhere: false, workspaces: [] },
  policy: defaultPolicy,
  providers: noProviders,
};
const never: Stoppable = { aborted: false };
/** The number of failures after which a mined rule is shown at session start. */
const FAILURES = 3;

const scratch = mkdtempSync(join(tmpdir(), "oldhand-screens-"));
afterAll(() => rmSync(scratch, { recursive: true }));

/** The first line of a Codex rollout, with or without a screen. */
function rollout(source: "cli" | "exec"): string {
  const file = join(scratch, `${source}.jsonl`);
  writeFileSync(file, `{"type":"session_meta","payload":{"id":"s9","source":"${source}"}}\n`);
  return file;
}

/** The moments at which each host shows its user a line from oldhand, as payloads. */
const shown = [
  { host: "claude-code", payload: { hook_event_name: "Stop", transcript_path: "none" }, said: "systemMessage" },
  { host: "codex", payload: { hook_event_name: "Stop", transcript_path: rollout("cli") }, said: "systemMessage" },
  {
    host: "codex",
    payload: { hook_event_name: "SessionStart", transcript_path: rollout("cli") },
    said: "systemMessage",
  },
  { host: "gemini", payload: { hook_event_name: "SessionStart", transcript_path: "" }, said: "systemMessage" },
  { host: "qwen", payload: { hook_event_name: "Stop", transcript_path: "" }, said: "systemMessage" },
  { host: "pi", payload: { hook: "session_start", hasScreen: true }, said: "forPerson" },
  { host: "opencode", payload: { hook: "session.idle", hasScreen: true }, said: "forPerson" },
];

const withoutScreen = [
  { host: "codex", payload: { hook_event_name: "Stop", transcript_path: rollout("exec") } },
  { host: "codex", payload: { hook_event_name: "SessionStart", transcript_path: join(scratch, "none") } },
  { host: "pi", payload: { hook: "session_start", hasScreen: false } },
  { host: "opencode", payload: { hook: "session.created", hasScreen: false } },
  // These cannot show it.
  { host: "copilot", payload: { stopReason: "end_turn" } },
  { host: "droid", payload: { hook_event_name: "Stop", transcript_path: "" } },
];

/** The session under every host's field names. */
function sessionNamed(id: string): object {
  return { session_id: id, sessionId: id, session: id, root: id, cwd: SHOP, directory: SHOP };
}

async function putAs(ctx: SliceContext, rule: Rule, actor: "hook" | "owner"): Promise<void> {
  await put(ctx.db, ruleNoun, rule);
  await ctx.db.run("update journal set actor = ?, cause_id = 'distil' where subject = ?", [actor, rule.id]);
}

describe.each(stores)("mining in slices on $name", (kind) => {
  const inMind = (act: (ctx: SliceContext, database: string) => Promise<void>) =>
    withStore(kind, (store, database) =>
      act({ ...quiet, db: store.db, config, clock: fixedClock(100 * DAY) }, database),
    );

  it("makes what was stored unread into rules, in the name of the hook", () =>
    inMind(async (ctx) => {
      await failures(ctx, FAILURES);
      expect(await hasUnminedEvents(ctx.db)).toBe(true);
      expect(await runMiningSlice(ctx, never)).toBe(true);
      expect(await hasUnminedEvents(ctx.db)).toBe(false);
      const rule = (await listRules(ctx.db)).find((one) => one.level !== "watch");
      expect(rule?.text).toContain("--target");
      const [made] = await listChangesOf(ctx.db, "rule", rule?.id ?? "");
      expect(made).toMatchObject({ actor: "hook", cause: { id: "distil" } });
    }));

  it("a slice that is stopped after any piece goes on there, to the same rules", () =>
    inMind(async (ctx) => {
      await failures(ctx, FAILURES);
      let slices = 0;
      // Allow one more check each time, so that the slice stops once at every possible point.
      for (let looks = 0; !(await runMiningSlice(ctx, stopAfterLooks(looks))); looks++) slices++;
      expect(slices).toBeGreaterThan(1);
      expect((await listRules(ctx.db)).map((rule) => rule.text)).toEqual(await minedAtOnce(kind));
    }));

  it("two slices at once write each rule once", () =>
    inMind(async (ctx, database) => {
      await failures(ctx, FAILURES);
      const other = await openStore({ database, busyMs: 10_000 });
      try {
        await Promise.all([runMiningSlice(ctx, never), runMiningSlice({ ...ctx, db: other.db }, never)]);
      } finally {
        await other.close();
      }
      const texts = (await listRules(ctx.db)).map((rule) => rule.text);
      expect(texts).toEqual(await minedAtOnce(kind));
      expect(await listChanges(ctx.db, { limit: 100 })).toHaveLength(texts.length);
    }));

  it("two processes that count the same calls at once count each call once", () =>
    inMind(async (ctx, database) => {
      await failures(ctx, FAILURES);
      await runMiningSlice(ctx, never);
      const other = await openStore({ database, busyMs: 10_000 });
      try {
        for (let round = 0; round < 20; round++) {
          await ctx.db.run("delete from rule_marks");
          await ctx.db.run("delete from rule_sessions");
          await Promise.all([countRules(ctx), countRules({ ...ctx, db: other.db })]);
          const totals = [...(await readRuleTotals(ctx.db)).values()];
          expect(totals.map(({ failed }) => failed)).toEqual([FAILURES]);
        }
      } finally {
        await other.close();
      }
    }));

  it("a candidate insists harder once there is more evidence, and not against what its owner decided", () =>
    inMind(async (ctx) => {
      await failures(ctx, 3);
      await runMiningSlice(ctx, never);
      const first = (await listRules(ctx.db)).find((rule) => rule.text.includes("failed 3 of 3"));
      await failures(ctx, 5, 3);
      await runMiningSlice(ctx, never);
      const grown = (await listRules(ctx.db)).find((rule) => rule.id === first?.id);
      expect(grown).toMatchObject({ status: "candidate", level: "nudge" });
      expect(grown?.text).toContain("failed 5 of 5");
      await put(ctx.db, ruleNoun, { ...grown!, level: "watch" });
      await failures(ctx, 9, 5);
      await runMiningSlice(ctx, never);
      expect((await listRules(ctx.db)).find((rule) => rule.id === first?.id)?.level).toBe("watch");
    }));

  it("one mistake is one candidate: the pair of two sessions becomes the rule of the third, under its own name", () =>
    inMind(async (ctx) => {
      await failures(ctx, 2);
      await runMiningSlice(ctx, never);
      const [pair, ...others] = await listRules(ctx.db);
      expect(others).toEqual([]);
      expect(pair?.text).toMatch(/^Use `bin\/rel push --target` here: .*no option `--env` \(failed 2 of 2\)/);
      await failures(ctx, 3, 2);
      await runMiningSlice(ctx, never);
      expect(await listRules(ctx.db)).toMatchObject([
        { id: pair?.id, level: "advise", text: expect.stringContaining("failed 3 of 3") },
      ]);
    }));

  it("does not propose again in other words what the owner rejected", () =>
    inMind(async (ctx) => {
      await failures(ctx, 2);
      await runMiningSlice(ctx, never);
      const [pair] = await listRules(ctx.db);
      await put(ctx.db, ruleNoun, { ...pair!, status: "rejected" });
      await failures(ctx, 4, 2);
      await runMiningSlice(ctx, never);
      expect(await listRules(ctx.db)).toMatchObject([{ id: pair?.id, status: "rejected" }]);
    }));

  it("spellings that come one after the other stay one candidate, whichever is the usual one in the end", () =>
    inMind(async (ctx) => {
      const absent = (spelling: string, error: string, from: number, upTo: number) =>
        appendEvents(
          ctx.db,
          Array.from({ length: upTo - from }, (_, n) => call(`p${from + n}`, `p${from + n}`, spelling, error)),
        );
      await absent("python3 -m pytest tests/a.py", "/usr/bin/python3: No module named pytest", 0, 3);
      await runMiningSlice(ctx, never);
      const [first] = await listRules(ctx.db);
      await absent("pytest tests/a.py", "bash: line 1: pytest: command not found", 3, 12);
      await runMiningSlice(ctx, never);
      expect(await listRules(ctx.db)).toMatchObject([
        { id: first?.id, matcher: { head: "pytest", heads: ["python3 -m pytest"] } },
      ]);
    }));

  it("a rule says how often it failed until now, also after its owner approved it; the owner's own words stand", () =>
    inMind(async (ctx) => {
      await failures(ctx, 3);
      await runMiningSlice(ctx, never);
      const [rule] = await listRules(ctx.db);
      await put(ctx.db, ruleNoun, { ...rule!, status: "approved", level: "ask" });
      await failures(ctx, 7, 3);
      await runMiningSlice(ctx, never);
      expect(await listRules(ctx.db)).toMatchObject([
        {
          status: "approved",
          level: "ask",
          text: rule?.text.replace("failed 3 of 3", "failed 7 of 7"),
          evidence: { observations: 7 },
        },
      ]);
      await put(ctx.db, ruleNoun, { ...rule!, status: "approved", text: "Mind the target (failed 7 of 7)." });
      await failures(ctx, 12, 7);
      await runMiningSlice(ctx, never);
      expect((await listRules(ctx.db))[0]?.text).toBe("Mind the target (failed 7 of 7).");
    }));

  describe("a correction and a failure of the same command", () => {
    const refused = "bash: line 1: /usr/bin/pytest: Permission denied";
    const corrected = async (ctx: SliceContext) => {
      const said = { kind: "prompt", tool: null, head: null, input: null, ok: null, outcome: null } as const;
      const text = "No, use bin/test, not pytest.";
      for (const session of ["c1", "c2"])
        await appendEvents(ctx.db, [
          call(`${session}-f`, session, "pytest", refused),
          { ...call(`${session}-p`, session, "", null), ...said, text: "test it" },
          { ...call(`${session}-q`, session, "", null), ...said, text },
        ]);
      await runMiningSlice(ctx, never);
    };
    const failed = async (ctx: SliceContext) => {
      // With different arguments, so that the rule is about the command and not about one call of it.
      const calls = ["pytest", "pytest -q", "pytest tests", "pytest lib/a.py"].map((command, n) =>
        call(`f${n}`, `f${n}`, command, refused),
      );
      await appendEvents(ctx.db, calls);
      await runMiningSlice(ctx, never);
    };
    const byWord = async (ctx: SliceContext) => {
      const rules = await listRules(ctx.db);
      expect(rules).toHaveLength(2);
      expect(new Set(rules.map((rule) => JSON.stringify(rule.matcher))).size).toBe(1);
      return { said: rules.find(isFromUserWords), counted: rules.find((rule) => !isFromUserWords(rule)) };
    };

    it("are two rules: what waits in silence does not keep the other from speaking", () =>
      inMind(async (ctx) => {
        await corrected(ctx);
        await failed(ctx);
        const { said, counted } = await byWord(ctx);
        expect(said).toMatchObject({ level: "watch", text: "Use bin/test, not pytest (asked in 2 sessions)." });
        expect(counted).toMatchObject({ level: "nudge", text: expect.stringContaining("failed 6 of 6") });
      }));

    it("are two rules also where the failure was muted before the correction came", () =>
      inMind(async (ctx) => {
        await failed(ctx);
        const [counted] = await listRules(ctx.db);
        await put(ctx.db, ruleNoun, editRule(counted!, { level: "watch" }));
        await corrected(ctx);
        await runMiningSlice(ctx, never);
        expect((await byWord(ctx)).said).toMatchObject({ status: "candidate" });
      }));
  });

  it("what a rule says of its calls is what its hold is judged by, and more of them make a candidate surer", () =>
    inMind(async (ctx) => {
      await failures(ctx, 3);
      await runMiningSlice(ctx, never);
      const [first] = await listRules(ctx.db);
      expect(await readHoldEvidence(ctx.db, first?.id ?? "")).toMatchObject({ failed: 3, worked: 0 });
      await failures(ctx, 9, 3);
      await runMiningSlice(ctx, never);
      const [grown] = await listRules(ctx.db);
      expect(grown?.text).toContain("failed 9 of 9");
      expect(await readHoldEvidence(ctx.db, first?.id ?? "")).toMatchObject({ failed: 9, worked: 0 });
      expect(grown?.confidence).toBeCloseTo(wilsonLower(9, 9), 3);
    }));

  describe("calls that work where a rule says they fail", () => {
    const works = (ctx: SliceContext, upTo: number, from = 0) =>
      appendEvents(
        ctx.db,
        Array.from({ length: upTo - from }, (_, n) => call(`w${from + n}`, `w${from + n}`, wrong, null)),
      );

    it("are in its sentence at once, and silence it when it is right too seldom", () =>
      inMind(async (ctx) => {
        await failures(ctx, 9);
        await runMiningSlice(ctx, never);
        const [rule] = await listRules(ctx.db);
        expect(rule).toMatchObject({ level: "nudge", text: expect.stringContaining("(failed 9 of 9)") });
        await works(ctx, 1);
        await runMiningSlice(ctx, never);
        expect(await listRules(ctx.db)).toMatchObject([
          {
            id: rule?.id,
            status: "candidate",
            level: "nudge",
            text: rule?.text.replace("9 of 9", "9 of 10"),
            confidence: Number(wilsonLower(9, 10).toFixed(4)),
          },
        ]);
        await works(ctx, 7, 1);
        await runMiningSlice(ctx, never);
        expect(await listRules(ctx.db)).toMatchObject([
          { status: "candidate", level: "watch", text: rule?.text.replace("9 of 9", "9 of 16") },
        ]);
        expect((await listChangesOf(ctx.db, "rule", rule?.id ?? "")).at(-1)).toMatchObject({
          actor: "hook",
          cause: { id: "distil", note: "9 of 16 calls failed, at least 33 %: from nudge to watch" },
        });
        const before = await listChanges(ctx.db, { limit: 100 });
        await appendEvents(ctx.db, [call("z", "z", "git status", null)]);
        await runMiningSlice(ctx, never);
        expect(await listChanges(ctx.db, { limit: 100 })).toEqual(before);
        await failures(ctx, 40, 9);
        await runMiningSlice(ctx, never);
        // Such calls only fail since, so the option was removed again: what worked in between does not count.
        expect(await listRules(ctx.db)).toMatchObject([
          { level: "nudge", text: rule?.text.replace("9 of 9", "40 of 40") },
        ]);
      }));

    it("are counted also where a slice was stopped before it had said so", () =>
      inMind(async (ctx) => {
        await failures(ctx, 9);
        await runMiningSlice(ctx, never);
        await works(ctx, 7);
        for (let looks = 0; !(await runMiningSlice(ctx, stopAfterLooks(looks))); looks++);
        expect(await listRules(ctx.db)).toMatchObject([
          { level: "watch", text: expect.stringContaining("(failed 9 of 16)") },
        ]);
      }));

    it("take the approval from a rule that nobody but the law approved", () =>
      inMind(async (ctx) => {
        await failures(ctx, 9);
        await runMiningSlice(ctx, never);
        const [rule] = await listRules(ctx.db);
        const promoted = {
          actor: { kind: "maintenance" },
          cause: { kind: "operation", id: "promote", note: null },
        } as const;
        await put(ctx.db, ruleNoun, { ...rule!, status: "approved", level: "ask" }, promoted);
        await works(ctx, 1);
        await runMiningSlice(ctx, never);
        expect(await listRules(ctx.db)).toMatchObject([{ status: "approved", level: "nudge" }]);
        await works(ctx, 7, 1);
        await runMiningSlice(ctx, never);
        expect(await listRules(ctx.db)).toMatchObject([{ status: "candidate", level: "watch" }]);
      }));

    it("change the numbers alone where its owner decided, and not the owner's words", () =>
      inMind(async (ctx) => {
        await failures(ctx, 9);
        await runMiningSlice(ctx, never);
        const [rule] = await listRules(ctx.db);
        await put(ctx.db, ruleNoun, { ...rule!, status: "approved", level: "ask" });
        await works(ctx, 7);
        await runMiningSlice(ctx, never);
        expect(await listRules(ctx.db)).toMatchObject([
          { status: "approved", level: "ask", text: rule?.text.replace("9 of 9", "9 of 16") },
        ]);
        await put(ctx.db, ruleNoun, { ...rule!, status: "approved", text: "Mind the target (failed 9 of 9)." });
        await works(ctx, 9, 7);
        await runMiningSlice(ctx, never);
        expect((await listRules(ctx.db))[0]?.text).toBe("Mind the target (failed 9 of 9).");
      }));

    it("say nothing of other workspaces than their own, where a rule holds everywhere", () =>
      inMind(async (ctx) => {
        const places = ["/w/a", "/w/b", "/w/c"];
        const at = (n: number, workspace: string, error: string | null) =>
          appendEvents(ctx.db, [{ ...call(`g${n}`, `g${n}`, wrong.replace("./bin/", ""), error), workspace }]);
        for (let n = 0; n < 9; n++) await at(n, places[n % 3] ?? "", hint);
        await runMiningSlice(ctx, never);
        const spoken = async () =>
          (await listRules(ctx.db)).find((rule) => rule.scope.kind === "global" && rule.level === "nudge");
        expect(await spoken()).toMatchObject({ text: expect.stringContaining("(failed 9 of 9)") });
        for (let n = 10; n < 20; n++) await at(n, "/w/other", null);
        await runMiningSlice(ctx, never);
        expect(await spoken()).toMatchObject({ text: expect.stringContaining("(failed 9 of 9)") });
        for (let n = 20; n < 30; n++) await at(n, "/w/a", null);
        await runMiningSlice(ctx, never);
        expect(await spoken()).toBeUndefined();
      }));
  });

  it("a rule is shown with its calls counted, though nobody has counted them yet", () =>
    withStore(kind, async (store) => {
      const ctx = { ...quiet, store, db: store.db, config, clock: fixedClock(100 * DAY), actor: owner };
      await failures(ctx, 3);
      await runMiningSlice(ctx, never);
      const [rule] = await listRules(ctx.db);
      await put(ctx.db, ruleNoun, { ...rule!, level: "nudge" });
      // As left by a slice that was stopped before it counted.
      for (const table of ["rule_marks", "rule_sessions"]) await ctx.db.run(`delete from ${table}`, []);
      for (const name of ["rules why", "rules show"] as const) {
        const { render } = operationNamed(name);
        const result = await invoke(ctx, operationNamed(name), { id: rule?.id }, "");
        expect(render?.(result)).toContain("3 of 3 calls failed; a hold needs");
      }
    }));

  it("where nothing failed, the cursor goes on and nothing is written", () =>
    inMind(async (ctx) => {
      await appendEvents(ctx.db, [call("a", "s1", "git status", null)]);
      expect(await runMiningSlice(ctx, never)).toBe(true);
      expect(await readCursor(ctx.db, cursors.mined)).toBeGreaterThan(0);
      expect(await hasUnminedEvents(ctx.db)).toBe(false);
      expect(await listRules(ctx.db)).toEqual([]);
    }));

  it("a slice that fails half-way leaves its cursor where it was, and the next one does the work", () =>
    inMind(async (ctx) => {
      await failures(ctx, FAILURES);
      const broken: SliceContext = { ...ctx, clock: brokenClock };
      await expect(runMiningSlice(broken, never)).rejects.toThrow("the clock stopped");
      expect(await listRules(ctx.db)).toEqual([]);
      expect(await hasUnminedEvents(ctx.db)).toBe(true);
      await runMiningSlice(ctx, never);
      expect((await listRules(ctx.db)).map((rule) => rule.text)).toEqual(await minedAtOnce(kind));
    }));

  describe("the person", () => {
    it("is told of each rule once, with how many wait for review, and only where it holds", () =>
      inMind(async (ctx) => {
        await failures(ctx, FAILURES);
        await runMiningSlice(ctx, never);
        expect(await takeLearnedLine(ctx, "/home/me/blog")).toBeNull();
        const line = await takeLearnedLine(ctx, SHOP);
        expect(line).toMatch(/^oldhand learned 1 rule: [^]*--target[^]*[^.]\. 1 waits for review: oldhand review$/);
        expect(await takeLearnedLine(ctx, SHOP)).toBeNull();
      }));

    it("finds in the status what was learned in the last days, also after it was told", () =>
      withStore(kind, async (store) => {
        const clock = fixedClock(100 * DAY);
        const ctx = { ...quiet, store, db: store.db, config, clock, actor: owner };
        await failures(ctx, FAILURES);
        await runMiningSlice(ctx, never);
        await takeLearnedLine(ctx, SHOP);
        const result = await invoke(ctx, operationNamed("status"), {}, "");
        expect(result).toMatchObject({ learned: [{ text: expect.stringContaining("--target") }], waiting: 1 });
        expect(operationNamed("status").render?.(result)).toMatch(
          /\nlearned in the last 14 days: 1 rule: [^\n]*\. 1 waits for review: oldhand review\n/,
        );
        clock.advance(15 * DAY);
        expect(await invoke(ctx, operationNamed("status"), {}, "")).toMatchObject({ learned: [], waiting: 1 });
      }));

    it("reads one count of what was learned in a host, in the status and in today, silent rules counted in", () =>
      withStore(kind, async (store) => {
        const ctx = { ...quiet, store, db: store.db, config, clock: fixedClock(100 * DAY), actor: owner };
        const scope = { kind: "workspace", workspace: SHOP } as const;
        const mined = { origin: "tool", status: "candidate", scope, createdAt: ctx.clock.now() } as const;
        await putAs(ctx, aRule("r_a", { ...mined, text: "Use a.", level: "nudge" }), "hook");
        await putAs(ctx, aRule("r_b", { ...mined, text: "Use b.", level: "watch" }), "hook");
        const count = "2 rules, agents hear 1 of them now: Use a. 2 wait for review: oldhand review";
        expect(await takeLearnedLine(ctx, SHOP)).toBe(`oldhand learned ${count}`);
        const status = await invoke(ctx, operationNamed("status"), {}, "");
        expect(operationNamed("status").render?.(status)).toContain(
          "\nlearned in the last 14 days: 2 rules, agents hear 1 of them now: Use a",
        );
        expect((await invoke(ctx, operationNamed("today"), {}, "")).totals.learned).toBe(2);
        expect(await takeLearnedLine(ctx, SHOP)).toBeNull();
        await putAs(ctx, aRule("r_b", { ...mined, text: "Use b.", level: "nudge" }), "hook");
        expect(await takeLearnedLine(ctx, SHOP)).toBe(
          "oldhand now shows agents 1 rule: Use b. 2 wait for review: oldhand review",
        );
      }));

    it("reads at most 200 characters, with one sentence that agents hear, and no count twice in the status", () =>
      withStore(kind, async (store) => {
        const ctx = { ...quiet, store, db: store.db, config, clock: fixedClock(100 * DAY), actor: owner };
        const scope = { kind: "workspace", workspace: SHOP } as const;
        const mined = { origin: "tool", status: "candidate", scope, createdAt: ctx.clock.now() } as const;
        const long = (name: string) =>
          `Use \`${name}\` here: ${"a reason that takes its time, ".repeat(8)}(failed 4 of 4).`;
        for (let i = 0; i < 7; i++)
          await putAs(ctx, aRule(`r_${i}`, { ...mined, text: long(`silent-${i}`), level: "watch" }), "hook");
        await putAs(ctx, aRule("r_heard", { ...mined, text: long("heard"), level: "nudge" }), "hook");
        const line = (await takeLearnedLine(ctx, SHOP)) ?? "";
        expect(line).toMatch(
          /^oldhand learned 8 rules, agents hear 1 of them now: Use `heard` [^]*… 8 wait for review: oldhand review$/,
        );
        expect(line.length).toBeLessThanOrEqual(200);
        const printed = operationNamed("status").render?.(await invoke(ctx, operationNamed("status"), {}, "")) ?? "";
        const about = printed.split("\n").filter((one) => /rule.*review/.test(one));
        expect(about).toEqual([expect.stringMatching(/^learned in the last 14 days: 8 rules/)]);
        expect(about[0]?.length).toBeLessThanOrEqual(200);
      }));

    it("is told once of a rule in force that is wrong more often than right, with what takes it back; again when it got worse", () =>
      inMind(async (ctx) => {
        const clock = fixedClock(ctx.clock.now());
        const at = { ...ctx, clock };
        let count = 0;
        const works = async (times: number) => {
          clock.advance(HOUR);
          const events = Array.from({ length: times }, () => call(`w${++count}`, `w${count}`, wrong, null));
          await appendEvents(
            ctx.db,
            events.map((event) => ({ ...event, at: clock.now() })),
          );
          await runMiningSlice(at, never);
        };
        const readShown = async (session: string) => {
          const stop = { hook_event_name: "Stop", transcript_path: "none", ...sessionNamed(session) };
          return (await attendPayload(at, findHost("claude-code")!, stop)).forPerson;
        };
        await failures(ctx, 4);
        await runMiningSlice(at, never);
        expect(await readShown("s9")).toContain("oldhand learned 1 rule: ");
        const [rule] = await listRules(ctx.db);
        await put(ctx.db, ruleNoun, { ...(rule as Rule), status: "approved" }, { at: clock.now() });
        await works(3);
        expect(await readShown("s10")).toBeUndefined();
        await works(5);
        expect(await wrongLine(at, "/home/me/blog")).toBeNull();
        const line = await readShown("s11");
        expect(line).toMatch(
          /^oldhand: 1 rule in force is wrong more often than right: Use `[^]*\(failed 4 of 12\); oldhand /,
        );
        expect(line?.endsWith(`; oldhand rules retire ${rule?.id} retires it`)).toBe(true);
        await works(1);
        expect(await readShown("s12")).toBeUndefined();
        await noteKeptRule(ctx.db, rule?.id ?? "", clock.now());
        await works(1);
        expect(await readShown("s13")).toBeUndefined();
        await works(6);
        expect(await readShown("s14")).toContain("(failed 4 of 20); oldhand rules retire");
      }));

    it("is not told of what was written by hand", () =>
      inMind(async (ctx) => {
        await put(ctx.db, ruleNoun, aRule("r_hand", { status: "approved" }));
        expect(await takeLearnedLine(ctx, SHOP)).toBeNull();
      }));

    it("reads it in one of two sessions that ask at once", () =>
      inMind(async (ctx, database) => {
        const other = await openStore({ database, busyMs: 10_000 });
        const taken = await Promise.all([ctx.db, other.db].map((db) => takeUnnotifiedRules(db, ["r_1", "r_2"])));
        await other.close();
        expect(taken.flat().toSorted()).toEqual(["r_1", "r_2"]);
      }));

    it("is told in its own workspace of a rule that a session elsewhere made", () =>
      inMind(async (ctx) => {
        await failures(ctx, FAILURES);
        await runMiningSlice(ctx, never);
        const host = findHost("claude-code")!;
        const at = (cwd: string) => ({ session_id: `in ${cwd}`, cwd, transcript_path: "none" });
        const elsewhere = { ...at("/home/me/blog"), hook_event_name: "Stop" };
        expect((await attendPayload(ctx, host, elsewhere)).text).toBe("");
        const start = { ...at(SHOP), hook_event_name: "SessionStart", source: "startup" };
        expect((await attendPayload(ctx, host, start)).forPerson).toContain("oldhand learned 1 rule: ");
      }));

    it("is told once that a correction waits for review, though it says nothing before that", () =>
      inMind(async (ctx) => {
        const scope = { kind: "workspace", workspace: SHOP } as const;
        const said = aRule("r_said", { signature: "correction use pnpm", level: "watch", status: "candidate", scope });
        await putAs(ctx, said, "hook");
        expect(await takeLearnedLine(ctx, "/home/me/blog")).toBeNull();
        expect(await takeLearnedLine(ctx, SHOP)).toBe(
          "oldhand learned 1 rule, not shown to agents now: run pnpm, not npm. 1 waits for review: oldhand review",
        );
        expect(await takeLearnedLine(ctx, SHOP)).toBeNull();
      }));

    it("is not told of a correction that its owner mined by hand", () =>
      inMind(async (ctx) => {
        await putAs(ctx, aRule("r_said", { signature: "correction use pnpm", level: "watch" }), "owner");
        expect(await takeLearnedLine(ctx, SHOP)).toBeNull();
      }));

    it.each(shown)("reads it in $host, and the model does not", ({ host: name, payload, said }) =>
      inMind(async (ctx) => {
        await failures(ctx, FAILURES);
        await runMiningSlice(ctx, never);
        const host = findHost(name)!;
        const { text } = await attendPayload(ctx, host, { ...payload, ...sessionNamed("s9") });
        expect(JSON.parse(text)).toMatchObject({ [said]: expect.stringContaining("oldhand learned 1 rule: ") });
        expect(text.split("oldhand learned")).toHaveLength(2);
        expect((await attendPayload(ctx, host, { ...payload, ...sessionNamed("s10") })).text).not.toContain("learned");
      }),
    );

    it.each(withoutScreen)("is left to be told where $host runs without its screen", ({ host: name, payload }) =>
      inMind(async (ctx) => {
        await failures(ctx, FAILURES);
        await runMiningSlice(ctx, never);
        const reply = await attendPayload(ctx, findHost(name)!, { ...payload, ...sessionNamed("s9") });
        expect(reply.forPerson).toBeUndefined();
        expect(await takeLearnedLine(ctx, SHOP)).toContain("oldhand learned 1 rule: ");
      }),
    );
  });
});

describe.each(stores)("a slice on $name whose time is over before it begins", (kind) => {
  it("does a piece all the same: after a few of them all is mined", () =>
    withStore(kind, async ({ db }) => {
      const ctx = { db, config, clock: fixedClock(DAY), models: { embedder: async () => null } };
      await failures(ctx, FAILURES);
      let slices = 0;
      while (!(await runMiningSlice(ctx, { aborted: true }))) expect(++slices).toBeLessThan(12);
      expect(await listRules(db)).toHaveLength(1);
    }));
});

describe("a slice", () => {
  const inStore = (act: (ctx: SliceContext) => Promise<void>) =>
    withStore(stores[0] as (typeof stores)[number], async ({ db }) => {
      const ctx = { db, config, clock: fixedClock(DAY), models: { embedder: async () => null } };
      await failures(ctx, FAILURES);
      await act(ctx);
    });

  it("that the store holds up says that more is left: a process that lives tries again", () =>
    inStore(async (ctx) => {
      const stuck = new Proxy(ctx.db, {
        get: (db, name) => (name === "tx" ? () => new Promise(() => {}) : Reflect.get(db, name)),
      });
      expect(await runLearningSlice({ ...ctx, db: stuck }, { ms: 1, graceMs: 1, maintain: false })).toBe(true);
    }));
});

describe.each(stores)("after install alone, on $name, by the built program", { timeout: 300_000 }, (kind) => {
  const inPlace = async (act: (hook: Hook, place: Place, database: string) => Promise<void>) => {
    const [at, place] = [await kind.migrated(), newPlace()];
    const env = { OLDHAND_DATABASE: at.database };
    const hook: Hook = async (event, over = {}) => {
      const payload = { session_id: "s", transcript_path: "none", cwd: project(place, "shop"), ...over };
      const stdin = JSON.stringify({ ...payload, hook_event_name: event, effort: { level: "medium" } });
      const ran = await place.run(["hook", "claude-code"], { stdin, env });
      expect([ran.code, ran.stderr], describeRun(ran)).toEqual([0, ""]);
      return ran.stdout;
    };
    try {
      await act(hook, place, at.database);
    } finally {
      place.remove();
      await at.remove();
    }
  };

  it("sessions alone make the rule that the next session starts with; another project hears nothing", () =>
    inPlace(async (hook, place) => {
      const lines: string[] = [];
      const learned = () => lines.filter((line) => line.includes("oldhand learned 1 rule: "));
      // On a busy machine a slice may end early; then it takes one more session.
      for (let n = 0; n < FAILURES || (n < FAILURES * 10 && learned().length === 0); n++)
        lines.push(...(await session(hook, `s${n}`)));
      expect(learned()).toHaveLength(1);
      const start = await hook("SessionStart", { session_id: "next", source: "startup" });
      expect(start).toMatch(/additionalContext.*--target/);
      expect(start).not.toContain("systemMessage");
      const blog = await hook("SessionStart", { session_id: "blog", source: "startup", cwd: project(place, "blog") });
      expect(blog).not.toMatch(/rel push|learned/);
    }));

  it("sessions of talk alone make a correction into a rule that waits, and the person is told", () =>
    inPlace(async (hook, _place, database) => {
      const lines: string[] = [];
      const result = () => lines.some((line) => line.includes("Use pnpm, not npm"));
      for (let n = 0; n < 2 || (n < 20 && !result()); n++) {
        const session_id = `t${n}`;
        lines.push(await hook("SessionStart", { session_id, source: "startup" }));
        await hook("UserPromptSubmit", { session_id, prompt: "install zod" });
        lines.push(await hook("Stop", { session_id, stop_hook_active: false }));
        await hook("UserPromptSubmit", { session_id, prompt: "No, use pnpm, not npm." });
        lines.push(await hook("Stop", { session_id, stop_hook_active: false }));
        lines.push(await hook("SessionEnd", { session_id, reason: "other" }));
      }
      expect(result()).toBe(true);
      const store = await openStore({ database, busyMs: 10_000 });
      const rules = await listRules(store.db);
      await store.close();
      expect(rules).toMatchObject([{ status: "candidate", text: expect.stringContaining("Use pnpm, not npm") }]);
    }));

  it("no tool call mines, whatever waits", () =>
    inPlace(async (hook, _place, database) => {
      for (let n = 0; n < FAILURES; n++) await fails(hook, `s${n}`);
      await hook("UserPromptSubmit", { prompt: "go on" });
      await hook("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "b" });
      const store = await openStore({ database, busyMs: 10_000 });
      const digested = await readCursor(store.db, cursors.digested);
      await store.close();
      expect(digested).toBe(0);
    }));
});

type Hook = (event: string, over?: object) => Promise<string>;

/** One session with the mistake and then the right call. Returns the replies to the host. */
async function session(hook: Hook, id: string): Promise<readonly string[]> {
  return [
    await hook("SessionStart", { session_id: id, source: "startup" }),
    await fails(hook, id),
    await hook("PostToolUse", { session_id: id, ...bash(`${id}-b`, right), tool_response: { stdout: "released" } }),
    await hook("Stop", { session_id: id, stop_hook_active: false }),
    await hook("SessionEnd", { session_id: id, reason: "other" }),
  ];
}

function fails(hook: Hook, id: string): Promise<string> {
  return hook("PostToolUseFailure", { session_id: id, ...bash(`${id}-a`, wrong), error: `Exit code 2\n${hint}` });
}

const wrong = "./bin/rel push --env staging";
const right = "./bin/rel push --target staging";
const hint = "unknown option '--env'. Did you mean '--target'?";

function bash(id: string, command: string): object {
  return { tool_name: "Bash", tool_input: { command }, tool_use_id: id };
}

function project(place: Place, name: string): string {
  const folder = join(place.dir, name);
  mkdirSync(join(folder, ".git"), { recursive: true });
  return folder;
}

/** A call as hooks store it: its outcome is not determined yet. */
function call(uid: string, session: string, command: string, error: string | null) {
  const unread = { head: null, outcome: null, signature: null, exitCode: null } as const;
  const came = { ok: error === null, error: error === null ? null : `Exit code 2\n${error}`, text: null };
  return anEvent(uid, { ...unread, ...came, session, at: 100 * DAY - 1_000, input: { command }, workspace: SHOP });
}

async function failures(ctx: SliceContext, upTo: number, from = 0): Promise<void> {
  for (let n = from; n < upTo; n++)
    await appendEvents(ctx.db, [call(`a${n}`, `s${n}`, wrong, hint), call(`b${n}`, `s${n}`, right, null)]);
}

async function minedAtOnce(kind: (typeof stores)[number]): Promise<readonly string[]> {
  const texts: string[] = [];
  await withStore(kind, async ({ db }) => {
    const ctx = { ...quiet, db, config, clock: fixedClock(100 * DAY) };
    await failures(ctx, FAILURES);
    await runMiningSlice(ctx, never);
    texts.push(...(await listRules(db)).map((rule) => rule.text));
  });
  expect(texts).not.toEqual([]);
  return texts;
}

function stopAfterLooks(looks: number): Stoppable {
  let left = looks;
  return {
    get aborted() {
      return left-- <= 0;
    },
  };
}

const brokenClock = {
  now: () => {
    throw new Error("the clock stopped");
  },
};
