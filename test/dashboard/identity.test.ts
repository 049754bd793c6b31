import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fillAction, pressAction, submitAction } from "./driven.ts";
import { openedOn } from "./opened.ts";

const opened = openedOn(async (place) => {
  await place.json(["init", "--name", "Ada", "--address", "Boss", "--choose", "1-6"]);
  await place.json(["remember", "Deploys go through staging", "--key", "deploys", "--origin", "agent"]);
  await place.json(["remember", "The office closes at six", "--key", "office"]);
});

const read = (name: string) => readFileSync(join(opened.place.home, name), "utf8");
const propose = (point: string, reason: string, section = "Manner", code = 0) =>
  opened.place.json<{ id: string }>(["soul", "propose", "--section", section, "--add", point, "--reason", reason], {
    code,
  });
const proposal = (reason: string) => opened.page.getByRole("listitem", { name: `Proposal for SOUL.md: ${reason}` });
const file = (name: string) => opened.page.getByRole("list", { name: "Files" }).getByRole("listitem", { name });
const growth = () => opened.page.getByRole("list", { name: "Growth log" });

describe("the identity", () => {
  it("is reached from the navigation, and shows its files in their order of weight, with where they are", async () => {
    const { page, place } = opened;
    await opened.open("/");
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Identity" }).click();
    await page.getByRole("heading", { level: 1, name: "Identity" }).waitFor();
    await file("SHIELD.md").waitFor();
    const heads = await page.getByRole("list", { name: "Files" }).getByRole("heading", { level: 3 }).allInnerTexts();
    expect(heads.map((head) => head.split(" ")[0])).toEqual(["SHIELD.md", "SOUL.md", "USER.md", "HARNESS.md"]);
    await file("SOUL.md").getByText(join(place.home, "SOUL.md")).waitFor();
    await file("SOUL.md").getByText("Name: Ada").waitFor();
    await file("USER.md").getByText("Address the user as Boss.").waitFor();
    expect(await file("USER.md").getByRole("button").count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  it("marks what is protected, and only that", async () => {
    await opened.open("/identity");
    const guarded = file("SOUL.md").getByRole("group", { name: "Protected" });
    await guarded.first().waitFor();
    const text = (await guarded.allInnerTexts()).join("\n");
    expect(text).toContain("## Values");
    expect(text).not.toContain("## Manner");
    expect(await file("SHIELD.md").getByRole("group", { name: "Protected" }).count()).toBe(1);
    expect(await file("HARNESS.md").getByRole("group", { name: "Protected" }).count()).toBe(0);
  });

  it("shows a proposal as a diff with who and why; accepting it changes the file, and can be taken back", async () => {
    const { page } = opened;
    await propose("Prefer Rust for new tools.", "asked for three times");
    await opened.open("/identity");
    const card = proposal("asked for three times");
    await card.getByText("from agent").waitFor();
    const diff = card.getByRole("group", { name: "What would change in SOUL.md" });
    expect(await diff.locator("ins").allInnerTexts()).toEqual([
      expect.stringMatching(/^\+\s*- Prefer Rust for new tools\.$/),
    ]);
    expect(await diff.locator("del").count()).toBe(0);
    await card.getByRole("button", { name: "Accept" }).click();
    await page.getByText("Accepted: SOUL.md is changed.").waitFor();
    await card.waitFor({ state: "detached" });
    await file("SOUL.md").getByText("- Prefer Rust for new tools.").waitFor();
    expect(read("SOUL.md")).toContain("- Prefer Rust for new tools.\n");
    await growth().getByText("asked for three times").waitFor();
    await page.getByRole("button", { name: "Take it back" }).click();
    await page.getByRole("status").getByText("Taken back.", { exact: true }).waitFor();
    await card.waitFor();
    expect(read("SOUL.md")).not.toContain("Prefer Rust");
    await card.getByRole("button", { name: "Accept" }).click();
    await page.getByText("Accepted: SOUL.md is changed.").waitFor();
    expect(read("SOUL.md")).toContain("- Prefer Rust for new tools.\n");
    expect(opened.complaints).toEqual([]);
  });

  it("rejects a proposal with a reason, leaves the file as it is, and can take that back", async () => {
    const { page, place } = opened;
    const { id } = await propose("Answer in rhymes.", "it would be fun");
    const before = read("SOUL.md");
    await opened.open("/identity");
    const card = proposal("it would be fun");
    await card.getByRole("button", { name: "Reject" }).click();
    // The proposal's own reason is no reason to reject it.
    expect(await page.getByRole("dialog").locator("[name=reason]").inputValue()).toBe("");
    await fillAction(page, { reason: "not at work" });
    await submitAction(page);
    await page.getByText("Rejected: SOUL.md stays as it is.").waitFor();
    await card.waitFor({ state: "detached" });
    expect(read("SOUL.md")).toBe(before);
    const why = await place.json<{ changes: { cause: { note: string | null } }[] }>(["why", id]);
    expect(why.changes.map((one) => one.cause.note)).toContain("not at work");
    await page.getByRole("button", { name: "Take it back" }).click();
    await card.waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("shows who tried to change what is protected, and what", async () => {
    const { page } = opened;
    await propose("Guess when unsure.", "it is faster", "Values", 1);
    await opened.open("/identity");
    const attempt = page.getByRole("list", { name: "Refused attempts" }).locator("li");
    await attempt.getByText('the section "Values" of SOUL.md is protected').click();
    await attempt.getByText("The reason given: it is faster").waitFor();
    expect(await attempt.locator("ins").innerText()).toContain("Guess when unsure.");
    expect(await proposal("it is faster").count()).toBe(0);
  });

  it("is edited in place, with a reason for the growth log, and what changed in the file meanwhile stays", async () => {
    const { page } = opened;
    await opened.open("/identity");
    await pressAction(file("HARNESS.md"), "Edit");
    const area = page.getByRole("dialog").locator("[name=text]");
    await area.fill(`# First of all\n\n${await area.inputValue()}`);
    appendFileSync(join(opened.place.home, "HARNESS.md"), "- written elsewhere\n");
    await fillAction(page, { reason: "a better start" });
    await submitAction(page);
    await page.getByText("Saved.").waitFor();
    expect(read("HARNESS.md")).toMatch(/^# First of all\n\n[^]*- written elsewhere\n$/);
    await growth().getByText("a better start").waitFor();
    await page.getByRole("button", { name: "Take it back" }).click();
    await page.getByRole("status").getByText("Taken back.", { exact: true }).waitFor();
    expect(read("HARNESS.md")).not.toContain("First of all");
    expect(read("HARNESS.md")).toContain("- written elsewhere");
    expect(opened.complaints).toEqual([]);
  });

  it("refuses an edit of lines that changed meanwhile, and keeps what was typed", async () => {
    const { page, place } = opened;
    await opened.open("/identity");
    await pressAction(file("SOUL.md"), "Edit");
    const area = page.getByRole("dialog").locator("[name=text]");
    const mine = (await area.inputValue()).replace("Name: Ada", "Name: Eve");
    await area.fill(mine);
    await place.json(["soul", "edit", "SOUL.md", "--text", read("SOUL.md").replace("Name: Ada", "Name: Ida")]);
    await submitAction(page);
    await page
      .getByRole("dialog")
      .getByRole("alert")
      .getByText("SOUL.md was changed in the same lines since you read it")
      .waitFor();
    expect(await area.inputValue()).toBe(mine);
    expect(read("SOUL.md")).toContain("Name: Ida");
  });

  it("shows what was edited outside, in the text, the growth log and the drift", async () => {
    const { page } = opened;
    const drift = page.getByRole("list", { name: "Drift" }).getByRole("listitem", { name: "SHIELD.md" });
    await opened.open("/identity");
    await page.getByText(/^Unchanged since the first version: .*SHIELD\.md/).waitFor();
    appendFileSync(join(opened.place.home, "SHIELD.md"), "- Never deploy on a Friday.\n");
    // As when the user returns from the editor.
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await file("SHIELD.md").getByText("- Never deploy on a Friday.").waitFor();
    await growth().getByText("SHIELD.md was edited").waitFor();
    await drift.getByText(/^\d+ % of its words and \d+ % of its lines differ from the first version\.$/).waitFor();
    await drift.getByText("+1 −0 lines").waitFor();
    await pressAction(page.getByRole("group", { name: "Undo: SHIELD.md: SHIELD.md was edited" }), "Undo");
    await page.getByText(/^Unchanged since the first version: .*SHIELD\.md/).waitFor();
    expect(read("SHIELD.md")).not.toContain("Friday");
    expect(opened.complaints).toEqual([]);
  });
});

describe("what others propose", () => {
  it("is text on the page: nothing of it runs", async () => {
    const { page } = opened;
    const evil = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>`;
    await propose(evil, evil);
    await opened.open("/identity");
    await page.getByRole("list", { name: "Proposals" }).locator("ins", { hasText: "onerror" }).waitFor();
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    expect(await page.locator("img[src=x], #app script").count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });
});

describe("on a narrow screen", () => {
  it("the page is not wider than the screen, and its name is seen in the navigation", async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 360, height: 740 });
    await opened.open("/identity");
    await growth().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    const box = await page.getByRole("link", { name: "Identity" }).boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 360).toBe(true);
  });
});

describe("where there is no identity", () => {
  const bare = openedOn(async (place) => {
    await place.json(["status"]);
  });

  it("the page says how to begin", async () => {
    await bare.open("/identity");
    await bare.page.getByText("There is no identity yet").waitFor();
    await bare.page.getByText("oldhand init", { exact: true }).waitFor();
    expect(await bare.page.getByRole("list", { name: "Files" }).count()).toBe(0);
    expect(bare.complaints).toEqual([]);
  });
});

describe("a memory", () => {
  const entry = (text: string) => opened.page.locator("main li", { hasText: text });
  const shown = (id: string) =>
    opened.place.json<{ text: string; origin: string; importance: number; status: string }>(["memories", "show", id]);

  it("is edited in place, is the owner's word then, and what it was can be had back", async () => {
    const { page } = opened;
    await opened.open("/memory");
    await entry("Deploys go through staging").getByRole("button", { name: "Edit" }).click();
    await fillAction(page, { text: "Deploys go through the green stage", importance: "80" });
    await submitAction(page);
    await page.getByText("Edited: it now counts as yours.").waitFor();
    await entry("Deploys go through the green stage").getByText("importance 80").waitFor();
    expect(await shown("deploys")).toMatchObject({ origin: "owner", importance: 80, status: "active" });
    await page.getByRole("button", { name: "Take it back" }).click();
    await entry("Deploys go through staging").getByText("from agent").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("is archived out of recall, with the way back on the page, and forgetting is for a terminal", async () => {
    const { page } = opened;
    await opened.open("/memory");
    await entry("The office closes").getByRole("button", { name: "Forget…" }).click();
    await entry("The office closes")
      .getByText(/^Archive it, .* So a terminal does it:/)
      .waitFor();
    await entry("The office closes").getByRole("button", { name: "Archive" }).click();
    await entry("The office closes").waitFor({ state: "detached" });
    await page.getByText("Archived, no longer recalled: “The office closes at six”").waitFor();
    expect(await shown("office")).toMatchObject({ status: "archived" });
    await page.getByRole("button", { name: "Take it back" }).click();
    await entry("The office closes").waitFor();
    expect(await shown("office")).toMatchObject({ status: "active" });
    expect(opened.complaints).toEqual([]);
  });
});
