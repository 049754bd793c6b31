import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMind } from "../../src/index.ts";
import { newPlace, type Place } from "../program.ts";

let place: Place;
let shop: string;
beforeAll(async () => {
  place = newPlace();
  shop = join(place.dir, "shop");
  mkdirSync(join(shop, "lib", "deep"), { recursive: true });
  mkdirSync(join(place.dir, "shopping"));
  const folders = [shop, join(shop, "lib"), join(place.dir, "shopping"), "C:\\work\\blog"];
  const lines = folders.flatMap((cwd, folder) =>
    ["a", "b"].map((name) => ({
      session: `s${folder}${name}`,
      seq: 1,
      agent: "claude-code",
      ts: "2026-01-01T10:00:00Z",
      cwd,
      tool: "Bash",
      input: { command: "npm run tests" },
      ok: false,
      error_text: `npm error Missing script: "tests"`,
    })),
  );
  const file = join(place.dir, "calls.jsonl");
  writeFileSync(file, lines.map((one) => JSON.stringify(one)).join("\n"));
  await place.json(["import", file, "--from", "neutral", "--no-rules"]);
});
afterAll(() => place.remove());

const sessionsIn = async (words: readonly string[], cwd: string) => {
  const { sessions } = await place.json<{ sessions: { id: string }[] }>(["sessions", "list", ...words], { cwd });
  return sessions.map((one) => one.id).toSorted();
};

describe("a folder named with --workspace", () => {
  const here = ["s0a", "s0b", "s1a", "s1b"];

  it("is where one stands, with the folders in it, for a list of sessions", async () => {
    expect(await sessionsIn(["--workspace", "."], shop)).toEqual(here);
    expect(await sessionsIn(["--workspace", `${shop}/`], place.dir)).toEqual(here);
    expect(await sessionsIn(["--workspace", "lib"], shop)).toEqual(["s1a", "s1b"]);
  });

  it("is the same for the report", async () => {
    const words = ["report", "--workspace", "."];
    const { mistakes } = await place.json<{ mistakes: { count: number }[] }>(words, { cwd: shop });
    expect(mistakes.map((one) => one.count)).toEqual([here.length]);
  });

  it("is the same for a search", async () => {
    const words = ["sessions", "search", "missing script tests", "--workspace", "."];
    const hits = await place.json<{ session: string }[]>(words, { cwd: shop });
    expect(hits.map((one) => one.session).toSorted()).toEqual(here);
  });

  it("is the same for those who follow", async () => {
    const mind = await openMind({ home: place.home });
    try {
      const { events } = await mind.run("sessions follow", { after: 0, workspace: shop });
      expect(events.map((one) => one.session).toSorted()).toEqual(here);
    } finally {
      await mind.close();
    }
  });

  it("is where a mistake was made", async () => {
    const flags = ["--why", "y", "--should-have", "z", "--signal", "npm error Missing script: tests"];
    await place.json(["mistake", "x", ...flags, "--pattern", "typo", "--workspace", "lib"], { cwd: shop });
    const { entries } = await place.json<{ entries: { workspace: string }[] }>(["ledger", "list"]);
    expect(entries.map((one) => one.workspace)).toEqual([join(shop, "lib")]);
  });

  it("stays as it was recorded where it is another system's", async () => {
    expect(await sessionsIn(["--workspace", "C:\\work\\blog"], shop)).toEqual(["s3a", "s3b"]);
  });
});

describe("match", () => {
  it("asks of the folder one stands in", async () => {
    await place.json(["learn", "Not here.", "--command", "npm run tests", "--workspace", shop]);
    expect((await place.run(["match", "npm run tests"], { cwd: join(shop, "lib") })).stdout).toContain("Not here.");
    expect((await place.run(["match", "npm run tests"], { cwd: join(place.dir, "shopping") })).stdout).not.toContain(
      "Not here.",
    );
    expect((await place.run(["match", "npm run tests", "--cwd", "shop"], { cwd: place.dir })).code).toBe(0);
  });

  it("takes --workspace for --cwd, and advice takes --cwd for --workspace", async () => {
    expect((await place.run(["match", "npm run tests", "--workspace", "shop"], { cwd: place.dir })).code).toBe(0);
    await place.json(["remember", "Quince trees are cut after the frost", "--workspace", shop]);
    const advice = async (flag: string) =>
      (
        await place.json<{ memories: string[] }>(["advice", "may I prune the quince?", flag, "shop"], {
          cwd: place.dir,
        })
      ).memories;
    expect(await advice("--workspace")).toHaveLength(1);
    expect(await advice("--cwd")).toEqual(await advice("--workspace"));
    const both = await place.run(["match", "npm test", "--cwd", "shop", "--workspace", "lib"], { cwd: place.dir });
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("--cwd and --workspace are the same") });
  });
});
