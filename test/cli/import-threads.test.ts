import { appendFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place, told } from "../program.ts";

const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
const each = 400;

/** Enough that the program reads it with threads: the number of megabytes decides, so the results are long. */
function lines(session: string): string {
  let text = "";
  for (let seq = 0; seq < each; seq++)
    text += `${JSON.stringify({
      session,
      seq,
      agent: "test",
      ts: "2026-03-01T10:00:00Z",
      cwd: `/w/${session}`,
      tool: "Bash",
      input: { command: `deploy ${seq} --token ${secret}` },
      ok: seq % 4 !== 0,
      error_text: seq % 4 === 0 ? "fatal: no such branch" : null,
      out_head: "some words of a log ".repeat(500),
    })}\n`;
  return text;
}

describe("an import so large that threads read it", () => {
  let place: Place;
  let paths: string[];
  beforeEach(() => {
    place = newPlace();
    paths = ["a", "b", "c"].map((name) => join(place.dir, `${name}.jsonl`));
    for (const [at, path] of paths.entries()) writeFileSync(path, lines(`s${at}`));
  });
  afterEach(() => place.remove());

  it("stores every event of every file once, in its order and without secrets", async () => {
    const whole = { sessions: 3, events: 3 * each, failures: (3 * each) / 4, skipped: 0, files: 3 };
    expect(await place.json(["import", ...paths])).toMatchObject(whole);
    expect(await place.json(["import", ...paths])).toMatchObject({ events: 0, skipped: 3 * each });
    const shown = await place.json<{ events: { seq: number; tool: string; input: unknown }[] }>([
      "sessions",
      "show",
      "s1",
      "--limit",
      "500",
    ]);
    expect(shown.events.map((event) => event.seq)).toEqual(Array.from({ length: each }, (_, seq) => seq));
    expect(JSON.stringify(shown)).not.toContain(secret);
  });

  it("stores what comes before the damage of a file, says which, and goes on from there with a whole one", async () => {
    const zipped = gzipSync(lines("s1"));
    writeFileSync(paths[1] as string, zipped.subarray(0, zipped.length - 2_000));
    const ran = await place.run(["import", ...paths, "--json"]);
    expect(ran.code, told(ran)).toBe(2);
    expect(ran.stderr).toContain(`cannot read all of ${paths[1]}`);
    writeFileSync(paths[1] as string, zipped);
    await place.json(["import", ...paths]);
    expect(await place.json(["status"])).toMatchObject({ counts: { sessions: 3, events: 3 * each } });
  });

  it("finds the format out, and tells a file that has none", async () => {
    appendFileSync(paths[0] as string, "\n");
    expect(await place.json(["import", ...paths, "--from", "neutral"])).toMatchObject({ events: 3 * each });
    writeFileSync(paths[2] as string, "no JSON\n".repeat(2_000_000));
    const ran = await place.run(["import", ...paths]);
    expect(ran.code, told(ran)).toBe(2);
    expect(ran.stderr).toContain("is in no format that is known here");
  });
});
