import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGzip, gzipSync } from "node:zlib";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { exec, cleanEnv, newPlace, type Place, program, describeRun } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

const call = (seq: number) =>
  JSON.stringify({
    seq,
    session: "s",
    tool: "Bash",
    input: { command: "ls" },
    ok: true,
    ts: `2026-01-05T09:00:0${seq}.000Z`,
  });

/** 540 MB of zeros, compressed to half a megabyte: more than a string can hold. */
let zeros: Buffer;
beforeAll(async () => {
  const gzip = createGzip({ level: 1 });
  const pieces: Buffer[] = [];
  gzip.on("data", (piece: Buffer) => pieces.push(piece));
  const ended = new Promise((resolve) => gzip.once("end", resolve));
  const some = Buffer.alloc(4_000_000);
  for (let left = 135; left > 0; left--)
    if (!gzip.write(some)) await new Promise((resolve) => gzip.once("drain", resolve));
  gzip.end();
  await ended;
  zeros = Buffer.concat(pieces);
});

/** A gzip file may have several members. */
function bomb(name: string, before = ""): string {
  const path = join(place.dir, name);
  writeFileSync(path, Buffer.concat([...(before === "" ? [] : [gzipSync(before)]), zeros]));
  return path;
}

/** Imports with a third of the memory that the text would need. */
const imported = (path: string) =>
  exec(process.execPath, ["--max-old-space-size=200", program, "import", path, "--json"], {
    env: { ...cleanEnv(place.user), OLDHAND_HOME: place.home },
  });

describe("import is bounded", () => {
  it("a gzip of zeros is refused as what it is: no format, and no bug", async () => {
    const ran = await imported(bomb("bomb.gz"));
    expect([ran.code, describeRun(ran)]).toEqual([2, expect.stringMatching(/the format of \S+ is unknown/)]);
  });

  it("a line that is too long is skipped and counted, and the lines before it are stored", async () => {
    const ran = await imported(bomb("bomb.jsonl.gz", `${call(1)}\n${call(2)}\n`));
    expect([ran.code, describeRun(ran)]).toEqual([0, expect.stringMatching(/"events":2,.*"skipped":1/)]);
  });

  it("devices, pipes and sockets are refused, whether named or linked to", async () => {
    const pipe = join(place.dir, "pipe");
    execFileSync("mkfifo", [pipe]);
    const link = join(place.dir, "link.jsonl");
    symlinkSync("/dev/zero", link);
    const cases = [["/dev/zero"], [pipe], [link], [pipe, "--from", "claude-code"], [pipe, "--from", "hermes"]];
    for (const words of cases) {
      const ran = await place.run(["import", ...words]);
      expect([ran.code, ran.stderr]).toEqual([
        2,
        expect.stringContaining(`cannot import ${words[0]}: it is not a regular file`),
      ]);
    }
  });

  it("what lies among a host's transcripts and is none does not stop the others", async () => {
    const folder = join(place.user, ".claude", "projects", "-w");
    mkdirSync(folder, { recursive: true });
    symlinkSync("/dev/zero", join(folder, "a.jsonl"));
    execFileSync("mkfifo", [join(folder, "b.jsonl")]);
    const ran = await place.run(["import", "--json"]);
    expect([ran.code, describeRun(ran)]).toEqual([0, expect.stringContaining('"damaged":2')]);
  });

  it("a board whose parts name each other has an end", async () => {
    const data = join(place.dir, "docs", "data");
    mkdirSync(data, { recursive: true });
    for (const name of ["goals", "learnings"])
      writeFileSync(join(data, `${name}.json`), JSON.stringify({ format: "split", parts: [`${name}.json`] }));
    const ran = await place.run(["import", place.dir, "--from", "living-board"]);
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
  });
});

describe("backups are bounded", () => {
  it("a gzip of zeros is no backup, and a device none either", async () => {
    const ran = await place.run(["restore", bomb("bomb.gz")]);
    expect([ran.code, describeRun(ran)]).toEqual([2, expect.stringContaining("cannot be restored")]);
    const device = await place.run(["restore", "/dev/zero"]);
    expect([device.code, device.stderr]).toEqual([2, expect.stringContaining("there is no backup at /dev/zero")]);
  });

  it("what a killed backup left is removed by the next to the same file; one that is being written stays", async () => {
    const path = join(place.dir, "mind.gz");
    const left = `${path}.999999.partial`;
    const fresh = `${path}.999998.partial`;
    const live = `${path}.${process.pid}.partial`;
    const theirs = `${path}.old.999999.partial`;
    for (const file of [left, fresh, live, theirs]) writeFileSync(file, "half");
    for (const file of [left, live, theirs]) utimesSync(file, 1_000_000, 1_000_000);
    expect((await place.run(["backup", path])).code).toBe(0);
    expect([left, fresh, live, theirs].map((file) => existsSync(file))).toEqual([false, true, true, true]);
  });
});
