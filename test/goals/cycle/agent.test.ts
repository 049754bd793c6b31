import { describe, expect, it } from "vitest";
import type { Context } from "../../../src/context.ts";
import { listQuality } from "../../../src/store/models/stored-calls.ts";
import { cycleTexts, renderCycleText } from "../../../src/work/goals/cycle/agent/render-text.ts";
import { readPlan } from "../../../src/work/goals/cycle/agent/plan-goal.ts";
import { readReport } from "../../../src/work/goals/cycle/agent/read-report.ts";
import { ownParts } from "../../../src/work/goals/cycle/own-parts.ts";
import { runCycle } from "../../../src/work/goals/cycle/run-cycle.ts";
import { listExecutionEntries } from "../../../src/store/goals/execution-log.ts";
import { stores } from "../../stores.ts";
import { CYCLE_MODEL, messagesOf, plans, reports, withCycles, writes } from "./cycle-place.ts";

const places = "goal handoff letter memories task folder check notes comments failed fitting".split(" ");

describe("the texts of a cycle", () => {
  it.each(cycleTexts)("%s has a value for each place, and no gap where one is empty", (name) => {
    const full = renderCycleText(name, Object.fromEntries(places.map((place) => [place, `(${place})`])));
    expect(full.length).toBeGreaterThan(60);
    expect(full).not.toMatch(/\{\{|TODO|\u2014/);
    const empty = renderCycleText(name, Object.fromEntries(places.map((place) => [place, ""])));
    expect(empty).not.toMatch(/\n{3}/);
    if (name !== "plan") expect(() => renderCycleText(name)).toThrow(/has a place/);
  });
});

describe("a plan", () => {
  const plan = (...files: readonly string[]) => {
    const turn = plans(...files);
    return "text" in turn ? (turn.text ?? "") : "";
  };

  it("has from 3 to 8 tasks, each with a check that can be used", () => {
    expect(readPlan(plan("a", "b", "c"), { folder: "/shop" })).toHaveLength(3);
    expect(readPlan(`\`\`\`json\n${plan("a", "b", "c")}\n\`\`\``, { folder: "/shop" })).toHaveLength(3);
    expect(readPlan(plan("a", "b"), { folder: "/shop" })).toBe("the plan has 2 tasks; 3 to 8 are needed");
    expect(readPlan(plan(..."abcdefghi"), { folder: "/shop" })).toBe("the plan has 9 tasks; 3 to 8 are needed");
    expect(readPlan(plan("a", "b", "../c"), { folder: "/shop" })).toContain("not a path inside");
    expect(readPlan(plan("a", "b", "c"), { folder: null })).toContain("must be reviewer or person");
    expect(readPlan(plan("a", "b", "c").replace('"after":[1]', '"after":[3]'), { folder: "/shop" })).toContain(
      "only for earlier tasks",
    );
  });
});

describe("a report", () => {
  it("is read without its markers, and what they lack is filled in", () => {
    const text = 'Done.\n[STRATEGY]{"name": "by hand"}\n[BLOCKED]{"needs": "moon"}\n[ANSWER]{"comment": "gc_1"}';
    expect(readReport(text)).toEqual({
      ...{ text: "Done.", strategy: "by hand", answers: [], commitMessage: null },
      blocked: { reason: "the agent cannot do it, and does not say why", needs: "other" },
    });
  });
});

describe.each(stores)("the agent of a cycle on $name", (kind) => {
  it("is the model that the task names, and the router hears what the check said", () =>
    withCycles(
      kind,
      {
        script: (request) =>
          JSON.stringify(messagesOf(request).at(-1)).includes("tool_result") ? reports("Done.") : writes("a.txt", "a"),
      },
      async ({ run, goal, task, mind, model }) => {
        const named = "anthropic/claude-haiku-4-5";
        await task(await goal("ship"), "Write a", { file: "a.txt", metadata: JSON.stringify({ model: named }) });
        expect(await run("cycle", { model: CYCLE_MODEL })).toMatchObject({ outcome: "verified", model: named });
        expect(model.requests.map(({ body }) => (body as { model: string }).model)).toEqual([
          "claude-haiku-4-5",
          "claude-haiku-4-5",
        ]);
        const { calls } = await run("models calls", {});
        const qualities = (await Promise.all(calls.map(({ id }) => listQuality(mind.db, id)))).flat();
        expect(qualities.map(({ quality, source }) => [quality, source])).toEqual([
          [1, "verified"],
          [1, "verified"],
        ]);
      },
    ));

  it("is stopped when the time of a cycle is over, and what is there is checked", () =>
    withCycles(
      kind,
      { script: [writes("a.txt", "a"), { text: "Too late.", delayMs: 20_000 }] },
      async ({ goal, task, mind }) => {
        await task(await goal("ship"), "Write a", { file: "a.txt" });
        const { config } = mind;
        const goals = { ...config.policy.goals, cycleMinutes: 1 / 60 };
        const hurried: Context = { ...mind, config: { ...config, policy: { ...config.policy, goals } } };
        const end = await runCycle(hurried, ownParts(hurried), { model: null });
        expect(end).toMatchObject({
          cycle: { outcome: "verified", reason: expect.stringContaining("The time of a cycle was over") },
        });
      },
    ));

  it("works in an empty folder for a goal without one, and waits for the yes of a person", () =>
    withCycles(
      kind,
      { script: [{ calls: [{ tool: "list", input: {} }] }, reports("Wrote to the supplier.")] },
      async ({ run, task, mind }) => {
        const { goal } = await run("goal add", { title: "Order tea", folder: undefined });
        await run("goal edit", { goal: goal.id, folder: "" });
        await task(goal.id, "Order it", { person: "Is it ordered?" });
        expect(await run("cycle", {})).toMatchObject({
          ...{ outcome: "claimed", reason: "A person's yes decides it: Is it ordered?" },
          goal: { status: "active", reason: expect.stringContaining("waits for you") },
        });
        const [entry] = await listExecutionEntries(mind.db, { limit: 1 });
        expect(entry?.details).toMatchObject({ commit: null, branch: null, report: "Wrote to the supplier." });
      },
    ));
});
