import { describe, expect, it } from "vitest";
import {
  describeWideWorkspace,
  isCredentialPath,
  isHostSettingPath,
  isOwnPathInWorkspace,
  isSamePlaceOrBelow,
  isVirtualPath,
  listGuardedPaths,
} from "./protected-paths.ts";

const shop = { workspace: "/home/ada/shop", userHome: "/home/ada" };

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
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".github/instructions/a.instructions.md",
    ".windsurfrules",
    ".clinerules",
    ".husky/pre-commit",
    "a/.husky/_/husky.sh",
    ".githooks/pre-push",
    ".envrc",
    ".vscode/tasks.json",
    "dotfiles/.bashrc",
    "lefthook.yml",
    ".pre-commit-config.yaml",
    ".yarnrc.yml",
    ".devcontainer/devcontainer.json",
    "shop.code-workspace",
    "mise.toml",
    ".mise.toml",
    ".nvim.lua",
    ".exrc",
    ".dir-locals.el",
    ".github/workflows/a.yml",
    "a/.github/workflows/a.yml",
    ".gitlab-ci.yml",
    "CONVENTIONS.md",
    "skills/a/SKILL.md",
  ])("are settings of other programs: %j", (path) => expect(isHostSettingPath(path, shop)).toBe(true));
  it.each([
    ".bashrc",
    ".profile",
    ".zshrc",
    ".ZshEnv",
    ".config/autostart/x.desktop",
    ".config/systemd/user/x.service",
    ".config/git/config",
    ".config/fish/config.fish",
    ".gitconfig",
    ".local/bin/ls",
    "bin/ls",
    "Library/LaunchAgents/x.plist",
    "shop/.git/hooks/pre-commit",
  ])("run by other programs in a home folder: %j", (path) =>
    expect(isHostSettingPath(path, { workspace: "/home/ada", userHome: "/home/ada" })).toBe(true),
  );
  it("are the same if the workspace is above them, or one of them", () => {
    const userHome = "/home/ada";
    for (const [workspace, path] of [
      ["/", "home/ada/.bashrc"],
      ["/", "etc/cron.d/x"],
      ["/", "usr/bin/ls"],
      ["/", "var/spool/cron/crontabs/root"],
      ["/etc", "profile.d/x.sh"],
      ["/home/ada/.config", "autostart/x.desktop"],
      ["/home/ada/.claude", "settings.json"],
    ] as const)
      expect(isHostSettingPath(path, { workspace, userHome }), `${workspace} ${path}`).toBe(true);
    for (const [workspace, path] of [
      ["/", "home/ada/shop/src/a.ts"],
      ["/usr/src/app", "src/a.ts"],
      ["/opt/app", "bin/start"],
      ["/home/ada/shop/.claude/worktrees/x", "src/a.ts"],
      ["/home/ada/.config", "app.json"],
    ] as const)
      expect(isHostSettingPath(path, { workspace, userHome }), `${workspace} ${path}`).toBe(false);
  });
  it("are not all files that begin alike", () => {
    for (const path of [
      ".gitignore",
      "src/git/a.ts",
      "bin/ls",
      ".config/app.json",
      "profile",
      ".github/dependabot.yml",
    ])
      expect(isHostSettingPath(path, shop), path).toBe(false);
  });
  it("are guarded in the sandbox, those of the user's home only where it is in the workspace", () => {
    const inHome = listGuardedPaths({ workspace: "/home/ada", userHome: "/home/ada" });
    expect(inHome.files).toContain("/home/ada/.bashrc");
    expect(inHome.folders).toEqual(expect.arrayContaining(["/home/ada/.config/autostart", "/home/ada/.claude"]));
    expect(listGuardedPaths({ workspace: "/", userHome: "/home/ada" }).files).toEqual(
      expect.arrayContaining(["/home/ada/.zshrc", "/AGENTS.md"]),
    );
    const inShop = listGuardedPaths(shop);
    expect(inShop.folders).toContain("/home/ada/shop/.husky");
    expect([...inShop.folders, ...inShop.files].filter((path) => !path.startsWith("/home/ada/shop/"))).toEqual([]);
  });
  it("tells a workspace that holds more than a project", () => {
    const describe = (workspace: string) => describeWideWorkspace({ workspace, userHome: "/home/ada" });
    expect(describe("/")).toBe("the whole machine (/)");
    expect(describe("/home/ada")).toBe("your home folder");
    for (const other of ["/home", "/home/ada/shop"]) expect(describe(other)).toBeNull();
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
