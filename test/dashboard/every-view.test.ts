import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sample } from "../program.ts";
import { listFaults } from "./faults.ts";
import { storeModelCalls } from "./model-calls.ts";
import { openedOn } from "./opened.ts";
import { storeApproval } from "./stored-approvals.ts";
import { storeCycle } from "./stored-cycles.ts";
import { storeProposedGoal } from "./stored-goals.ts";

const LONG = `/home/entity/projects/EntityProcess/agentv/${"deep/".repeat(12)}dispatch-codex-prompt.sh`;
const workspace = `/home/ada/${"workshop".repeat(8)}`;

let ruleId = "";
const dashboard = openedOn(async (place) => {
  await place.json(["import", sample]);
  const fields = { agent: "claude-code", cwd: workspace, tool: "Bash" };
  const failing = [1, 2, 3].map((seq) => ({
    ...fields,
    session: `long-0${seq}`,
    seq,
    ts: `2025-12-0${seq}T10:00:00Z`,
    input: { command: `${LONG} --prompt ${"x".repeat(90)}` },
    ok: false,
    error_text: `Exit code 127\nsh: ${LONG}: not found`,
  }));
  // Every combination of length and outcome once: axe takes a second for a hundred rows.
  const many = Array.from({ length: 63 }, (_, seq) => ({
    ...fields,
    session: "many-calls",
    seq,
    ts: new Date(Date.UTC(2025, 11, 5) + seq * 20_000).toISOString(),
    input: { command: `grep -rn "${"needle".repeat(seq % 9)}" ${LONG}` },
    ok: seq % 7 !== 0,
    error_text: seq % 7 === 0 ? `grep: ${LONG}: No such file or directory` : null,
  }));
  writeFileSync(
    join(place.dir, "long.jsonl"),
    [...failing, ...many].map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  await place.json(["import", join(place.dir, "long.jsonl")]);
  await place.json(["distil", "--write"]);
  await place.json(["init", "--yes"]);
  const { rule } = await place.json<{ rule: { id: string } }>([
    "learn",
    `Never run ${LONG} by hand`,
    "--command",
    LONG,
  ]);
  ruleId = rule.id;
  await place.json(["remember", `the script is ${LONG}`]);
  await place.json(["mistake", `ran ${LONG}`]);
  await storeModelCalls(place);
  await storeApproval(place, `${LONG} --all`, { workspace, detail: `${LONG}\n(in ${workspace})` });
  const diff = `--- a\n+++ a\n@@ -1,1 +1,1 @@\n-${LONG}\n+${"x".repeat(200)}\n`;
  await storeApproval(place, LONG, { workspace, effect: "edit", detail: diff });
  await storeApproval(place, LONG, { workspace, status: "approved", reach: "always", session: "long-01" });
  await place.json(["message", "send", `Look at ${LONG}`, "--kind", "query"]);
  await place.json(["job", "add", "long", "--cron", "0 9 * * 1-5", "--command", `echo ${LONG}; exit 1`]);
  for (let n = 0; n < 3; n++) await place.json(["job", "run", "long"], { code: 1 });
  const { goal } = await place.json<{ goal: { id: string } }>(["goal", "add", `Reach ${LONG}`, "--description", LONG]);
  const { task } = await place.json<{ task: { id: string } }>([
    ...["task", "add", goal.id, `Do ${LONG}`, "--person", `Is ${LONG} well?`],
  ]);
  await storeCycle(place, { goal: goal.id, task: task.id, words: LONG });
  await place.json(["comment", goal.id, LONG, "--kind", "question"]);
  await storeProposedGoal(place, `Tidy ${LONG}`);
  await place.json(["win", "looked first", "--pattern", "looking", "--why", "it is cheap"]);
});

const views = [
  "/",
  "/approvals",
  "/sessions",
  `/sessions?range=90d&workspace=${workspace}`,
  "/sessions?q=dispatch",
  "/sessions/long-01?at=1",
  "/sessions/many-calls",
  "/failures",
  "/rules",
  "/rules/review",
  "/rules/:rule",
  "/ledger",
  "/memory",
  "/memory?query=script",
  "/identity",
  "/messages",
  "/models",
  "/models?by=agent&range=7d",
  "/goals",
  "/letter",
  "/jobs",
  "/history",
  "/hosts",
  "/no/such/page",
] as const;

/** Waits until the page has loaded. The page forbids eval, so it is polled from outside. */
async function settled(): Promise<void> {
  await expect
    .poll(
      () =>
        dashboard.page.evaluate(
          "document.querySelector('main h1') !== null && document.querySelector('main [aria-busy=true], main .late') === null",
        ),
      { timeout: 15_000 },
    )
    .toBe(true);
}

describe("on a desktop and a phone, light and dark", () => {
  it.each(views)("%s is no wider than the screen, and axe finds nothing", async (path) => {
    const { page } = dashboard;
    await dashboard.open(path.replace(":rule", ruleId));
    await settled();
    expect(await listFaults(page)).toEqual({});
  });

  it.each([
    ["the palette", "Control+k", "Search everything, or run a command"],
    ["the filter", "f", "Time and workspace"],
    ["the list of keys", "?", "Keys"],
  ])("%s is no wider than the screen, and axe finds nothing", async (_, key, name) => {
    const { page } = dashboard;
    await dashboard.open("/rules/review");
    await settled();
    await page.keyboard.press(key);
    await page.getByRole("dialog", { name }).waitFor();
    if (key === "Control+k") {
      await page.keyboard.type("run");
      await page.getByRole("group", { name: "Sessions" }).waitFor();
    }
    const isInside = async ({ width, height }: { readonly width: number; readonly height: number }) => {
      const box = await page.getByRole("dialog", { name }).boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= height;
    };
    expect(await listFaults(page, isInside)).toEqual({});
  });
});

it("names a session by its first call, in its list, its heading and the tab", async () => {
  await dashboard.open("/sessions");
  await dashboard.page.getByRole("link", { name: "git status" }).first().click();
  await dashboard.page.getByRole("heading", { level: 1, name: "git status" }).waitFor();
  expect(await dashboard.page.title()).toBe("git status · oldhand");
});

it("tells sessions that began with the same call apart, with the year where it is not this one", async () => {
  await dashboard.open("/sessions");
  await dashboard.page.locator("main li").first().waitFor();
  const rows = await dashboard.page.locator("main li").allInnerTexts();
  expect(rows.length).toBeGreaterThan(4);
  expect(new Set(rows).size).toBe(rows.length);
  expect(rows.find((row) => row.includes("63 events"))).toMatch(/5 Dec 2025/);
});
