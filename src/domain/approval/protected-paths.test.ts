import { describe, expect, it } from "vitest";
import {
  isCredentialPath,
  isHostSettingPath,
  isOwnPathInWorkspace,
  isSamePlaceOrBelow,
  isVirtualPath,
} from "./protected-paths.ts";

describe("protected paths", () => {
  it.each([
    ".env",
    "a/.env.local",
    ".ENV",
    "．env",
    "server.pem",
    ".ssh/config",
    "id_ed25519",
    "a\\.env",
    ".env ",
    ".netrc",
    "secrets.yaml",
    ".e\u200bnv",
  ])("may hold secrets: %j", (path) => expect(isCredentialPath(path)).toBe(true));
  it.each([".env.example", "env.ts", "id_rsa.pub", "keys.ts", "src/credentials.ts", "notes.txt"])(
    "hold none: %j",
    (path) => expect(isCredentialPath(path)).toBe(false),
  );
  it.each([
    ".git/hooks/pre-commit",
    ".claude/settings.json",
    "a/.claude/settings.json",
    ".MCP.json",
    ".git",
    "AGENTS.md",
    "a/claude.md",
  ])("are settings of other programs: %j", (path) => expect(isHostSettingPath(path)).toBe(true));
  it("are not all files that begin alike", () => {
    expect(isHostSettingPath(".gitignore")).toBe(false);
    expect(isHostSettingPath("src/git/a.ts")).toBe(false);
  });
  it("include a workspace's own folder of oldhand", () => {
    expect(isOwnPathInWorkspace(".Oldhand/rules/a.md")).toBe(true);
    expect(isOwnPathInWorkspace("src/oldhand.ts")).toBe(false);
  });
  it("include files that are no files", () => {
    expect(isVirtualPath("/proc/self/environ", "/home/ada/shop")).toBe(true);
    expect(isVirtualPath("/dev/fd/3", "/home/ada/shop")).toBe(true);
    expect(isVirtualPath("/home/proc/a", "/home/proc")).toBe(false);
    expect(isVirtualPath("/dev/shm/shop/a.ts", "/dev/shm/shop")).toBe(false);
    expect(isVirtualPath("/dev/shm/other/a.ts", "/dev/shm/shop")).toBe(true);
    expect(isVirtualPath("/dev/sda", "/dev")).toBe(true);
    expect(isVirtualPath("/proc/self/environ", "/proc/self")).toBe(true);
  });
  it("are compared as a file system may that ignores case and Unicode form", () => {
    expect(isSamePlaceOrBelow("/home/ada/.oldhand", "/home/ADA/.OLDHAND/token")).toBe(true);
    expect(isSamePlaceOrBelow("/home/caf\u00e9", "/home/cafe\u0301/a")).toBe(true);
    expect(isSamePlaceOrBelow("/home/ada/.oldhand", "/home/ada/.oldhandy")).toBe(false);
  });
});
