import { describe, expect, it } from "vitest";
import { suggestPatterns, patternKey, patternName } from "./pattern.ts";

const same: readonly (readonly string[])[] = [
  [
    "not-verifying",
    "no-verification",
    "skipped-verification",
    "didn't verify",
    "failed-to-verify",
    "notVerifying",
    "unverified",
    "not checking",
    "missing verification",
    "forgot to double-check",
    "without-confirming",
  ],
  ["assuming-success", "assumed success", "success-assumption", "presumed-success"],
  [
    "not-testing-before-commit",
    "commit-without-testing",
    "committing without tests",
    "skipped-tests-before-committing",
    "committed-without-tests",
  ],
  ["edit-without-reading", "editing-without-having-read", "not-reading-before-editing"],
  ["wrong-directory", "wrong-dir", "incorrect folder"],
  ["ignoring-user-instructions", "ignored-user-instruction", "user instructions ignored"],
  ["deleting-files", "removed-files", "file-deletion", "erase files"],
  ["read-after-edit", "edit-before-reading"],
  ["undocumented-config", "no config documentation", "missing-documentation-of-configuration"],
  ["rushing", "rushed", "hurrying", "in a hurry"],
  ["stale-dependencies", "stale-dependency", "stale deps"],
  ["overwriting-edits", "clobbered-edits", "overwrote edits"],
];

const distinct: readonly string[] = [
  "not-verifying",
  "not-testing",
  "not-reading-errors",
  "not-reading-docs",
  "not-asking",
  "not-planning",
  "not-validating-input",
  "edit-before-read",
  "read-before-edit",
  "npm-instead-of-pnpm",
  "pnpm-instead-of-npm",
  "commit-without-testing",
  "commit-to-main",
  "push-to-main",
  "force-push",
  "wrong-branch",
  "wrong-directory",
  "wrong-environment",
  "wrong-file",
  "wrong-tool",
  "wrong-package",
  "assuming-success",
  "assuming-failure",
  "assuming-file-exists",
  "assuming-api-shape",
  "ignoring-errors",
  "ignoring-warnings",
  "ignoring-user",
  "ignoring-missing-files",
  "missing-files",
  "skipping-missing-files",
  "failing-tests",
  "flaky-tests",
  "slow-tests",
  "too-many-mocks",
  "scope-creep",
  "premature-optimisation",
  "premature-abstraction",
  "overconfident-claim",
  "hallucinated-flag",
  "hallucinated-file",
  "secret-in-commit",
  "secret-in-log",
  "stale-build",
  "stale-cache",
  "stale-docs",
  "no-backup",
  "no-rollback",
  "backup-overwritten",
  "retry-blindly",
  "infinite-loop",
  "off-by-one",
  "timezone",
  "encoding",
  "race",
  "deadlock",
  "resource-leak",
  "memory-leak",
  "dependency-unpinned",
  "dependency-duplicate",
  "type-error",
  "syntax-error",
  "import-error",
  "permission-denied",
  "rate-limit",
  "context-lost",
  "long-answer",
  "short-answer",
  "unused-import",
  "running-migrations-by-hand",
  "deleting-migrations",
  "deleting-data",
  "verifying-twice",
  "verifying-wrong-thing",
];

describe("a pattern's name", () => {
  it.each(same.map((group) => [group[0] ?? "", group] as const))("%s adds up with its other forms", (first, group) => {
    expect(group.map((name) => [name, patternKey(name)])).toEqual(group.map((name) => [name, patternKey(first)]));
  });

  it("is never made one with a different pattern", () => {
    const seen = new Map<string, string>();
    const merged = distinct.flatMap((name) => {
      const before = seen.get(patternKey(name));
      seen.set(patternKey(name), name);
      return before === undefined ? [] : [`${before} = ${name}`];
    });
    expect(merged).toEqual([]);
    expect(distinct.length).toBeGreaterThanOrEqual(70);
  });

  it("keeps groups apart from each other", () => {
    expect(new Set(same.map((group) => patternKey(group[0] ?? ""))).size).toBe(same.length);
  });

  it("is written in lower case with hyphens", () => {
    expect(patternName("  Not verifying: the Deploy! ")).toBe("not-verifying-the-deploy");
    expect(patternName("notVerifying")).toBe("not-verifying");
    expect(patternName("Prüfung vergessen")).toBe("prüfung-vergessen");
  });

  it("has a key also when all of its words say nothing", () => {
    expect(patternKey("do it")).toBe("do-it");
    expect(patternKey("not")).toBe("not");
    expect(patternKey("before")).toBe("before");
  });

  it("that is new offers those it may be another form of, also after a slip of the pen", () => {
    const known = ["not-verifying", "wrong-directory", "scope-creep", "stale-build"];
    expect(suggestPatterns(known, "verifying-deploys", "")).toEqual(["not-verifying"]);
    expect(suggestPatterns(known, "not-verifing", "")).toEqual(["not-verifying"]);
    expect(suggestPatterns(known, "", "I ran it in another directory with an old build")).toEqual([
      "stale-build",
      "wrong-directory",
    ]);
    expect(suggestPatterns(known, "encoding", "umlauts")).toEqual([]);
  });
});
