import { describe, expect, it } from "vitest";
import { openedOn } from "./opened.ts";
import { storeProposedGoal } from "./stored-goals.ts";

let first = "";
const opened = openedOn(async (place) => {
  const { goal } = await place.json<{ goal: { id: string } }>(["goal", "add", "Ship the importer", "--priority", "2"]);
  first = goal.id;
  const add = async (title: string) =>
    (await place.json<{ task: { id: string } }>(["task", "add", first, title, "--person", `Is "${title}" done?`])).task
      .id;
  const read = await add("Read the old format");
  await add("Write the new one");
  await place.json(["task", "done", read, "both versions are read"]);
  await place.json(["comment", first, "Which versions?", "--kind", "question"]);
  await storeProposedGoal(place, "Tidy the tests");
});

const card = (title: string) =>
  opened.page.getByRole("list", { name: "Goals" }).locator(":scope > li", { hasText: title });

describe("goals", () => {
  it("are shown with what is verified and what is open, the most urgent first", async () => {
    await opened.open("/goals");
    await expect
      .poll(() => card("Ship the importer").innerText())
      .toMatch(/Priority 2 · 1 of 2 done \(1 verified, 0 claimed\)/);
    const all = await opened.page.getByRole("list", { name: "Goals" }).locator(":scope > li").allInnerTexts();
    expect(all.map((text) => text.split("\n")[0])).toEqual(["Ship the importer", "Tidy the tests"]);
    expect(opened.complaints).toEqual([]);
  });

  it("open to their tasks, each with what decides whether it is done, and to what was said", async () => {
    await opened.open("/goals");
    await card("Ship the importer").getByText("Tasks and comments").click();
    const tasks = card("Ship the importer").getByRole("list", { name: "Tasks" });
    await expect.poll(() => tasks.innerText()).toMatch(/Read the old format\s*verified\s*Done when a person says yes/);
    const comments = card("Ship the importer").getByRole("list", { name: "Comments" });
    expect(await comments.innerText()).toMatch(/Which versions\?\s*question\s*not read yet/);
  });

  it("of an agent wait for the owner, who approves them there", async () => {
    await opened.open("/goals");
    await expect.poll(() => card("Tidy the tests").innerText()).toMatch(/proposed[^]*from codex/);
    await card("Tidy the tests").getByRole("button", { name: "Approve" }).click();
    await expect.poll(() => card("Tidy the tests").innerText()).toMatch(/active/);
  });
});
