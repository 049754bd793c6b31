import { describe, expect, it } from "vitest";
import type { TaskAttempt } from "../../src/domain/goal/attempt.ts";
import { HOUR } from "../../src/lib/clock.ts";
import { addComment } from "../../src/record/goals/comments.ts";
import { changeTask } from "../../src/record/goals/tasks.ts";
import { insertTaskAttempt } from "../../src/store/goals/attempts.ts";
import { insertCycle, updateOpenCycle } from "../../src/store/goals/cycles.ts";
import { storeSlots } from "../../src/store/work/slots.ts";
import { storeCall } from "../../src/store/models/calls.ts";
import { aModelCall } from "../store/sample-model-call.ts";
import { stores } from "../stores.ts";
import { codex, type GoalPlace, withGoals } from "./goal-place.ts";

describe.each(stores)("the letter on $name", (kind) => {
  it("says in one line that nothing happened, if nothing did", () =>
    withGoals(kind, async (place) => {
      const letter = await place.run("letter", {});
      expect(letter).toMatchObject({
        isEmpty: true,
        isFirst: true,
        text: expect.stringMatching(/^In the last 30 days: nothing happened/),
      });
      expect(letter.text.split("\n")).toHaveLength(1);
    }));

  it("tells what is verified apart from what is only claimed, each with what acts on it", () =>
    withGoals(kind, async (place) => {
      const goal = await place.goal("ship");
      const [yes, work, call] = [
        await place.task(goal, "call Ada", { person: "Did she say yes?" }),
        await place.task(goal, "write the page"),
        await place.task(goal, "call Ben", { person: "Did he?" }),
      ];
      await place.run("task done", { task: yes });
      await place.run("task done", { task: work, result: "looks fine" }, codex);
      await place.run("task done", { task: call }, codex);
      const letter = await place.run("letter", {});
      expect(letter.verified.map(({ id }) => id)).toEqual([yes]);
      expect(letter.claimed.map(({ id, command }) => [id, command])).toEqual([
        [work, `oldhand task verify ${work}`],
        [call, `oldhand task done ${call}`],
      ]);
      expect(letter.text).toMatch(/1 task verified, 2 only claimed/);
      expect(letter.text).toMatch(new RegExp(`Verified by their checks:\n  ${yes}[^]*Only claimed[^\n]*:\n  ${work}`));
    }));

  it("begins where the owner looked last, and a look by anybody else moves nothing", () =>
    withGoals(kind, async (place) => {
      const goal = await place.goal("ship");
      const first = await place.task(goal, "one", { person: "Is it?" });
      await place.run("task done", { task: first });
      await expect(place.run("letter", { seen: true }, codex)).rejects.toMatchObject({ code: "refused" });
      await place.run("status", {});
      await place.run("letter", {});
      expect((await place.run("letter", { seen: true })).verified).toHaveLength(1);
      place.clock.advance(HOUR);
      const second = await place.task(goal, "two", { person: "Is it?" });
      await place.run("task done", { task: second });
      await place.run("letter", { since: "2026-05-01T00:00:00Z", seen: true });
      const letter = await place.run("letter", {});
      expect(letter).toMatchObject({ since: "2026-05-01T12:00:00.000Z", isFirst: false });
      expect(letter.verified.map(({ id }) => id)).toEqual([second]);
      expect((await place.run("letter", { since: "2026-05-01T00:00:00Z" })).verified).toHaveLength(2);
    }));

  it("says how to read the letter before again, however often an empty one was read since", () =>
    withGoals(kind, async (place) => {
      const goal = await place.goal("ship");
      const task = await place.task(goal, "one", { person: "Is it?" });
      await place.run("task done", { task });
      const { since } = await place.run("letter", { seen: true });
      for (let n = 0; n < 3; n++) {
        place.clock.advance(HOUR);
        const empty = await place.run("letter", { seen: true });
        expect(empty).toMatchObject({ isEmpty: true, before: since });
        expect(empty.text).toContain(`oldhand report --away --since ${since}`);
      }
      expect((await place.run("letter", { since })).verified).toHaveLength(1);
    }));

  it("lists what waits for the owner until it is answered, with the command that answers it", () =>
    withGoals(kind, async (place) => {
      const goal = await place.goal("ship");
      const asked = await addComment({ ...place.ctx, actor: codex }, { goal, kind: "question", text: "Which port?" });
      await addComment(place.ctx, { goal, kind: "question", text: "When?" });
      const { goal: proposed } = await place.run("goal add", { title: "tidy" }, codex);
      await place.run("letter", { seen: true });
      place.clock.advance(HOUR);
      const { asked: waiting } = await place.run("letter", {});
      expect(waiting.map(({ kind: what, id, command }) => [what, id, command])).toEqual([
        ["question", asked.id, `oldhand comment answer ${asked.id} TEXT`],
        ["goal", proposed.id, `oldhand goal approve ${proposed.id}`],
      ]);
      await place.run("comment answer", { id: asked.id, text: "8080" });
      await place.run("goal drop", { goal: proposed.id });
      expect((await place.run("letter", {})).asked).toEqual([]);
    }));

  it("says again what is only claimed, until it is answered or its goal has ended", () =>
    withGoals(kind, async (place) => {
      const goal = await place.goal("ship");
      const [asked, work] = [
        await place.task(goal, "reach them", { person: "Did you?" }),
        await place.task(goal, "one"),
      ];
      for (const task of [asked, work]) await place.run("task done", { task }, codex);
      for (let n = 0; n < 2; n++) {
        await place.run("letter", { seen: true });
        place.clock.advance(HOUR);
        expect((await place.run("letter", {})).claimed.map(({ id }) => id).toSorted()).toEqual(
          [asked, work].toSorted(),
        );
      }
      await place.run("task done", { task: asked });
      expect((await place.run("letter", {})).claimed.map(({ id }) => id)).toEqual([work]);
      await place.run("goal finish", { goal });
      expect((await place.run("letter", {})).claimed).toEqual([]);
    }));

  it("says what is blocked and why, even if it was so at the last look", () =>
    withGoals(kind, async (place) => {
      const goal = await place.goal("ship");
      const task = await place.task(goal, "publish");
      await changeTask(place.ctx, { id: task, operation: "cycle" }, (one) => ({
        ...one,
        status: "blocked",
        reason: "needs NPM_TOKEN",
      }));
      await place.run("letter", { seen: true });
      place.clock.advance(HOUR);
      const { blocked, text } = await place.run("letter", {});
      expect(blocked).toMatchObject([
        { id: task, of: "ship", why: "needs NPM_TOKEN", command: `oldhand task retry ${task}` },
      ]);
      expect(text).toContain("1 blocked");
    }));

  it("counts failed and deferred attempts by task, with the last reason, and not a task that was done after all", () =>
    withGoals(kind, async (place) => {
      const goal = await place.goal("ship");
      const [open, later, done] = [
        await place.task(goal, "one"),
        await place.task(goal, "two"),
        await place.task(goal, "three"),
      ];
      await attempt(place, { task: open, goal, number: 1, state: "failed", reason: "no file" });
      await attempt(place, { task: open, goal, number: 2, state: "lost", reason: null });
      await attempt(place, { task: later, goal, number: 1, state: "deferred", reason: "429 of the provider" });
      await attempt(place, { task: done, goal, number: 1, state: "failed", reason: "no" });
      await place.run("task done", { task: done });
      const letter = await place.run("letter", {});
      expect(letter.failed).toMatchObject([{ id: open, times: 2, why: "the cycle ended without a word" }]);
      expect(letter.skipped).toMatchObject([{ id: later, times: 1, why: "429 of the provider" }]);
      expect(letter.text).toContain('one, for "ship" (2 times)');
    }));

  it("says which slots of jobs were missed or failed, and why", () =>
    withGoals(kind, async (place) => {
      const now = place.clock.now();
      const slot = {
        job: "j1",
        isLate: false,
        isByHand: false,
        attempt: 1,
        worker: null,
        startedAt: null,
        endedAt: null,
      };
      await storeSlots(place.ctx.db, [
        { ...slot, slot: now - 3 * HOUR, fate: "missed", reason: "asleep", detail: "no worker was there" },
        { ...slot, slot: now - 2 * HOUR, fate: "missed", reason: "asleep", detail: "no worker was there" },
        { ...slot, slot: now - HOUR, fate: "failed", reason: null, detail: "exit code 1" },
        { ...slot, slot: now, fate: "ran", reason: null, detail: null },
      ]);
      const { skipped, failed } = await place.run("letter", {});
      expect(skipped).toMatchObject([{ kind: "job", times: 2, why: "asleep: no worker was there" }]);
      expect(failed).toMatchObject([{ kind: "job", times: 1, why: "exit code 1" }]);
    }));

  it("counts cycles that did something, and what calls of models cost since then", () =>
    withGoals(kind, async (place) => {
      const { db } = place.ctx;
      for (const action of ["execute", "idle"] as const) {
        const cycle = await insertCycle(db, { id: `c_${action}`, beganAt: place.clock.now(), worker: "w" });
        await updateOpenCycle(db, {
          ...cycle,
          action,
          outcome: action === "idle" ? "nothing" : "failed",
          endedAt: place.clock.now(),
        });
      }
      await storeCall(db, aModelCall("mc_1", place.clock.now()));
      const letter = await place.run("letter", {});
      expect(letter.cycles).toBe(1);
      expect(letter.cost.models).toMatchObject([{ calls: 1 }]);
      place.clock.advance(HOUR);
      expect(
        (await place.run("letter", { since: new Date(place.clock.now() - 60_000).toISOString() })).cost.models,
      ).toEqual([]);
    }));

  it("is pointed to by one line of the status while something waits", () =>
    withGoals(kind, async (place) => {
      const goal = await place.goal("ship");
      const task = await place.task(goal, "one");
      expect((await place.run("status", {})).away).toBeNull();
      await place.run("task done", { task }, codex);
      expect((await place.run("status", {})).away).toBe("goals: 1 only claimed (oldhand report --away)");
      await place.run("letter", { seen: true });
      expect((await place.run("status", {})).away).toContain("1 only claimed");
      await place.run("goal drop", { goal });
      expect((await place.run("status", {})).away).toBeNull();
    }));
});

async function attempt(
  place: GoalPlace,
  given: Pick<TaskAttempt, "task" | "goal" | "number" | "state" | "reason">,
): Promise<void> {
  const at = place.clock.now();
  await insertTaskAttempt(place.ctx.db, {
    ...{ ...given, id: `ta_${given.task}_${given.number}`, cycle: "c", strategy: null, base: null, branch: null },
    ...{ folder: null, session: null, commit: null, model: null, cost: 0, beganAt: at, endedAt: at },
  });
}
