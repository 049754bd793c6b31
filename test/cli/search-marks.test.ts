import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPlace, type Place, sample } from "../program.ts";
import { stores } from "../stores.ts";

let place: Place;
beforeAll(async () => {
  place = newPlace();
  await place.json(["import", sample, "--no-rules"]);
});
afterAll(() => place.remove());

const search = async (...words: readonly string[]) =>
  (await place.run(["search", ...words])).stdout.trimEnd().split("\n");

describe("what a search finds", () => {
  it("tells what holds the words from what stands beside them", async () => {
    const lines = await search("docker", "daemon", "--by", "neighbours", "--limit", "30");
    expect(lines.at(-1)).toBe("~ contains none of the words: found next to them or by meaning");
    const hits = lines.slice(0, -1);
    for (const line of hits) expect(line.startsWith("~ ")).toBe(!/docker|daemon/i.test(line));
    expect(hits.some((line) => line.startsWith("  "))).toBe(true);
    expect(hits.some((line) => line.startsWith("~ "))).toBe(true);
  });

  it("says so where no hit contains the words, and which of them no hit contains", async () => {
    const [first = "", ...hits] = await search("container", "engine", "unavailable");
    expect(first).toBe("No hit contains these words. These are near in meaning.");
    expect(hits.length).toBeGreaterThan(0);
    for (const line of hits) expect(line.startsWith("~ ")).toBe(true);
    expect((await search("docker", "nonsensewordxyz"))[0]).toBe("No hit contains: nonsensewordxyz.");
    const found = await place.json<{ by: string; matched: string[] }[]>([
      "search",
      "the container engine is unavailable",
    ]);
    expect(new Set(found.map((hit) => hit.by))).toEqual(new Set(["meaning"]));
    for (const hit of found) expect(hit.matched).toEqual([]);
  });

  it("does not call near in meaning what is no nearer than texts that have nothing to do with each other", async () => {
    const [first = "", ...hits] = await search("container engine");
    expect(first).toBe("No hit contains these words. These are the nearest, and may have nothing to do with them.");
    expect(hits.length).toBeGreaterThan(0);
  });

  it("finds nothing where no word is known and nothing is near in meaning", async () => {
    expect(await place.run(["search", "nonsensewordxyz"])).toMatchObject({ code: 1, stdout: "Nothing found.\n" });
  });

  it("says the same of each question of a batch", async () => {
    const file = join(place.dir, "questions.jsonl");
    writeFileSync(file, '{"id":1,"query":"container engine unavailable"}\n{"id":2,"query":"docker"}\n');
    const ran = await place.run(["sessions", "search", "--batch", file, "--json"]);
    const [none, some] = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { note: string | null });
    expect(none?.note).toBe("No hit contains these words. These are near in meaning.");
    expect(some?.note).toBeNull();
  });

  it("names the words for programs", async () => {
    const hits = await place.json<{ matched: string[] }[]>(["sessions", "search", "docker daemon", "--by", "words"]);
    expect(hits.length).toBeGreaterThan(0);
    for (const hit of hits) expect(hit.matched.length).toBeGreaterThan(0);
  });
});

describe.each(stores)("failed commands on $name", (kind) => {
  it("are found by their words among many more calls that went well and speak of the same", async () => {
    const other = newPlace();
    const { database, remove } = await kind.fresh();
    const env = { OLDHAND_DATABASE: database, OLDHAND_EMBEDDER: "none" };
    try {
      const call = (seq: number, over: object) =>
        JSON.stringify({
          session: `s${Math.floor(seq / 40)}`,
          seq,
          project: "shop",
          agent: "claude-code",
          ts: new Date(Date.UTC(2026, 0, 1) + seq * 60_000).toISOString(),
          cwd: "/work/shop",
          tool: "Bash",
          ...over,
        });
      const lines = Array.from({ length: 600 }, (_, seq) =>
        seq === 20 || seq === 70
          ? call(seq, {
              input: { command: "npm run tests" },
              ok: false,
              error_text: 'npm error Missing script: "tests"',
            })
          : call(seq, {
              input: { command: `cat tests/unit/test_${seq}.py` },
              ok: true,
              out_head: `tests for the unit tests, test number ${seq}`,
              out_len: 40,
            }),
      );
      const file = join(other.dir, "calls.jsonl");
      writeFileSync(file, lines.join("\n"));
      await other.json(["import", file, "--no-rules"], { env });
      for (const way of ["words", "neighbours", "everything"]) {
        const hits = await other.json<{ seq: number; snippet: string }[]>(
          ["sessions", "search", "tests", "--by", way],
          { env },
        );
        const first = hits.slice(0, 2).map((hit) => hit.seq);
        expect(first, way).toEqual(expect.arrayContaining([20, 70]));
        expect(hits[0]?.snippet).toContain("npm run tests");
      }
    } finally {
      other.remove();
      await remove();
    }
  });
});
