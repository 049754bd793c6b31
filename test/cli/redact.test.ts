import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPlace, type Place, describeRun } from "../program.ts";

let place: Place;
beforeAll(() => {
  place = newPlace();
});
afterAll(() => place.remove());

// Assembled here, so that secret scanners do not report this file.
const key = [
  "sk",
  "ant",
  "api03",
  `${randomBytes(70).toString("base64url").slice(0, 93).replaceAll(/[-_]/g, "x")}AA`,
].join("-");

describe("redact", () => {
  it("takes secrets out and leaves the rest to the byte", async () => {
    const text = `line one\n\texport ANTHROPIC_API_KEY=${key}\nümläut 你好\r\nno newline at the end`;
    const ran = await place.run(["redact"], { stdin: text });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe("");
    expect(ran.stdout).not.toContain(key);
    const [first, second, third, fourth] = ran.stdout.split("\n");
    expect([first, third, fourth]).toEqual(["line one", "ümläut 你好\r", "no newline at the end"]);
    expect(second).toMatch(/^\texport ANTHROPIC_API_KEY=/);
  });

  it("gives nothing for nothing, and needs no home", async () => {
    const ran = await place.run(["redact"], { stdin: "", env: { OLDHAND_HOME: "/proc/nowhere" } });
    expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("survives bytes that are no text", async () => {
    const ran = await place.run(["redact"], { stdin: Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x41]) });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(ran.stdout).toContain("A");
  });

  it("is measured on a file of further forms and innocent lines", async () => {
    const word = ["sun", "shine"].join("");
    const entries = [
      { form: "env", shape: "word", text: `DB_PASSWORD=${word}`, secret: word },
      { form: "nothing", shape: "word", text: `weather: ${word}`, secret: word },
      { kind: "type", text: "password: string" },
    ];
    const file = join(place.dir, "forms.jsonl");
    writeFileSync(file, entries.map((entry) => JSON.stringify(entry)).join("\n"));
    const ran = await place.run(["bench", "redact", "--data", file, "--json"]);
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      further: {
        forms: { total: 2, caught: 1, byForm: { env: "1/1 = 100.0 %", nothing: "0/1 = 0.0 %" } },
        innocent: { total: 1, altered: 0 },
      },
    });
  });

  it("takes 50 MB, with the secret in the middle", async () => {
    const line = "2026-01-05T09:00:20Z GET /api/cart?id=8812 200 12ms a perfectly ordinary line of a log\n";
    const half = line.repeat(Math.ceil(25_000_000 / line.length));
    const ran = await place.run(["redact"], { stdin: `${half}Authorization: Bearer ${key}\n${half}` });
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(ran.stdout).not.toContain(key);
    expect(ran.stdout.startsWith(half)).toBe(true);
    expect(ran.stdout.endsWith(half)).toBe(true);
  });
});
