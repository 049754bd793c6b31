import { appendFileSync, statSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place, describeRun } from "../program.ts";
import { stores } from "../stores.ts";

const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
const each = 400;

/** Enough data for the program to use threads. The number of megabytes decides, so the results are long. */
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

/** Results that are long, short, duplicated, non-ASCII, and with a secret at the end. */
function claudeLines(sessionId: string): string {
  let text = "";
  for (let seq = 0; seq < each; seq++) {
    const common = { isSidechain: false, sessionId, cwd: `/w/${sessionId}`, timestamp: "2026-03-01T10:00:00Z" };
    const call = { type: "tool_use", id: `t${seq}`, name: "Bash", input: { command: `make part-${seq}` } };
    const content = `${seq % 3 === 0 ? "→" : "-"} a line of a log\n`.repeat((seq * 7) % 300) + secret;
    const result = { type: "tool_result", tool_use_id: `t${seq}`, content, is_error: seq % 5 === 0 };
    const thought = { type: "thinking", thinking: content };
    const lines = [
      { ...common, type: "assistant", message: { model: "m", content: [thought] } },
      { ...common, type: "assistant", message: { model: "m", content: [call] } },
      { ...common, type: "user", message: { content: [result] }, toolUseResult: { stdout: content }, uuid: `u${seq}` },
    ];
    for (const line of lines) text += `${JSON.stringify(line)}\n`;
  }
  return text;
}

/** The events without their ids. */
async function eventsOf(place: Place, session: string): Promise<readonly object[]> {
  const words = ["sessions", "show", session, "--limit", "500"];
  const shown = await place.json<{ events: { id: number; seq: number; uid: string }[] }>(words);
  return shown.events.map(({ id, seq, ...rest }) => ({ ...rest, ...(seq === id ? {} : { seq }) }));
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

  it.each(stores)("stores every one of them once into $name", async (kind) => {
    const { database, remove } = await kind.fresh();
    const env = { OLDHAND_DATABASE: database };
    try {
      expect(await place.json(["import", ...paths], { env })).toMatchObject({ sessions: 3, events: 3 * each });
      expect(await place.json(["import", ...paths], { env })).toMatchObject({ events: 0, skipped: 3 * each });
    } finally {
      await remove();
    }
  });

  it("stores the same, to the letter, as one file after the other in one thread", async () => {
    const transcript = join(place.dir, "claude.jsonl");
    writeFileSync(transcript, claudeLines("s3"));
    await place.json(["import", ...paths, transcript]);
    const alone = newPlace();
    try {
      for (const path of [...paths, transcript]) {
        expect(statSync(path).size).toBeLessThan(8_000_000);
        await alone.json(["import", path]);
      }
      for (const session of ["s0", "s1", "s2", "s3"]) {
        const [together, apart] = await Promise.all([place, alone].map((one) => eventsOf(one, session)));
        expect(together).toHaveLength(each);
        expect(together).toEqual(apart);
      }
    } finally {
      alone.remove();
    }
  });

  it("stores what comes before the damage of a file, says which, and goes on from there with a whole one", async () => {
    const zipped = gzipSync(lines("s1"));
    writeFileSync(paths[1] as string, zipped.subarray(0, zipped.length - 2_000));
    const ran = await place.run(["import", ...paths, "--json"]);
    expect(ran.code, describeRun(ran)).toBe(2);
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
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toMatch(/the format of \S+ is unknown/);
  });
});
