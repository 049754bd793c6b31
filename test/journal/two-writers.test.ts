import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openMind, type Mind } from "../../src/index.ts";
import { stores, type TestStore } from "../stores.ts";

const ROUNDS = 30;

/** Two minds open on one database at the same time, like two processes. */
async function withTwoMinds(kind: TestStore, act: (one: Mind, other: Mind) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-two-"));
  const place = await kind.migrated();
  const minds = [
    await openMind({ home, database: place.database }),
    await openMind({ home, database: place.database }),
  ];
  try {
    await act(minds[0] as Mind, minds[1] as Mind);
  } finally {
    for (const mind of minds) await mind.close();
    await place.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

async function soulOf(mind: Mind): Promise<string> {
  const { files } = (await mind.run("soul show")) as { files: { name: string; text: string }[] };
  return files.find((file) => file.name === "SOUL.md")?.text ?? "";
}

describe.each(stores)("two people who decide at once, on $name", (kind) => {
  it("keep both a pin and an edit of one rule", () =>
    withTwoMinds(kind, async (one, other) => {
      for (let round = 0; round < ROUNDS; round++) {
        const { rule } = (await one.run("learn", { text: `run test ${round}` })) as { rule: { id: string } };
        const { id } = rule;
        await Promise.all([
          one.run("rules pin", { id }),
          other.run("rules edit", { id, text: `run all tests ${round}` }),
        ]);
        expect(await one.run("rules show", { id })).toMatchObject({ pinned: true, text: `run all tests ${round}` });
      }
    }));

  it("keep both a merge and an edit of the rule that stays", () =>
    withTwoMinds(kind, async (one, other) => {
      for (let round = 0; round < ROUNDS; round++) {
        const ids: string[] = [];
        for (const name of ["kept", "gone"]) {
          const { rule } = (await one.run("learn", { text: `${name} ${round}` })) as { rule: { id: string } };
          ids.push(rule.id);
        }
        const [id = "", gone = ""] = ids;
        await Promise.all([
          one.run("rules merge", { id, others: [gone] }),
          other.run("rules edit", { id, level: "ask" }),
          other.run("rules pin", { id: gone }),
        ]);
        expect(await one.run("rules show", { id })).toMatchObject({ level: "ask", text: `kept ${round}` });
        expect(await one.run("rules show", { id: gone })).toMatchObject({ status: "merged", pinned: true });
      }
    }));

  it("keep both a proposal that is accepted and a point that is added", () =>
    withTwoMinds(kind, async (one, other) => {
      await one.run("init", { name: "Ada" });
      for (let round = 0; round < ROUNDS; round++) {
        const proposal = {
          file: "SOUL.md" as const,
          section: "Proposed",
          add: `proposed ${round}.`,
          reason: "seen often",
        };
        const { id } = (await one.run("soul propose", proposal)) as { id: string };
        await Promise.all([
          one.run("soul accept", { id }),
          other.run("soul edit", { file: "SOUL.md", section: "Values", add: `added ${round}.` }),
        ]);
      }
      const text = await soulOf(one);
      const points = Array.from({ length: ROUNDS }, (_, round) => [`proposed ${round}.`, `added ${round}.`]).flat();
      expect(points.filter((point) => !text.includes(`- ${point}`))).toEqual([]);
    }));

  it("decide a proposal once: of two, one is refused", () =>
    withTwoMinds(kind, async (one, other) => {
      await one.run("init", { name: "Ada" });
      for (let round = 0; round < ROUNDS; round++) {
        const proposal = { file: "SOUL.md" as const, add: `proposed ${round}.`, reason: "seen often" };
        const { id } = (await one.run("soul propose", proposal)) as { id: string };
        const ends = await Promise.allSettled([one.run("soul accept", { id }), other.run("soul reject", { id })]);
        expect(ends.filter((end) => end.status === "fulfilled")).toHaveLength(1);
        expect((await soulOf(one)).includes(`- proposed ${round}.`)).toBe(ends[0]?.status === "fulfilled");
      }
    }));

  it("keep both a contradiction and an edit of one memory", () =>
    withTwoMinds(kind, async (one, other) => {
      for (let round = 0; round < ROUNDS; round++) {
        const input = { text: `The staging cluster ${round} needs the VPN`, anyway: true };
        const { memory } = (await one.run("remember", input)) as { memory: { id: string; confidence: number } };
        const { id, confidence } = memory;
        await Promise.all([one.run("memories contradict", { id }), other.run("memories edit", { id, importance: 77 })]);
        const now = (await one.run("memories show", { id })) as { confidence: number; importance: number };
        expect(now.importance).toBe(77);
        expect(now.confidence).toBeLessThan(confidence);
      }
    }));

  it("keep both of two points that are added to one file of the identity", () =>
    withTwoMinds(kind, async (one, other) => {
      await one.run("init", { name: "Ada" });
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all([
          one.run("soul edit", { file: "SOUL.md", add: `first ${round}.` }),
          other.run("soul edit", { file: "SOUL.md", add: `second ${round}.` }),
        ]);
      }
      const text = await soulOf(one);
      const missing = Array.from({ length: ROUNDS }, (_, round) => [`first ${round}.`, `second ${round}.`])
        .flat()
        .filter((point) => !text.includes(`- ${point}`));
      expect(missing).toEqual([]);
    }));
});
