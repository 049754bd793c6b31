import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sample } from "../program.ts";
import { openedOn } from "./opened.ts";

const LONG = `/home/entity/projects/EntityProcess/agentv/${"deep/".repeat(12)}dispatch-codex-prompt.sh`;

const dashboard = openedOn(async (place) => {
  await place.json(["import", sample]);
  const asked = { session: "long-01", agent: "claude-code", cwd: `/home/ada/${"workshop".repeat(8)}`, tool: "Bash" };
  const lines = [1, 2, 3].map((seq) =>
    JSON.stringify({
      ...asked,
      session: `long-0${seq}`,
      seq,
      ts: `2025-12-0${seq}T10:00:00Z`,
      input: { command: `${LONG} --prompt ${"x".repeat(90)}` },
      ok: false,
      error_text: `Exit code 127\nsh: ${LONG}: not found`,
    }),
  );
  writeFileSync(join(place.dir, "long.jsonl"), `${lines.join("\n")}\n`);
  await place.json(["import", join(place.dir, "long.jsonl")]);
  await place.json(["learn", `Never run ${LONG} by hand`, "--command", LONG]);
  await place.json(["remember", `the script is ${LONG}`]);
  await place.json(["mistake", `ran ${LONG}`]);
});

const views = [
  "/",
  "/sessions",
  "/sessions/long-01",
  "/failures",
  "/rules",
  "/rules/review",
  "/ledger",
  "/memory",
  "/identity",
  "/history",
  "/hosts",
];

it("names a session by its first call, in its list, its heading and the tab", async () => {
  await dashboard.open("/sessions");
  await dashboard.page.getByRole("link", { name: "git status" }).first().click();
  await dashboard.page.getByRole("heading", { level: 1, name: "git status" }).waitFor();
  expect(await dashboard.page.title()).toBe("git status · oldhand");
});

describe("on a phone", () => {
  it.each(views)("%s is no wider than the screen, also with long words", async (path) => {
    await dashboard.page.setViewportSize({ width: 390, height: 844 });
    await dashboard.open(path);
    // The page forbids evaluation of texts, so it is asked from outside until it has loaded.
    await expect
      .poll(() =>
        dashboard.page.evaluate(
          "document.querySelector('main h1') !== null && document.querySelector('main [aria-busy=true], main .late') === null",
        ),
      )
      .toBe(true);
    const wide = await dashboard.page.evaluate(
      `[...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && getComputedStyle(one).overflowX === "visible").slice(0, 4).map((one) => one.outerHTML.slice(0, 160))`,
    );
    const width = await dashboard.page.evaluate("document.documentElement.scrollWidth");
    expect([width, wide]).toEqual([390, width === 390 ? expect.anything() : []]);
  });
});
