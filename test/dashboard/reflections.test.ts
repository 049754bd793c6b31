import { describe, expect, it } from "vitest";
import { openedOn } from "./opened.ts";
import { storeFailedAttempts } from "./stored-goals.ts";

const opened = openedOn(async (place) => {
  const { goal } = await place.json<{ goal: { id: string } }>(["goal", "add", "Ship the importer"]);
  const { task } = await place.json<{ task: { id: string } }>([
    ...["task", "add", goal.id, "Read the old format", "--person", "Is it read?"],
  ]);
  await storeFailedAttempts(place, { task: task.id, goal: goal.id }, [
    "parse it by hand",
    "parse it by hand",
    "Parse it by hand",
  ]);
});

const section = () => opened.page.locator("section", { hasText: "Reflections" });

describe("reflections", () => {
  it("are on the page of goals, with the strategies that fail", async () => {
    await opened.open("/goals");
    await expect
      .poll(() => section().innerText())
      .toMatch(/A reflection is due: there was no reflection yet, and 3 tasks were worked on\./);
    const strategies = section().getByRole("table", { name: "Strategies" });
    expect(await strategies.innerText()).toMatch(/parse it by hand\s*try another way\s*0\s*0\s*3/i);
    expect(opened.complaints).toEqual([]);
  });

  it("are made there by a button, and say what was found", async () => {
    await opened.open("/goals");
    await section().getByRole("button", { name: "Look back" }).click();
    const dialog = opened.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Look back" }).click();
    const last = section().getByRole("list", { name: "Last reflections" });
    await expect.poll(() => last.innerText()).toMatch(/"parse it by hand" failed 3 times and was never verified/i);
    await expect.poll(() => section().innerText()).toMatch(/No reflection is due: the last cycle was a reflection/);
  });
});
