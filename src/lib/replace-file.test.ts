import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replaceFile, replacePrivateFile } from "./replace-file.ts";

const rights = (path: string) => statSync(path).mode & 0o777;

describe("a file that is replaced", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "oldhand-replace-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is made with its folders, and holds the new text alone", () => {
    const path = join(folder, "a", "b.txt");
    replaceFile(path, "one, which is long\n");
    replaceFile(path, "two\n");
    expect(readFileSync(path, "utf8")).toBe("two\n");
    expect(readdirSync(join(folder, "a"))).toEqual(["b.txt"]);
  });

  it.skipIf(process.platform === "win32")("keeps its rights; a private one is its owner's whatever it was", () => {
    const path = join(folder, "a.txt");
    writeFileSync(path, "one\n", { mode: 0o640 });
    replaceFile(path, "two\n");
    expect(rights(path)).toBe(0o640);
    replacePrivateFile(path, "three\n");
    expect(rights(path)).toBe(0o600);
  });

  it.skipIf(process.platform === "win32")("stays a link to the same file", () => {
    const [path, link] = [join(folder, "a.txt"), join(folder, "link")];
    writeFileSync(path, "one\n");
    symlinkSync(path, link);
    replaceFile(link, "two\n");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("two\n");
  });

  it("is left as it was, with nothing beside it, where it cannot be written", () => {
    const path = join(folder, "taken");
    mkdirSync(join(path, "full"), { recursive: true });
    expect(() => replaceFile(path, "text")).toThrow(`${path} cannot be written`);
    expect(existsSync(join(path, "full"))).toBe(true);
    expect(readdirSync(folder)).toEqual(["taken"]);
  });
});
