import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { newPlace, payload, type Place, root, describeRun } from "../program.ts";

let place: Place;
let home: string;
beforeEach(() => {
  place = newPlace();
  home = join(place.dir, ".oldhand");
  execFileSync("tar", ["-xzf", join(root, "test", "upgrade", "home-0.1.0.tar.gz"), "-C", place.dir]);
});
afterEach(() => place.remove());

const settingsNow = () => JSON.parse(readFileSync(join(home, "config.json"), "utf8")) as unknown;
const run = (...words: string[]) => place.run([...words, "--home", home]);
const events = async () => (await place.json<{ counts: { events: number } }>(["status", "--home", home])).counts.events;

describe("the settings of version 0.1.0", () => {
  it("mean what they meant: numbers that were switches are switches, and what nothing read is ignored", () => {
    const config = loadConfig({ home, env: {} });
    const { distil, store, recall, work } = defaultPolicy;
    expect(config.policy).toEqual({
      ...defaultPolicy,
      distil: { ...distil, minCount: 4, holdOut: false },
      store: { ...store, hookBusyMs: 150 },
      recall: { ...recall, speakAtStop: false },
      work: { ...work, leaseSeconds: 90 },
    });
    expect(config.database).toBe(join(home, "mind.db"));
    expect(config.problems.map(({ path }) => path)).toEqual([]);
    expect([config.fileFault, config.isDatabaseKnown]).toEqual([null, true]);
  });

  it("let every command and hook work: the mind opens, what waited comes in, a hook stores", async () => {
    const before = await events();
    expect(before).toBeGreaterThan(0);
    const hook = await place.run(["hook", "claude-code", "--home", home], { stdin: payload("PostToolUse") });
    expect(hook).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(await events()).toBe(before + 1);
    const ran = await run("config", "get", "distil.holdOut");
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(ran.stdout).toContain("false");
    expect(ran.stderr).toBe("");
  });

  it("stay as written: doctor --fix finds nothing in them to remove", async () => {
    expect((await run("doctor", "--fix")).stdout).not.toContain("removed the setting");
    expect(settingsNow()).toEqual({
      distil: { minCount: 4, holdOut: 0 },
      store: { hookBusyMs: 150 },
      recall: { speakAtStop: 0 },
      work: { leaseSeconds: 90 },
    });
    expect((await run("config")).stderr).toBe("");
  });
});
