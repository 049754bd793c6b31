import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { settings } from "../../src/domain/settings/declared.ts";
import { type Declared, isSetting } from "../../src/domain/settings/kinds.ts";
import { findSetting } from "../../src/domain/settings/paths.ts";
import { retired } from "../../src/domain/settings/retired.ts";
import { root } from "./source.ts";

/** A copy of the source, inside the package so that imports resolve. */
const folder = join(root, `.dist-settings-${process.pid}`);

/**
 * Uses the compiler to find the readers of a setting. In the copy no setting has a value: each group, and each setting
 * outside a group, is a type with a unique name. So every line that reads a setting is an error that names the group
 * and the setting.
 */
const withoutValues = `
export type SettingValues = {
  readonly [Name in keyof typeof settings]: { readonly [Mark in \`group \${Name}\`]: 0 };
};`;

let complaints: readonly string[];

describe("settings", () => {
  beforeAll(() => {
    mkdirSync(folder);
    cpSync(join(root, "src"), join(folder, "src"), { recursive: true, filter: (path) => !/\.test\.tsx?$/.test(path) });
    const policy = join(folder, "src", "domain", "policy.ts");
    const text = readFileSync(policy, "utf8");
    const declared = "export type SettingValues = ValuesOf<typeof settings>;";
    expect(text).toContain(declared);
    writeFileSync(policy, text.replace(declared, withoutValues.trim()));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: "../tsconfig.json", include: ["src"] }));
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const ran = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false", "--noErrorTruncation"], {
      encoding: "utf8",
      maxBuffer: 100_000_000,
    });
    // Without the path: a file may have a setting's name. Assigning to a setting is not reading it.
    complaints = ran.stdout
      .split("\n")
      .filter((line) => !/assignable to type '\{ readonly "group/.test(line))
      .map((line) => line.replace(/^\S+: error TS\d+: /, ""));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("have a reader in the source, each of them", () => {
    expect(complaints.length).toBeGreaterThan(50);
    const unread = Object.entries(settings as Declared).flatMap(([group, one]) =>
      isSetting(one)
        ? isRead(group, "is (?:not assignable to|missing)|exist on type")
          ? []
          : [group]
        : Object.keys(one)
            .filter((name) => !isRead(group, `\\b${name}\\b`))
            .map((name) => `${group}.${name}`),
    );
    expect(unread).toEqual([]);
  });

  it("that are retired are not declared", () => {
    expect(retired.filter((path) => findSetting(settings, path) !== null)).toEqual([]);
  });

  function isRead(group: string, how: string): boolean {
    const mark = `{ readonly "group ${group}": 0; }`;
    return complaints.some(
      (line) => (line.includes(mark) || line.includes(`'"group ${group}"'`)) && new RegExp(how).test(line),
    );
  }
});
