import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countTooLongLines, readLines } from "./lines.ts";

describe("a file's lines", () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "oldhand-lines-"));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const read = async (content: string | Buffer) => {
    const path = join(dir, "it");
    writeFileSync(path, content);
    const lines: string[] = [];
    for await (const line of readLines(path)) lines.push(line);
    return lines;
  };

  it("end at a newline, with or without a carriage return, and nowhere else", async () => {
    expect(await read("a\nb\r\nc")).toEqual(["a", "b", "c"]);
    expect(await read("a\u2028b\rc\n")).toEqual(["a\u2028b\rc"]);
    expect(await read("a\n\nb\n")).toEqual(["a", "", "b"]);
    expect(await read("")).toEqual([]);
  });

  it("are the same from a gzipped file", async () => {
    expect(await read(gzipSync("one\ntwo\n"))).toEqual(["one", "two"]);
  });

  it("may be longer than what is read at once, and hold characters of several bytes at any place", async () => {
    const long = `${"ü€𝄞".repeat(700_000)}x`;
    const lines = await read(`${long}\n${long}y\nend`);
    expect(lines.map((line) => line.length)).toEqual([long.length, long.length + 1, 3]);
    expect(lines[0] === long && lines[1] === `${long}y`).toBe(true);
  });

  it("that are too long come as lines that nobody can read, and what is around them is whole", async () => {
    const long = Buffer.alloc(70_000_000, "x");
    const all = Buffer.concat([Buffer.from("one\n"), long, Buffer.from("\ntwo\n"), long]);
    for (const content of [all, gzipSync(all, { level: 1 })]) {
      const lines = await read(content);
      expect(lines.map((line) => line.length)).toEqual([3, 9, 3, 9]);
      expect([lines[0], lines[2]]).toEqual(["one", "two"]);
      expect(await countTooLongLines(join(dir, "it"))).toBe(2);
    }
  });

  it("that cannot be read are told of", async () => {
    const found: string[] = [];
    const iterate = async (path: string) => {
      for await (const line of readLines(path)) found.push(line);
    };
    await expect(iterate(join(dir, "none"))).rejects.toThrow("there is no such file");
    expect(found).toEqual([]);
    await expect(read(gzipSync("one\ntwo\n".repeat(9_000)).subarray(0, 60))).rejects.toThrow("cannot be read");
  });
});
