import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPlace, type Place, sample } from "../program.ts";

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
    expect(lines.at(-1)).toBe("~ Contains none of the words: found beside them or by meaning.");
    const hits = lines.slice(0, -1);
    for (const line of hits) expect(line.startsWith("~ ")).toBe(!/docker|daemon/i.test(line));
    expect(hits.some((line) => line.startsWith("  "))).toBe(true);
    expect(hits.some((line) => line.startsWith("~ "))).toBe(true);
  });

  it("says so where nothing holds the words", async () => {
    const [first = ""] = await search("xyzzyplugh");
    expect(first).toMatch(/^(Nothing found\.|No result contains these words\. ~ Found beside them or by meaning:)$/);
  });

  it("names the words for programs", async () => {
    const hits = await place.json<{ matched: string[] }[]>(["sessions", "search", "docker daemon", "--by", "words"]);
    expect(hits.length).toBeGreaterThan(0);
    for (const hit of hits) expect(hit.matched.length).toBeGreaterThan(0);
  });
});
