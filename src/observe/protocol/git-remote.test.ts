import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findRemoteName } from "./git-remote.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "oldhand-remote-"));
  mkdirSync(join(dir, "shop", ".git", "worktrees", "tree"), { recursive: true });
  writeFileSync(join(dir, "shop", ".git", "config"), '[remote "origin"]\n\turl = git@example.com:acme/shop.git\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("reads the remote of a clone and of its work trees", () => {
  expect(findRemoteName(join(dir, "shop"))).toBe("example.com/acme/shop");
  mkdirSync(join(dir, "tree"));
  const own = join(dir, "shop", ".git", "worktrees", "tree");
  writeFileSync(join(dir, "tree", ".git"), `gitdir: ${own}\n`);
  writeFileSync(join(own, "commondir"), "../..\n");
  expect(findRemoteName(join(dir, "tree"))).toBe("example.com/acme/shop");
});

it("knows none of a folder without git", () => {
  expect(findRemoteName(join(dir, "nowhere"))).toBeNull();
});
