import { describe, expect, it } from "vitest";
import { type Board, decide, explainIdle } from "./decide.ts";
import type { Goal } from "./goal.ts";
import { settleGoal } from "./settle.ts";
import type { Task } from "./task.ts";

function goal(id: string, more: Partial<Goal> = {}): Goal {
  return {
    ...{ id, title: id, description: "", status: "active", priority: 5, createdBy: "owner", parent: null },
    ...{ dependsOn: [], folder: null, reason: null, metadata: {}, madeAt: 1, endedAt: null },
    ...more,
  };
}

function task(id: string, of: string, more: Partial<Task> = {}): Task {
  return {
    ...{
      id,
      goal: of,
      title: id,
      description: "",
      status: "pending",
      proof: null,
      checkHash: "",
      base: null,
      position: 1,
    },
    ...{ check: { kind: "person", asks: "?" }, dependsOn: [], tier: "execute", createdBy: "owner", result: null },
    ...{ reason: null, metadata: {}, madeAt: 1, endedAt: null },
    ...more,
  };
}

function choose(goals: readonly Goal[], tasks: readonly Task[] = []): string {
  const { action, rule, goal: of, task: what } = decide({ goals, tasks });
  return [action, rule, of?.id, what?.id].filter((one) => one !== undefined).join(" ");
}

describe("the choice of what to do next", () => {
  it("goes on with what was begun, even if something more urgent came", () => {
    expect(
      choose(
        [goal("low", { priority: 9 }), goal("high", { priority: 1 })],
        [task("begun", "low", { status: "in-progress" }), task("new", "high")],
      ),
    ).toBe("execute continue low begun");
  });

  it("takes the most urgent goal, then the oldest, and of its tasks the first", () => {
    const goals = [goal("b", { madeAt: 2 }), goal("a"), goal("c", { priority: 6, madeAt: 0 })];
    const tasks = [task("a2", "a", { position: 2 }), task("a1", "a"), task("b1", "b"), task("c1", "c")];
    expect(choose(goals, tasks)).toBe("execute next-task a a1");
  });

  it("leaves out what waits: for another task, for another goal, for a person", () => {
    const goals = [
      goal("first", { priority: 1, dependsOn: ["second"] }),
      goal("paused", { priority: 2, status: "paused" }),
      goal("part", { priority: 2, parent: "paused" }),
      goal("proposed", { priority: 2, status: "proposed" }),
      goal("second", { priority: 3 }),
    ];
    const tasks = [
      task("f", "first"),
      task("p", "paused"),
      task("q", "part"),
      task("r", "proposed"),
      task("s2", "second", { dependsOn: ["s3"] }),
      task("s3", "second", { position: 2 }),
    ];
    expect(choose(goals, tasks)).toBe("execute next-task second s3");
  });

  it("decomposes a goal without tasks when its turn comes, but not one that has parts", () => {
    expect(choose([goal("low", { priority: 9 }), goal("high", { priority: 1 })])).toBe("decompose decompose high");
    expect(choose([goal("whole", { priority: 1 }), goal("part", { parent: "whole" })])).toBe(
      "decompose decompose part",
    );
    expect(choose([goal("tried")], [task("t", "tried", { status: "dropped" })])).toBe("decompose decompose tried");
  });

  it("goes on to the next goal when all tasks of one are blocked", () => {
    const goals = [goal("stuck", { priority: 1 }), goal("free")];
    expect(choose(goals, [task("s", "stuck", { status: "blocked" }), task("f", "free")])).toBe(
      "execute next-task free f",
    );
  });

  it("is nothing if nothing is there, and says why if nothing can be done", () => {
    expect(choose([])).toBe("idle nothing");
    const board: Board = {
      goals: [
        goal("first", { dependsOn: ["second"] }),
        goal("second", { status: "paused", reason: "holidays" }),
        goal("part", { parent: "second" }),
        goal("third"),
        goal("old", { status: "done" }),
      ],
      tasks: [task("t1", "third", { status: "blocked", reason: "no key" }), task("t2", "third", { dependsOn: ["t1"] })],
    };
    expect(decide(board).action).toBe("idle");
    expect(explainIdle(board)).toEqual([
      "first waits for second",
      "second is paused: holidays",
      "part is a part of second, which is paused",
      "t1 is blocked: no key",
      "t2 waits for t1",
    ]);
  });
});

describe("what a goal has become", () => {
  const one = goal("g");
  const settled = (tasks: readonly Task[], goals: readonly Goal[] = [one]) =>
    settleGoal(goals[0] ?? one, { goals, tasks });

  it("is done when all its tasks are verified and all its parts done, and something was done", () => {
    const done = task("t", "g", { status: "done", proof: "verified" });
    expect(settled([done, task("u", "g", { status: "dropped" })])).toEqual({ status: "done", reason: null });
    expect(settled([done], [one, goal("part", { parent: "g" })])).toBeNull();
    expect(settled([])).toBeNull();
    expect(settled([task("u", "g", { status: "dropped" })])).toBeNull();
  });

  it("waits for the owner as long as a task is only claimed", () => {
    const tasks = [
      task("t", "g", { status: "done", proof: "verified" }),
      task("u", "g", { status: "done", proof: "claimed" }),
    ];
    const waits = { status: "active", reason: "it waits for you: 1 of 2 tasks is only claimed to be done" } as const;
    expect(settled(tasks)).toEqual(waits);
    expect(settled(tasks, [goal("g", waits)])).toBeNull();
    expect(settled([...tasks, task("v", "g")], [goal("g", waits)])).toEqual({ status: "active", reason: null });
  });

  it("is blocked when all that is left waits for what is blocked or dropped", () => {
    const waiting = [task("w", "g", { dependsOn: ["v"] }), task("v", "g", { dependsOn: ["t"] })];
    expect(settled([...waiting, task("t", "g", { status: "dropped" })])).toEqual({
      status: "blocked",
      reason: "v waits for t, which was dropped",
    });
    expect(settled([...waiting, task("t", "g", { status: "blocked" })])?.status).toBe("blocked");
    expect(settled([...waiting, task("t", "g")])).toBeNull();
  });

  it("is blocked, not done, when all that is left is blocked", () => {
    const blocked = task("t", "g", { status: "blocked", reason: "no key" });
    const expected = { status: "blocked", reason: "t is blocked: no key" };
    expect(settled([task("d", "g", { status: "done" }), blocked])).toEqual(expected);
    expect(settled([blocked, task("p", "g")])).toBeNull();
    const already = goal("g", { status: "blocked", reason: "t is blocked: no key" });
    expect(settled([blocked], [already])).toBeNull();
  });

  it("is active again when a task of a blocked goal is taken up", () => {
    const blocked = goal("g", { status: "blocked", reason: "t is blocked: no key" });
    expect(settled([task("t", "g")], [blocked])).toEqual({ status: "active", reason: null });
  });
});
