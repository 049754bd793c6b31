import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeRun, newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

function write(lines: readonly object[]): string {
  const file = join(place.dir, "messages.jsonl");
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  return file;
}

const typed = (session: string, minute: number, text: string) => ({
  project: "acme/shop",
  session,
  ts: `2026-01-05T12:0${minute}:00.000Z`,
  kind: "prompt",
  text,
});

describe("import --from messages", () => {
  it("takes lines without number and role: what the user typed, in the project it belongs to, once", async () => {
    const file = write([typed("s1", 1, "list the tests"), typed("s1", 2, "list the tests"), typed("s2", 1, "go on")]);
    expect(await place.json(["import", file, "--from", "messages"])).toMatchObject({
      sessions: 2,
      events: 3,
      skipped: 0,
    });
    expect(await place.json(["import", file, "--from", "messages"])).toMatchObject({ events: 0 });
    const { sessions } = await place.json<{ sessions: { workspace: string }[] }>(["sessions", "list"]);
    expect(sessions.map((one) => one.workspace)).toEqual(["acme/shop", "acme/shop"]);
  });

  it("refuses a file in which no line has the form, and names the fields", async () => {
    const ran = await place.run(["import", write([{ message: "hello" }]), "--from", "messages"]);
    expect([ran.code, describeRun(ran)]).toEqual([2, expect.stringContaining("session, text, role, and seq or ts")]);
  });
});
