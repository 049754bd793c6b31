import { describe, expect, it } from "vitest";
import { storeModelCalls } from "./model-calls.ts";
import { openedOn } from "./opened.ts";

const opened = openedOn(async (place) => {
  await place.json(["status"]);
  await storeModelCalls(place);
  await place.json(["models", "caps", "set", "agent", "clerk", "1"]);
});

const figure = (name: string) => opened.page.locator("dl > div", { has: opened.page.getByText(name, { exact: true }) });
const chart = (name: string) => opened.page.getByRole("figure", { name });

describe("models", () => {
  it("summarises all calls in six figures", async () => {
    await opened.open("/models");
    await expect.poll(() => figure("Calls").innerText()).toMatch(/7\s+1 failed/);
    expect(await figure("Cost").innerText()).toContain("$0.22");
    expect(await figure("Quality").innerText()).toMatch(/0\.63\s+mean of 4 judged/);
    expect(await figure("Healed").innerText()).toMatch(/1\s/);
    expect(await figure("From the cache").innerText()).toMatch(/1\s+14 %/);
    expect(opened.complaints).toEqual([]);
  });

  it("draws cost, calls, time and quality by day, each also as a table", async () => {
    await opened.open("/models");
    for (const name of ["Cost by day", "Calls by day", "Time to answer by day", "Quality by day"]) {
      await chart(name).getByRole("button", { name: "Show as table" }).click();
      expect(await chart(name).getByRole("row").count()).toBe(15);
    }
    const cost = await chart("Cost by day").getByRole("row").nth(2).innerText();
    expect(cost).toContain("$0.03");
    expect(cost).toContain("$0.04");
    // A day without a judged call has no quality, not a bad one.
    expect((await chart("Quality by day").getByRole("row").nth(10).innerText()).trim()).toMatch(/–$/);
    expect(opened.complaints).toEqual([]);
  });

  it("is grouped and narrowed by its address", async () => {
    const { page } = opened;
    await opened.open("/models?range=7d");
    await page.getByRole("link", { name: "Kind of task" }).click();
    const table = page.getByRole("region", { name: "Calls by kind of task" });
    await table.waitFor();
    expect(page.url()).toContain("range=7d");
    expect(page.url()).toContain("by=task");
    expect(await table.getByRole("row").allInnerTexts()).toEqual([
      expect.stringContaining("Kind of task"),
      expect.stringContaining("triage"),
      expect.stringContaining("summarization"),
    ]);
    expect(await chart("Cost by day").getByRole("slider").getAttribute("aria-valuemax")).toBe("6");
  });

  it("shows for each call why its model was chosen, and its attempts", async () => {
    const { page } = opened;
    await opened.open("/models");
    const healed = page.getByRole("list", { name: "Latest calls" }).locator("details", { hasText: "healed" });
    await healed.locator("summary").click();
    expect(await healed.getByRole("list", { name: "Why this model" }).innerText()).toContain("highest score");
    expect(await healed.getByRole("list", { name: "Attempts" }).innerText()).toMatch(/overloaded[^]*answered/);
    await healed.getByRole("link", { name: "agent:clerk:s3" }).waitFor();
  });

  it("shows caps with what is spent and reserved, and what the router has learned", async () => {
    const { page } = opened;
    await opened.open("/models");
    const caps = page.getByRole("list", { name: "Caps" }).locator("li");
    await expect.poll(() => caps.count()).toBe(2);
    expect(await caps.nth(0).innerText()).toMatch(/default[^]*spent[^]*reserved[^]*left of \$20/);
    expect(await caps.nth(1).innerText()).toContain("Agent clerk");
    const known = page.getByRole("region", { name: "Models for simple triage" });
    expect(await known.innerText()).toContain("0.75");
    expect(opened.complaints).toEqual([]);
  });
});

describe("models on their first day", () => {
  const first = openedOn(async (place) => {
    await place.json(["models", "add", "anthropic/claude-sonnet-4-5"]);
    await place.json(["status"]);
    await storeModelCalls(place, { isFirstDay: true });
  });

  it("draw a single day as a dot, and name the days that are counted", async () => {
    const { page } = first;
    await first.open("/models");
    for (const name of ["Time to answer by day", "Quality by day"]) {
      const line = page.getByRole("figure", { name }).locator("polyline").last();
      await line.waitFor({ state: "attached" });
      const [from, to] = ((await line.getAttribute("points")) ?? "").split(" ");
      expect(from).toBe(to);
      expect(Number(await line.getAttribute("stroke-width"))).toBeGreaterThan(5);
    }
    await page.getByRole("button", { name: /^Last 14 days/ }).waitFor();
    expect(await page.locator("dl > div", { hasText: "Time to answer" }).innerText()).toMatch(/95 % within/);
  });

  it("are listed with their providers, and with what is missing", async () => {
    const { page } = first;
    await first.open("/models");
    const models = page.getByRole("list", { name: "Models", exact: true });
    await models.waitFor();
    expect(await models.innerText()).toMatch(/anthropic\/claude-sonnet-4-5[^]*needs ANTHROPIC_API_KEY/);
    await page.getByText(/providers that cannot be used now/).click();
    expect(await page.getByRole("list", { name: "Other providers" }).innerText()).toContain("needs OPENAI_API_KEY");
  });

  it("show every figure on a narrow screen", async () => {
    const { page } = first;
    await page.setViewportSize({ width: 390, height: 844 });
    await first.open("/models");
    const table = page.getByRole("region", { name: "Calls by provider" });
    await table.waitFor();
    for (const name of ["Cost", "Median time", "Quality", "Cached"]) {
      const box = await table.getByText(name, { exact: true }).last().boundingBox();
      expect(box && box.x + box.width, name).toBeLessThanOrEqual(390);
    }
  });

  it("ask for the amount of a cap", async () => {
    const { page } = first;
    await first.open("/models");
    await page.getByRole("button", { name: "Set a cap" }).click();
    const amount = page.getByRole("dialog").locator('[name="amount"]');
    expect(await amount.getAttribute("required")).not.toBeNull();
  });
});

describe("where no model was called", () => {
  const empty = openedOn(async (place) => {
    await place.json(["status"]);
  });

  it("says what to do", async () => {
    await empty.open("/models");
    await empty.page.getByText("No model was called in this period").waitFor();
    await empty.page.getByText("oldhand models add PROVIDER/MODEL").first().waitFor();
    expect(empty.complaints).toEqual([]);
  });
});
