import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sample } from "../program.ts";
import { openedOn } from "./opened.ts";

/** Nothing is distilled yet: the rules in the report are proposals. */
const opened = openedOn(async (place) => {
  await place.json(["import", sample, "--no-rules"]);
  const talk = join(place.dir, "talk.jsonl");
  const said = { session: "talk", ts: "2026-01-05T09:00:00Z" };
  const lines = [
    { ...said, seq: 0, role: "user", text: "Which shell is it?" },
    { ...said, seq: 1, role: "assistant", text: "It is zsh." },
  ];
  writeFileSync(talk, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await place.json(["import", talk, "--from", "messages", "--no-rules"]);
});

describe("what the API may answer, the page can show", () => {
  it("a rule that is only proposed leads nowhere", async () => {
    await opened.open("/failures");
    const entry = opened.page.locator("main details", { hasText: "would be proposed" }).first();
    await entry.locator("summary").click();
    await entry.getByText("would be proposed").last().waitFor();
    expect(await entry.locator('a[href*="null"]').count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  it("an agent's answer is called one", async () => {
    await opened.open("/sessions/talk");
    await opened.page.getByText("Agent answered").waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
