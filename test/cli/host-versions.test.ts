import { readdirSync, readFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DAY, systemClock } from "../../src/lib/clock.ts";
import { claudeTranscript } from "../claude-transcript.ts";
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

interface ShownRule {
  readonly id: string;
  readonly level: string;
  readonly confidence: number;
  readonly doubt: unknown;
  readonly evidence: { readonly hosts: readonly string[]; readonly versions: unknown };
}

it("a rule learned on one version fades on the next, says why, comes back by undo, and revives with new hits", async () => {
  const shop = join(place.dir, "shop");
  mkdirSync(join(shop, ".git"), { recursive: true });
  const day = (n: number) => systemClock.now() - (40 - n) * DAY;
  const failing = { command: "docker compose up -d", error: "Exit code 1\nCannot connect to the Docker daemon" };
  const fine = { command: "git status", out: "clean" };
  const bring = async (sessions: readonly string[], version: string, from: number, calls: readonly object[]) => {
    const files = sessions.map((session, n) => {
      const file = join(place.dir, `${session}.jsonl`);
      const fields = { session, version, at: day(from + n), cwd: shop, calls: calls as (typeof fine)[] };
      writeFileSync(file, claudeTranscript(fields));
      return file;
    });
    await place.json(["import", ...files]);
  };
  // The effect is counted from all recorded events, including later ones.
  const shown = async () => {
    const { effect: _, ...rule } = await place.json<ShownRule & { effect: unknown }>(["rules", "show", id]);
    return rule;
  };

  await bring(["one", "two", "three"], "2.0.76", 1, [failing, fine, failing, fine]);
  await place.json(["distil", "--write"]);
  const [mined] = await place.json<ShownRule[]>(["rules", "list"]);
  const id = mined?.id ?? "";
  await place.json(["rules", "approve", id]);
  const learned = await shown();
  expect(learned).toMatchObject({
    level: "nudge",
    doubt: null,
    evidence: {
      hosts: ["claude-code"],
      versions: [{ host: "claude-code", lowest: "2.0.76", highest: "2.0.76" }],
    },
  });
  expect((await place.run(["rules", "show", id])).stdout).toContain("learned  on claude-code 2.0.76");
  expect((await place.run(["rules", "why", id])).stdout).toContain("because, on claude-code 2.0.76\n");
  expect((await place.run(["export", "--team", "--workspace", shop, "--write"])).code).toBe(0);
  const [file] = readdirSync(join(shop, ".oldhand", "rules"));
  expect(readFileSync(join(shop, ".oldhand", "rules", file ?? ""), "utf8")).toContain("\nhosts: claude-code 2.0.76\n");

  await bring(["four", "five", "six"], "2.1.63", 10, [fine, fine]);
  const shownFirst = await place.json<{ steps: readonly unknown[] }>(["decay"]);
  expect(shownFirst.steps).toHaveLength(1);
  expect(await shown()).toEqual(learned);
  await place.json(["decay", "--write"]);
  const faded = await shown();
  expect(faded).toMatchObject({ level: "advise", doubt: { "claude-code": "2.1" } });
  expect(faded.confidence).toBeCloseTo(learned.confidence - 0.1, 4);
  const why = await place.json<{ changes: { id: number; cause: { note: string } }[] }>(["rules", "why", id]);
  const change = why.changes.at(-1);
  expect(change?.cause.note).toBe("claude-code is now 2.1; its evidence is from claude-code 2.0.76");

  await place.json(["undo", String(change?.id)]);
  expect(await shown()).toEqual(learned);
  await place.json(["decay", "--write"]);
  expect(await shown()).toEqual(learned);

  await bring(["seven", "eight", "nine"], "2.2.4", 20, [fine]);
  await place.json(["decay", "--write"]);
  expect(await shown()).toMatchObject({ level: "advise", doubt: { "claude-code": "2.2" } });
  await bring(["ten"], "2.2.4", 30, [failing, fine]);
  await place.json(["decay", "--write"]);
  expect(await shown()).toMatchObject({
    level: "nudge",
    confidence: learned.confidence,
    doubt: null,
    evidence: { versions: [{ lowest: "2.0.76", highest: "2.2.4" }] },
  });
  expect((await place.json(["doctor"]))["problems"]).toBe(0);
}, 120_000);
