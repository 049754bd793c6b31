import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPlainFile } from "./plain-file.ts";

let folder: string;
let workspace: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "oldhand-plain-"));
  workspace = join(folder, "shop");
  mkdirSync(workspace);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (name: string, mostBytes?: number) =>
  readPlainFile(join(workspace, name), { within: workspace, mostBytes });

describe("a file that others wrote", () => {
  it("is read whole, also through a link inside its workspace", () => {
    writeFileSync(join(workspace, "a"), "ä".repeat(9_000));
    symlinkSync("a", join(workspace, "b"));
    expect(read("a")).toEqual({ kind: "text", text: "ä".repeat(9_000) });
    expect(read("b")).toEqual(read("a"));
    expect(read("c")).toEqual({ kind: "missing" });
    expect(read(join("a", "b"))).toEqual({ kind: "missing" });
  });

  it("is refused where a link leads out of the workspace, by its name or by its folder", () => {
    mkdirSync(join(folder, "private"));
    writeFileSync(join(folder, "private", "keys"), "secret");
    symlinkSync(join(folder, "private", "keys"), join(workspace, "file"));
    symlinkSync(join(folder, "private"), join(workspace, "folder"));
    symlinkSync(join(folder, "nothing"), join(workspace, "dangling"));
    const out = { kind: "refused", why: "it links to a place outside the workspace" };
    expect([read("file"), read(join("folder", "keys")), read("dangling")]).toEqual([out, out, out]);
  });

  it("is refused where it is a device, a pipe or a folder, without waiting", () => {
    symlinkSync("/dev/zero", join(workspace, "zero"));
    execFileSync("mkfifo", [join(workspace, "pipe")]);
    mkdirSync(join(workspace, "sub"));
    const none = { kind: "refused", why: "it is not a regular file" };
    expect([read("pipe"), read("sub"), readPlainFile(join(workspace, "zero"))]).toEqual([none, none, none]);
  });

  it("is refused where it is too large, also where it claims no size", () => {
    writeFileSync(join(workspace, "a"), "12345");
    expect(read("a", 5)).toEqual({ kind: "text", text: "12345" });
    expect(read("a", 4)).toEqual({ kind: "refused", why: "it is larger than 4 bytes" });
    expect(readPlainFile("/proc/self/maps", { mostBytes: 100 })).toEqual({
      kind: "refused",
      why: "it is larger than 100 bytes",
    });
  });
});
