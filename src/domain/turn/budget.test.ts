import { describe, expect, it } from "vitest";
import { newStepBudget } from "./budget.ts";

describe("the budget of a turn", () => {
  it("gives so many steps and no more, and takes back what is refunded", () => {
    const budget = newStepBudget(2);
    expect([budget.take(), budget.take(), budget.take(), budget.used(), budget.left()]).toEqual([
      true,
      true,
      false,
      2,
      0,
    ]);
    budget.refund();
    expect([budget.left(), budget.take(), budget.take()]).toEqual([1, true, false]);
    for (let at = 0; at < 5; at++) budget.refund();
    expect([budget.used(), budget.left()]).toEqual([0, 2]);
  });

  it("is shared with sub-agents: each has a limit of its own and draws on the parent's", () => {
    const parent = newStepBudget(5);
    const [one, two] = [newStepBudget(3, parent), newStepBudget(3, parent)];
    expect([one.take(), one.take(), one.take(), one.take()]).toEqual([true, true, true, false]);
    expect([two.left(), two.take(), two.take(), two.take()]).toEqual([2, true, true, false]);
    expect([parent.take(), parent.used(), two.used()]).toEqual([false, 5, 2]);
    one.refund();
    expect([parent.left(), two.take()]).toEqual([1, true]);
  });
});
