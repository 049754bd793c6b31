import { fillAction, pressAction, submitAction } from "./driven.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sample } from "../program.ts";
import { openedOn } from "./opened.ts";

const dashboard = openedOn(async (place) => {
  await place.json(["import", sample]);
  // Too few failures for a rule.
  const rare = [1, 2].map((day) => ({
    ...{ session: `rare-${day}`, seq: 1, ts: `2026-01-0${day}T10:00:00Z`, agent: "codex", cwd: "/home/ada/shop" },
    ...{ tool: "Bash", input: { command: "make release" }, ok: false, error_text: "make: no rule to make release" },
  }));
  writeFileSync(join(place.dir, "rare.jsonl"), rare.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await place.json(["import", join(place.dir, "rare.jsonl")]);
  await place.json(["distil", "--write"]);
});

type Rule = { readonly id: string; readonly text: string; readonly evidence: { readonly observations: number } };

describe("sessions", () => {
  it("are searched on their page, with the words in the address", async () => {
    const { page } = dashboard;
    await dashboard.open("/sessions");
    await page.keyboard.press("/");
    await page.keyboard.type("docker");
    await page.keyboard.press("Enter");
    const found = page.getByRole("list", { name: "Found" });
    await found
      .getByText(/contains docker/)
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe("docker");
    await page.getByRole("searchbox", { name: "Search in all sessions" }).fill("");
    await page.getByText("Latest activity first").waitFor();
    // No event of the sample is in this range.
    await page.goto(`${dashboard.origin}/sessions?q=docker&to=2025-12-31`);
    await page.getByText("Nothing found").waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it("obey the time range and the workspace", async () => {
    const { page } = dashboard;
    await dashboard.open("/sessions?workspace=/home/ada/shop/web");
    await page.locator("main li").first().waitFor();
    const { body } = await dashboard.serving.call<{ sessions: unknown[] }>("sessions/list", {
      workspace: "/home/ada/shop/web",
    });
    expect(await page.locator("main li").count()).toBe(body.sessions.length);
    await page.goto(`${dashboard.origin}/sessions?to=2025-12-31`);
    await page.getByText("No session matches these filters").waitFor();
  });

  it("are narrowed to the events with some words, or those that failed", async () => {
    const { page } = dashboard;
    await dashboard.open("/sessions/sample-01");
    await page.locator("#event-11").waitFor();
    const all = await page.locator("[id^=event-]").count();
    await page.getByRole("checkbox", { name: "Failed only" }).check();
    const failed = await page.locator("[id^=event-]").count();
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThan(all);
    await page.getByText(`${failed} of ${all} events`).waitFor();
    await page.getByRole("checkbox", { name: "Failed only" }).uncheck();
    await page.getByRole("searchbox", { name: "Filter events" }).fill("no such words at all");
    await page.getByText(`0 of ${all} events`).waitFor();
  });
});

describe("a mistake without a rule", () => {
  it("says why, and a rule is written beside it, in force and undone from there", async () => {
    const { page, serving } = dashboard;
    const { body } = await serving.call<{ mistakes: { rule: unknown; noRule: string; text: string }[] }>("report", {
      limit: 50,
    });
    const mistake = body.mistakes.find(({ rule }) => rule === null);
    await dashboard.open("/failures");
    const entry = page
      .locator("main li")
      .filter({ hasText: `no rule: ${mistake?.noRule}` })
      .first();
    await entry.locator("summary").first().click();
    await entry.getByRole("button", { name: "Write a rule" }).click();
    await fillAction(page, { text: "Ask Ada before you do this" });
    await submitAction(page);
    const written = async () =>
      (await serving.call<Rule[]>("rules/list", {})).body.filter(({ text }) => text.startsWith("Ask Ada")).length;
    await expect.poll(written).toBe(1);
    await page.getByRole("button", { name: /Take it back/ }).click();
    await expect.poll(written).toBe(0);
    expect(dashboard.complaints).toEqual([]);
  });
});

describe("rules", () => {
  it("are sorted as asked, and the bar beside them is explained", async () => {
    const { page, serving } = dashboard;
    await dashboard.open("/rules?sort=most seen");
    await page.getByText(/The share of the recorded calls matching the rule/).waitFor();
    const { body } = await serving.call<Rule[]>("rules/list", {});
    const most = body.toSorted((a, b) => b.evidence.observations - a.evidence.observations)[0];
    const first = page.locator("main li").first();
    expect((await first.innerText()).replaceAll("`", "")).toContain(most?.text.replaceAll("`", ""));
  });

  it("come up for review with the calls they come from, and show equal calls as one", async () => {
    const { page } = dashboard;
    await dashboard.open("/rules/review");
    const evidence = page.getByRole("list", { name: "Evidence" }).first();
    await evidence.waitFor();
    const rows = await evidence.locator(":scope > li > div > a").allInnerTexts();
    expect(new Set(rows).size).toBe(rows.length);
  });
});

describe("history", () => {
  it("says the rule's text, and from what to what it changed", async () => {
    const { page, place } = dashboard;
    const [rule] = await place.json<Rule[]>(["rules"]);
    await place.json(["rules", "approve", rule?.id ?? ""]);
    await dashboard.open("/history");
    const entry = page.locator("main li").first();
    await entry.getByText(/candidate → approved/).waitFor();
    expect((await entry.innerText()).replaceAll("`", "")).toContain(rule?.text.replaceAll("`", ""));
  });
});

describe("memory", () => {
  it("takes one by hand, and says so where it is known already", async () => {
    const { page } = dashboard;
    await dashboard.open("/memory");
    const add = async () => {
      await pressAction(page.getByRole("group", { name: "Write" }), "Write a memory");
      await fillAction(page, { text: "Ada reviews every migration" });
      await submitAction(page);
      await page.getByRole("dialog").waitFor({ state: "hidden" });
    };
    const known = page.locator("main li").filter({ hasText: "Ada reviews every migration" });
    await add();
    await known.waitFor();
    await add();
    await page
      .getByText(/already/)
      .first()
      .waitFor();
    expect(await known.count()).toBe(1);
    expect(dashboard.complaints).toEqual([]);
  });
});
