import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Place, sample } from "../program.ts";
import { openedOn } from "./opened.ts";

const DAY = 86_400_000;

/** The same command fails on three of the last days, in two workspaces. */
async function importFailures(place: Place): Promise<void> {
  const line = (daysAgo: number, n: number) =>
    JSON.stringify({
      session: `late-${daysAgo}-${n}`,
      seq: 0,
      agent: "claude-code",
      ts: new Date(Date.now() - daysAgo * DAY).toISOString(),
      cwd: n === 0 ? "/home/ada/harbour" : "/home/ada/quay",
      tool: "Bash",
      input: { command: "npm run tests" },
      ok: false,
      error_text: 'npm error Missing script: "tests"',
    });
  const lines = [line(3, 0), line(3, 1), line(2, 0), line(1, 0), line(1, 1), line(1, 2)];
  writeFileSync(join(place.dir, "late.jsonl"), lines.join("\n"));
  await place.json(["import", join(place.dir, "late.jsonl"), "--no-rules"]);
}

const opened = openedOn(async (place) => {
  await place.json(["import", sample, "--no-rules"]);
  await place.json(["distil", "--write"]);
  await importFailures(place);
});

const figure = (name: string) => opened.page.locator("dl > div", { has: opened.page.getByText(name, { exact: true }) });
const chart = () => opened.page.getByRole("figure", { name: "What happened by day" });

describe("today", () => {
  it("is the first page, and old addresses of it lead there", async () => {
    const { page } = opened;
    for (const path of ["/", "/overview", "/today"]) {
      await opened.open(path);
      await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
      await figure("Mistakes repeated").waitFor();
      expect(new URL(page.url()).pathname).toBe("/");
    }
    expect(opened.complaints).toEqual([]);
  });

  it("says in four figures what happened, against the time before", async () => {
    await opened.open("/");
    await figure("Mistakes repeated").waitFor();
    expect(await figure("Mistakes repeated").innerText()).toMatch(/5\s.*of 6 failed calls/s);
    expect(await figure("Avoided").innerText()).toContain("0");
    for (const name of ["Stopped before the call", "Answered"]) expect(await figure(name).count()).toBe(1);
  });

  it("draws the days: read by pointing, by keys and as a table", async () => {
    const { page } = opened;
    await opened.open("/");
    await chart().waitFor();
    expect(await chart().locator("figcaption").innerText()).toMatch(/In 14 days\s+Mistakes repeated\s+5/);
    const slider = chart().getByRole("slider");
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await slider.getAttribute("aria-valuetext")).toMatch(/: 3 mistakes repeated, 0 failed for the first time/);
    expect(await chart().locator("figcaption").innerText()).toMatch(/Mistakes repeated\s+3/);
    await page.keyboard.press("Home");
    expect(await slider.getAttribute("aria-valuenow")).toBe("0");
    const box = await slider.boundingBox();
    if (box === null) throw new Error("the chart is not seen");
    // The fourth of fourteen days from the right.
    await page.mouse.move(box.x + (box.width * 10.5) / 14, box.y + 20);
    await expect.poll(() => slider.getAttribute("aria-valuenow")).toBe("10");
    expect(await slider.getAttribute("aria-valuetext")).toMatch(/: 1 mistakes repeated, 1 failed for the first time/);
    await chart().getByRole("button", { name: "Show as table" }).click();
    const rows = chart().getByRole("row");
    expect(await rows.count()).toBe(15);
    expect((await rows.nth(2).innerText()).split(/\s+/).slice(-5)).toEqual(["3", "0", "0", "0", "0"]);
    expect(opened.complaints).toEqual([]);
  });

  it("is narrowed to a workspace and to a time by the address", async () => {
    await opened.open("/?workspace=/home/ada/harbour");
    await expect.poll(() => figure("Mistakes repeated").innerText()).toContain("of 3 failed calls");
    await opened.open("/?range=7d");
    await chart().waitFor();
    expect(await chart().getByRole("slider").getAttribute("aria-valuemax")).toBe("6");
  });

  it("asks for a decision where it waits, and takes it back", async () => {
    const { page, place } = opened;
    await opened.open("/");
    const waiting = page.getByRole("list", { name: "Waiting for you" }).locator("li");
    await waiting.first().waitFor();
    const before = await waiting.count();
    const href = (await waiting.first().getByRole("link").getAttribute("href")) ?? "";
    const id = href.split("/").at(-1) ?? "";
    await waiting.first().getByRole("button", { name: "Approve" }).click();
    await page.getByText("Approved: in force from now on.").waitFor();
    await expect.poll(() => waiting.count()).toBe(before - 1);
    expect(await place.json(["rules", "show", id])).toMatchObject({ status: "approved" });
    await page.getByRole("button", { name: "Take it back" }).click();
    await expect.poll(() => waiting.count()).toBe(before);
    expect(await place.json(["rules", "show", id])).toMatchObject({ status: "candidate" });
    await page.getByRole("list", { name: "Learned" }).locator("li").first().waitFor();
    expect(opened.complaints).toEqual([]);
  });
});

describe("charts by day", () => {
  it("are on the failures, of all and of the chosen mistake", async () => {
    const { page } = opened;
    await opened.open("/failures");
    const all = page.getByRole("figure", { name: "Failed calls by day" });
    await all.waitFor();
    expect(await all.locator("figcaption").innerText()).toMatch(/Failed calls\s+6/);
    const entry = page.locator("main details", { hasText: "Missing script" }).first();
    await entry.locator("summary").first().click();
    const one = entry.getByRole("figure", { name: "This mistake by day" });
    await one.waitFor();
    expect(await one.locator("figcaption").innerText()).toMatch(/Failed calls\s+6\s+Sessions\s+6/);
  });

  it("are on the sessions, and on a rule with the day it came into force", async () => {
    const { page, place } = opened;
    await opened.open("/sessions");
    const sessions = page.getByRole("figure", { name: "Sessions and failed calls by day" });
    await sessions.waitFor();
    expect(await sessions.locator("figcaption").innerText()).toMatch(/Failed calls\s+6\s+Sessions\s+6/);
    const { rule } = await place.json<{ rule: { id: string } }>(["learn", "no tests", "--command", "npm run tests"]);
    await place.json(["rules", "show", rule.id]);
    await opened.open(`/rules/${rule.id}`);
    const ofRule = page.getByRole("figure", { name: "Failed calls that the rule warns against" });
    await ofRule.waitFor();
    expect(await ofRule.innerText()).toMatch(/Failed calls\s+6[^]*in force/);
    expect(opened.complaints).toEqual([]);
  });
});

describe("where nothing is recorded", () => {
  const empty = openedOn(async (place) => {
    await place.json(["status"]);
  });

  it("today says what to do next", async () => {
    await empty.open("/");
    await empty.page.getByRole("heading", { name: "Nothing is recorded yet" }).waitFor();
    for (const command of ["oldhand install", "oldhand import", "oldhand start"])
      await empty.page.getByText(command, { exact: true }).waitFor();
    expect(empty.complaints).toEqual([]);
  });
});
