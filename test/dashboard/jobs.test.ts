import { describe, expect, it } from "vitest";
import { openedOn } from "./opened.ts";
import { openJobBreaker } from "./stored-jobs.ts";

const opened = openedOn(async (place) => {
  await place.json(["job", "add", "tests", "--cron", "0 9 * * *", "--zone", "UTC", "--command", "echo red; exit 1"]);
  await place.json(["job", "add", "heartbeat"]);
  for (let n = 0; n < 3; n++) await place.json(["job", "run", "tests"], { code: 1 });
  // What fails by hand does not count.
  await openJobBreaker(place, "tests");
});

const job = (name: string) => opened.page.getByRole("list", { name: "Jobs" }).locator("li", { hasText: name });

describe("jobs", () => {
  it("shows the schedule, the breaker, its alert, and what became of every slot", async () => {
    const { page } = opened;
    await opened.open("/jobs");
    await expect
      .poll(() => job("tests").innerText())
      .toMatch(/3 failures in a row[^]*0 9 \* \* \*[^]*in UTC, next here/);
    expect(await page.getByRole("list", { name: "Alerts" }).innerText()).toContain("failed 3 times in a row");
    const slots = page.getByRole("list", { name: "Latest slots" }).locator("li");
    expect(await slots.count()).toBe(3);
    expect(await slots.first().innerText()).toMatch(/tests\s*failed\s*by hand\s*exit 1: red/);
    const row = page.getByRole("region", { name: "Slots by day" }).getByRole("row", { name: "tests" });
    expect(await row.innerText()).toContain("0 · 3 · 0");
    await page.getByText("No worker runs").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("is named on Today while an alert was not seen", async () => {
    const { page } = opened;
    await opened.open("/");
    const waiting = page.getByRole("list", { name: "Waiting for you" });
    await waiting.getByRole("link", { name: "Look at the job" }).click();
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
  });

  it("runs, resets, disables and removes a job, and takes a removal back", async () => {
    const { page } = opened;
    await opened.open("/jobs");
    await job("heartbeat").getByRole("button", { name: "Run now" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run now" }).click();
    await page.getByText("It ran: alive").waitFor();
    await job("tests").getByRole("button", { name: "Reset its breaker" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reset its breaker" }).click();
    await expect.poll(() => page.getByRole("list", { name: "Alerts" }).count()).toBe(0);
    await job("tests").locator("summary").click();
    await job("tests").getByRole("button", { name: "Disable" }).click();
    await expect.poll(() => job("tests").innerText()).toContain("disabled");
    await job("tests").locator("summary").click();
    await job("tests").getByRole("button", { name: "Remove the job" }).click();
    await expect.poll(() => job("tests").count()).toBe(0);
    await page.getByRole("button", { name: "Take it back" }).click();
    await job("tests").waitFor();
  });

  it("pauses all work and resumes it", async () => {
    const { page } = opened;
    await opened.open("/jobs");
    await page.getByRole("button", { name: "Pause all work" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause all work" }).click();
    await page.getByRole("button", { name: "Resume all work" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resume all work" }).click();
    await page.getByRole("button", { name: "Pause all work" }).waitFor();
  });
});
