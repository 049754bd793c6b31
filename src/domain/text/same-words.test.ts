import { expect, it } from "vitest";
import { isSameScript, isTypoOf } from "./same-words.ts";

it.each([
  ["unit-tests", "unit:test"],
  ["unit-tests", "unit"],
  ["unit-tests", "test:unit"],
  ["tests", "test"],
  ["tests", "test:unit"],
  ["typecheck", "check:types"],
  ["type-check", "typecheck"],
  ["lnit", "lint"],
  ["tests", "test:e2e"],
  ["run-unit", "unit"],
  ["test:integration", "integration"],
  ["spec:tests", "spec"],
  ["testDebugUnitTests", "testDebugUnitTest"],
  ["web:tests", "web:test:unit"],
  ["docs-build", "build:docs"],
  ["migrate:staus", "migrate:status"],
])("the same act under another name is taught: %s, %s", (wanted, name) => {
  expect(isSameScript(name, wanted)).toBe(true);
});

it.each([
  ["mail:test", "mail:all"],
  ["mail:test", "mail"],
  ["charge:test", "charge:cards"],
  ["charge:test", "charge"],
  ["sync:fake", "sync:real"],
  ["send:me", "send:everyone"],
  ["check:strict", "check:loose"],
  ["check:strict", "check"],
  ["lint", "lint:relaxed"],
  ["lint", "lint:fix"],
  ["lint", "lint:all"],
  ["test:unit", "test:nothing"],
  ["tests", "test:dummy"],
  ["start:local", "start:shared"],
  ["start:local", "start"],
  ["check-lint", "check-nolint"],
  ["verify-all", "verify-none"],
  ["billing:try", "billing:run"],
  ["format:check", "format"],
  ["build:dev", "build"],
  ["notify:user", "notify:users"],
  ["mail:unit", "mail:test:all"],
  ["sync", "async"],
  ["lint", "build"],
  ["deploy:v2", "deploy:v3"],
  ["seed:db", "send:db"],
  ["web:e2e", "web:e2e:dev"],
  // Another order turns the act around.
  ["copy:dev:prod", "copy:prod:dev"],
  ["backup:restore", "restore:backup"],
  ["deny:all:allow", "allow:all:deny"],
  ["from-cloud-to-disk", "from-disk-to-cloud"],
  ["load-wipe-then", "wipe-then-load"],
  ["test:ui:unit", "test:unit:ui"],
  ["test-build", "build:test:ci"],
  // A weaker check.
  ["test:integration", "test:unit"],
  ["test:coverage", "test"],
  ["build:test", "build"],
  ["lint:types", "types"],
  ["lint:types", "lint"],
  ["check:types", "check"],
  ["unit-tests", "tests"],
  ["unit-tests", "unit:watch"],
  ["mail:test", "unit"],
])("another act is not, however like its name is: %s, %s", (wanted, name) => {
  expect(isSameScript(name, wanted)).toBe(false);
});

it("a slip is of one letter, and not of the first", () => {
  for (const [typed, meant] of [
    ["psuh", "push"],
    ["stagging", "staging"],
    ["statsu", "status"],
  ] as const)
    expect([typed, isTypoOf(typed, meant)]).toEqual([typed, true]);
  for (const [typed, meant] of [
    ["dry", "try"],
    ["dev", "del"],
    ["user", "users"],
    ["sync", "async"],
    ["safe", "unsafe"],
    ["eu1-a", "eu2-a"],
  ] as const)
    expect([typed, isTypoOf(typed, meant)]).toEqual([typed, false]);
});
