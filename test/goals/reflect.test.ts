import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { DAY, HOUR } from "../../src/lib/clock.ts";
import { insertCycle, listCycles, updateOpenCycle } from "../../src/store/goals/cycles.ts";
import { listExecutionEntries } from "../../src/store/goals/execution-log.ts";
import { listFailingStrategies } from "../../src/store/goals/strategies.ts";
import { listChanges, listChangesOf } from "../../src/store/journal/journal.ts";
import { listGoals } from "../../src/store/nouns/goals.ts";
import { listMemories, memoryNoun } from "../../src/store/nouns/memories.ts";
import { findBuiltInJob } from "../../src/work/jobs/built-in-jobs.ts";
import { formatProcessRef, ownProcessRef } from "../../src/lib/process-ref.ts";
import { stores } from "../stores.ts";
import { codex } from "./goal-place.ts";
import { type ReflectPlace, withReflections } from "./reflect-place.ts";

describe.each(stores)("a reflection on $name: learnings", (kind) => {
  it("confirms a strategy by verified work and contradicts one by failed work, and cites the attempts", () =>
    withReflections(kind, async (place) => {
      const { first, second } = await twoTasks(place);
      const good = await place.learning("Strategy: mock the clock. Outcome: the test is stable.");
      const bad = await place.learning("Strategy: sleep for a second");
      const verified = await place.attempt(first, { state: "verified", strategy: "Mock the clock" });
      const failed = await place.attempt(second, { state: "failed", strategy: "sleep for a second" });
      const report = await place.reflect();
      expect(report.confirmed).toEqual([
        expect.objectContaining({ id: good, before: 0.5, after: 0.6, because: [verified] }),
      ]);
      expect(report.contradicted).toEqual([
        expect.objectContaining({ id: bad, before: 0.5, after: 0.35, because: [failed] }),
      ]);
      expect([await place.confidence(good), await place.confidence(bad)]).toEqual([0.6, 0.35]);
      const changes = await listChangesOf(place.ctx.db, memoryNoun, bad);
      expect(changes.at(-1)).toMatchObject({
        actor: "worker reflection",
        cause: { id: "reflect", note: `contradicted by ${failed}` },
      });
      expect(report.summary).toContain("I checked 2 learnings: 1 confirmed, 1 contradicted, 0 unchanged.");
      // The same attempts are evidence once.
      await place.cycle({ action: "idle", outcome: "nothing" });
      expect(await place.reflect()).toMatchObject({ confirmed: [], contradicted: [] });
    }));

  it("counts attempts at one task as one piece of evidence", () =>
    withReflections(kind, async (place) => {
      const { first, second } = await twoTasks(place);
      const learning = await place.learning("Strategy: retry");
      for (let time = 0; time < 3; time++) await place.attempt(first, { state: "failed", strategy: "retry" });
      await place.attempt(second, { state: "verified", strategy: "retry" });
      expect(await place.reflect()).toMatchObject({ confirmed: [], contradicted: [] });
      await place.attempt(first, { state: "verified", strategy: "retry" });
      await place.reflect();
      expect(await place.confidence(learning)).toBe(0.6);
    }));

  it("confirms by failures what says that a strategy fails", () =>
    withReflections(kind, async (place) => {
      const { first, second } = await twoTasks(place);
      const learning = await place.learning("Strategy: scrape the page. Outcome: it failed, the page needs a login");
      await place.attempt(first, { state: "failed", strategy: "scrape the page" });
      await place.reflect();
      expect(await place.confidence(learning)).toBe(0.6);
      await place.attempt(second, { state: "verified", strategy: "scrape the page" });
      await place.reflect();
      expect(await place.confidence(learning)).toBe(0.45);
    }));

  it("believes only attempts of the learning's own goal, made after it", () =>
    withReflections(kind, async (place) => {
      const { goal, first } = await twoTasks(place);
      const other = await place.goal("another goal");
      await place.attempt(first, { state: "verified", strategy: "use the cache" });
      await place.learning("Strategy: use the cache", { scope: { kind: "goal", name: goal } });
      await place.learning("Strategy: use a cache", { scope: { kind: "goal", name: other } });
      const third = await place.task(goal, "three");
      expect((await place.reflect()).confirmed).toEqual([]);
      await place.attempt(third, { state: "verified", strategy: "use the cache" });
      const report = await place.reflect();
      expect(report.confirmed.map(({ text }) => text)).toEqual(["Strategy: use the cache"]);
    }));

  it("leaves another learning as it is, unless verified work names it", () =>
    withReflections(kind, async (place) => {
      const { first, second } = await twoTasks(place);
      const cited = await place.learning("The API returns pages of 50", { category: "domain_knowledge" });
      const silent = await place.learning("The server is in Dublin", { category: "domain_knowledge" });
      await place.attempt(first, { state: "failed", reason: `by ${silent}` });
      place.clock.advance(HOUR);
      await place.verified(second, `done, see ${cited}`);
      const report = await place.reflect();
      expect(report.confirmed).toEqual([expect.objectContaining({ id: cited, because: [second] })]);
      expect(await place.confidence(silent)).toBe(0.5);
    }));

  it("archives what falls below 0.2", () =>
    withReflections(kind, async (place) => {
      const { first } = await twoTasks(place);
      const learning = await place.learning("Strategy: guess", { confidence: 0.3 });
      await place.attempt(first, { state: "failed", strategy: "guess" });
      const report = await place.reflect();
      expect(report.archived.map(({ id }) => id)).toEqual([learning]);
      expect(await place.memory(learning)).toMatchObject({ status: "archived", confidence: 0.15 });
    }));

  it("checks five, the least recently checked first", () =>
    withReflections(kind, async (place) => {
      await twoTasks(place);
      const ids: string[] = [];
      for (let at = 0; at < 7; at++) {
        place.clock.advance(1);
        ids.push(await place.learning(`Strategy: way number ${at}`));
      }
      expect((await place.reflect()).checked).toEqual(ids.slice(0, 5));
      place.clock.advance(HOUR);
      expect((await place.reflect()).checked).toEqual([...ids.slice(5), ...ids.slice(0, 3)]);
    }));

  it("caps the confidence of a learning whose goal has ended, unless it held in two goals", () =>
    withReflections(kind, async (place) => {
      const { goal, first } = await twoTasks(place);
      const other = await place.goal("another goal");
      const third = await place.task(other, "three");
      const scope = { kind: "goal", name: goal } as const;
      const own = await place.learning("The header is called X-Page", {
        category: "domain_knowledge",
        scope,
        confidence: 0.95,
      });
      const wide = await place.learning("Strategy: write the test first", { scope, confidence: 0.85 });
      await place.attempt(first, { state: "verified", strategy: "write the test first" });
      await place.attempt(third, { state: "verified", strategy: "Write the test first!" });
      await place.run("goal finish", { goal });
      const report = await place.reflect();
      expect(await place.memory(own)).toMatchObject({ confidence: 0.7, scope });
      expect(await place.memory(wide)).toMatchObject({ confidence: 0.95, scope: { kind: "global" } });
      expect(report.capped.map(({ id }) => id)).toEqual([own]);
      expect(report.generalised).toEqual([expect.objectContaining({ id: wide, because: [goal, other].toSorted() })]);
    }));

  it("merges those that say the same, keeps the surer one, and can be undone", () =>
    withReflections(kind, async (place) => {
      const low = await place.learning("Strategy: run the linter before the tests", { confidence: 0.4 });
      const high = await place.learning("Strategy: run linter before tests", { confidence: 0.8 });
      const denied = await place.learning("Strategy: never run the linter before the tests");
      const report = await place.reflect();
      expect(report.merged).toEqual([{ kept: high, superseded: [low], text: "Strategy: run linter before tests" }]);
      expect(await place.memory(low)).toMatchObject({ status: "superseded" });
      expect(await place.memory(high)).toMatchObject({ status: "active", confidence: 0.8, supersedes: [low] });
      expect(await place.memory(denied)).toMatchObject({ status: "active" });
      const [last, earlier] = await listChanges(place.ctx.db, { limit: 2 });
      await place.run("undo", { id: last?.id ?? 0 });
      await place.run("undo", { id: earlier?.id ?? 0 });
      expect(await place.memory(low)).toMatchObject({ status: "active", confidence: 0.4 });
      // What was taken apart stays apart.
      place.clock.advance(DAY);
      expect((await place.reflect()).merged).toEqual([]);
    }));

  it("lets an unused learning lose confidence with each reflection, but not with two in a row by hand", () =>
    withReflections(kind, async (place) => {
      const learning = await place.learning("The office is cold", { category: "meta" });
      place.clock.advance(31 * DAY);
      await place.reflect();
      expect(await place.confidence(learning)).toBe(0.4);
      await place.reflect();
      expect(await place.confidence(learning)).toBe(0.4);
      for (const confidence of [0.3, 0.2, 0.1]) {
        place.clock.advance(8 * HOUR);
        await place.reflect();
        expect(await place.confidence(learning)).toBe(confidence);
      }
      expect(await place.memory(learning)).toMatchObject({ status: "archived" });
    }));

  it("leaves pinned learnings alone", () =>
    withReflections(kind, async (place) => {
      const { first } = await twoTasks(place);
      const learning = await place.learning("Strategy: guess");
      await place.run("memories pin", { id: learning });
      await place.attempt(first, { state: "failed", strategy: "guess" });
      place.clock.advance(40 * DAY);
      await place.reflect();
      expect(await place.memory(learning)).toMatchObject({ confidence: 0.5, pinned: true });
    }));
});

describe.each(stores)("a reflection on $name: goals", (kind) => {
  it("flags a strategy that failed three times and was never verified, and names it for its goal", () =>
    withReflections(kind, async (place) => {
      const { goal, first, second } = await twoTasks(place);
      for (let time = 0; time < 2; time++)
        await place.attempt(first, { state: "failed", strategy: "parse it by hand" });
      const failing = () => listFailingStrategies(place.ctx.db, goal, place.ctx.config.policy.memory);
      expect(await failing()).toEqual([]);
      await place.attempt(second, { state: "failed", strategy: "Parse it by hand." });
      const flagged = [{ strategy: expect.stringMatching(/parse it by hand/i), failures: 3 }];
      expect(await failing()).toEqual(flagged);
      const report = await place.reflect();
      expect(report.flagged).toEqual(flagged);
      expect(report.summary).toMatch(/"parse it by hand\.?" failed 3 times and was never verified: try another way\./i);
      await place.attempt(second, { state: "verified", strategy: "parse it by hand" });
      expect(await failing()).toEqual([]);
      expect((await place.reflect()).flagged).toEqual([]);
    }));

  it("reports blocked tasks with one cause as one, with their goals, and a credential as the owner's to give", () =>
    withReflections(kind, async (place) => {
      const { goal, first } = await twoTasks(place);
      const other = await place.goal("another goal");
      const third = await place.task(other, "three");
      await place.blocked(first, "credential STRIPE_KEY is missing");
      await place.blocked(third, "needs STRIPE_KEY to charge a card");
      const report = await place.reflect();
      expect(report.blockers).toEqual([
        {
          cause: "credential STRIPE_KEY",
          kind: "credential",
          goals: [goal, other].toSorted(),
          tasks: [first, third].toSorted(),
        },
      ]);
      expect(report.summary).toContain("You are needed: the credential STRIPE_KEY is missing. It blocks 2 tasks of");
      expect(report.proposed).toEqual([]);
    }));

  it("proposes to remove what blocks two goals, once, and never again when the owner dropped it", () =>
    withReflections(kind, async (place) => {
      const { first, second } = await twoTasks(place);
      const third = await place.task(await place.goal("another goal"), "three");
      await place.blocked(first, "the test database is down (attempt 3)");
      await place.blocked(third, "The test database is down (attempt 12)!");
      const report = await place.reflect();
      const [id = ""] = report.proposed;
      expect((await place.run("goal show", { goal: id })).goal).toMatchObject({
        ...{
          title: "Remove what blocks 2 goals: the test database is down (attempt 3)",
          status: "proposed",
          createdBy: "agent",
        },
        metadata: { proposedBy: "reflection", why: "the same cause blocks 2 goals" },
      });
      expect(report.summary).toContain(`I propose ${id}: Remove what blocks 2 goals`);
      expect((await place.reflect()).proposed).toEqual([]);
      await place.run("goal drop", { goal: id });
      await place.blocked(second, "the test database is down (attempt 99)");
      expect((await place.reflect()).proposed).toEqual([]);
    }));

  it("proposes checks for a goal that waits for the owner with claimed tasks only", () =>
    withReflections(kind, async (place) => {
      const goal = await place.goal("ship");
      for (const title of ["one", "two", "three"]) await place.claimed(await place.task(goal, title));
      const report = await place.reflect();
      expect(report.proposals.map(({ title }) => title)).toEqual(['Find checks for the 3 claimed tasks of "ship"']);
    }));

  it("proposes no more than two, and none while four wait for the owner", () =>
    withReflections(kind, async (place) => {
      const goals = await plantCauses(place);
      expect(goals).toHaveLength(2);
      expect((await place.reflect()).proposed).toHaveLength(2);
      expect((await place.reflect()).proposed).toHaveLength(2);
      expect((await place.reflect()).proposed).toEqual([]);
      const waiting = (await listGoals(place.ctx.db)).filter(({ status }) => status === "proposed");
      expect(waiting).toHaveLength(4);
      await place.run("goal approve", { goal: waiting[0]?.id ?? "" });
      expect((await place.reflect()).proposed).toHaveLength(1);
    }));

  it("shows with --dry-run exactly what it does, and writes nothing", () =>
    withReflections(kind, async (place) => {
      await plantCauses(place);
      const { first } = await twoTasks(place);
      await place.learning("Strategy: guess", { confidence: 0.3 });
      await place.learning("Strategy: run the linter before the tests");
      await place.learning("Strategy: run the linter before tests");
      for (let time = 0; time < 3; time++) await place.attempt(first, { state: "failed", strategy: "guess" });
      const look = async () => [
        await listMemories(place.ctx.db),
        await listGoals(place.ctx.db),
        await listCycles(place.ctx.db),
        await listExecutionEntries(place.ctx.db),
        await listChanges(place.ctx.db, { limit: 1 }),
      ];
      const before = await look();
      const shown = await place.reflect({ dryRun: true });
      expect(await place.reflect({ dryRun: true })).toEqual(shown);
      expect(await look()).toEqual(before);
      const done = await place.reflect();
      // Only a reflection that is written asks a model; here there is none.
      const said = (report: typeof done) => report.summary.split("\n").filter((line) => !line.startsWith("No model"));
      expect(said(done)).toEqual(said(shown));
      const same = { ...shown, written: true, cycle: done.cycle, summary: done.summary, asked: done.asked };
      expect(done).toEqual(same);
      expect(done.archived).toHaveLength(1);
      expect(done.merged).toHaveLength(1);
      expect(done.proposed).toHaveLength(2);
    }));

  it("is a cycle of its own with an entry in the log, and is refused while another one is open", () =>
    withReflections(kind, async (place) => {
      const { db } = place.ctx;
      const report = await place.reflect();
      const [cycle] = await listCycles(db);
      expect(cycle).toMatchObject({ id: report.cycle, action: "reflect", outcome: "reflected", cost: 0 });
      expect(cycle?.endedAt).not.toBeNull();
      const [entry] = await listExecutionEntries(db);
      expect(entry).toMatchObject({ cycle: report.cycle, action: "reflect", summary: report.summary });
      await insertCycle(db, { id: "open", beganAt: place.clock.now(), worker: ownProcessRef() });
      await expect(place.reflect()).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringMatching(/^cycle 2 is open/),
      });
      expect((await place.reflect({ dryRun: true })).due.why).toBe("the last cycle was a reflection");
    }));

  it("takes nothing twice as evidence if two begin at the same moment", () =>
    withReflections(kind, async (place) => {
      const { first } = await twoTasks(place);
      const learning = await place.learning("Strategy: guess");
      await place.attempt(first, { state: "failed", strategy: "guess" });
      const both = await Promise.allSettled([place.reflect(), place.reflect()]);
      const done = both.filter(({ status }) => status === "fulfilled");
      expect(done.length).toBeGreaterThan(0);
      for (const one of both) if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "conflict" });
      const outcomes = (await listCycles(place.ctx.db)).flatMap(({ action, outcome }) =>
        action === "reflect" ? [outcome] : [],
      );
      expect(outcomes).toEqual(done.map(() => "reflected"));
      expect(await place.confidence(learning)).toBe(0.35);
    }));

  it("goes on after a reflection whose process died, and says in its row that it was lost", () =>
    withReflections(kind, async (place) => {
      const { db } = place.ctx;
      const died = spawnSync(process.execPath, ["--version"]);
      const worker = formatProcessRef({ machine: hostname(), pid: died.pid, born: "1" });
      const lost = await insertCycle(db, { id: "lost", beganAt: place.clock.now(), worker });
      await updateOpenCycle(db, { ...lost, action: "reflect" });
      await place.reflect();
      const cycles = await listCycles(db);
      expect(cycles.map(({ outcome }) => outcome)).toEqual(["reflected", "lost"]);
      // What worked on a task may have left a worktree behind: that is not ours to end.
      const working = await insertCycle(db, { id: "working", beganAt: place.clock.now(), worker });
      await updateOpenCycle(db, { ...working, action: "execute" });
      await expect(place.reflect()).rejects.toMatchObject({ code: "conflict" });
    }));

  it("is done by a job when it is due, and only then", () =>
    withReflections(kind, async (place) => {
      const job = findBuiltInJob("reflect");
      expect(await job?.run(place.ctx)).toBe("no reflection is due: there is nothing to look back on yet");
      await place.cycle({ action: "execute", outcome: "failed" });
      expect(await job?.run(place.ctx)).toMatch(
        /^No attempt was judged since the last reflection\. There is no learning/,
      );
      expect(await job?.run(place.ctx)).toBe("no reflection is due: the last cycle was a reflection");
      await place.cycle({ action: "idle", outcome: "nothing" });
      place.clock.advance(2 * DAY);
      await insertCycle(place.ctx.db, { id: "open", beganAt: place.clock.now(), worker: ownProcessRef() });
      expect(await job?.run(place.ctx)).toMatch(/^nothing yet: cycle 4 is open/);
    }));

  it("is the owner's to begin", () =>
    withReflections(kind, async (place) => {
      await expect(place.run("reflect", {}, codex)).rejects.toMatchObject({ code: "refused" });
    }));
});

async function twoTasks(place: ReflectPlace) {
  const goal = await place.goal("ship");
  return { goal, first: await place.task(goal, "one"), second: await place.task(goal, "two") };
}

/** Two goals with six causes in common. */
async function plantCauses(place: ReflectPlace): Promise<readonly string[]> {
  const goals = [await place.goal("alpha"), await place.goal("beta")];
  const causes = ["disk full", "printer jammed", "queue stuck", "mirror offline", "licence expired", "schema drifted"];
  for (const goal of goals)
    for (const cause of causes) await place.blocked(await place.task(goal, `${cause} ${goal}`), cause);
  return goals;
}
