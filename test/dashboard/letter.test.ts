import { describe, expect, it } from "vitest";
import { openedOn } from "./opened.ts";
import { storeCycle } from "./stored-cycles.ts";
import { storeProposedGoal } from "./stored-goals.ts";

interface Made {
  readonly goal: { readonly id: string };
  readonly task: { readonly id: string };
}

const opened = openedOn(async (place) => {
  const { goal } = await place.json<Made>(["goal", "add", "Ship the importer"]);
  const add = async (title: string) =>
    (await place.json<Made>(["task", "add", goal.id, title, "--person", `Is "${title}" done?`])).task.id;
  const done = await add("Read the old format");
  const open = await add("Write the new one");
  await place.json(["task", "done", done, "both versions are read"]);
  await storeProposedGoal(place, "Tidy the tests");
  await storeCycle(place, { goal: goal.id, task: open, words: "the parser is missing" });
});

const letter = () => opened.page.getByRole("region", { name: "The letter" });
const list = (name: string) => opened.page.getByRole("list", { name });

describe("the letter page", () => {
  it("tells what became of the goals, with the command for what waits; who opened it has looked", async () => {
    await opened.open("/letter");
    await expect.poll(() => letter().innerText()).toMatch(/1 task verified, 0 only claimed/);
    expect(await list("Verified by their checks").innerText()).toMatch(/Read the old format[^]*both versions are read/);
    expect(await list("Asked of you").innerText()).toMatch(/Tidy the tests[^]*oldhand goal approve goal_/);
    const again = await opened.place.json<{ verified: unknown[]; asked: unknown[] }>(["report", "--away"]);
    expect([again.verified.length, again.asked.length]).toEqual([0, 1]);
    await opened.open("/letter");
    await letter().getByRole("button", { name: "Show the letter before, too" }).click();
    await expect.poll(() => letter().innerText()).toMatch(/Read the old format/);
    expect(opened.complaints).toEqual([]);
  });

  it("lists past cycles with the rule, the task, the outcome, the cost and the reason", async () => {
    await opened.open("/letter");
    await expect
      .poll(() => list("Cycles").innerText())
      .toMatch(
        /1\s*Write the new one\s*execute\s*failed[^]*by the rule next-task · ollama\/scripted · \$0\.020[^]*the parser is missing/,
      );
  });

  it("shows snapshots as letters, with their other fields when opened", async () => {
    await opened.open("/letter");
    const letters = list("Letters to the next cycle");
    await expect.poll(() => letters.innerText()).toMatch(/after 1 cycle[^]*It stands so[^]*Next: the parser/);
    await letters.getByText("Goals, outcomes, blockers, learnings").click();
    await expect
      .poll(() => letters.innerText())
      .toMatch(/50 % verified, 0 % claimed[^]*Failed: the parser[^]*\(0\.50\)/);
  });
});
