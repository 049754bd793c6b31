import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place, describeRun } from "../program.ts";

let place: Place;
let folder: string;
let config: string;
beforeEach(() => {
  place = newPlace();
  folder = join(place.user, ".openclaw");
  config = join(folder, "openclaw.json");
  mkdirSync(folder);
});
afterEach(() => place.remove());

/** Settings as a user writes them: with comments and irregular formatting. */
const theirs = '{ // mine\n    "plugins": {"entries": {"voice": {"enabled":true}}},\n  "agents": {} }\n';

describe("our plugin for OpenClaw", () => {
  it("is allowed to see prompts in its user's settings, in which nothing else changes", async () => {
    writeFileSync(config, theirs);
    const ran = await place.run(["install", "openclaw"]);
    expect(ran.stdout, describeRun(ran)).toContain("OpenClaw: an event arrived through the plugin");
    const text = readFileSync(config, "utf8");
    expect(text).toContain("// mine");
    expect(text).toContain('"voice": {"enabled":true}');
    expect(text).toContain('"oldhand": {"enabled":true,"hooks":{"allowConversationAccess":true}}');
    expect(readdirSync(join(folder, "extensions", "oldhand")).toSorted()).toEqual([
      ...["index.js", "openclaw.plugin.json", "package.json"],
    ]);
    await place.json(["uninstall"]);
    expect(readFileSync(config, "utf8")).toBe(theirs);
    expect(readdirSync(folder)).toEqual(["openclaw.json"]);
  });

  it("leaves what others wrote to the settings since, and takes its own out", async () => {
    writeFileSync(config, "{}\n");
    await place.json(["install", "openclaw"]);
    writeFileSync(config, readFileSync(config, "utf8").replace("{", '{\n  "since": 1,'));
    await place.json(["uninstall"]);
    const left = readFileSync(config, "utf8");
    expect(JSON.parse(left)).toMatchObject({ since: 1 });
    expect(left).not.toContain("oldhand");
  });

  it("stays off where its user turned it off, and doctor says so", async () => {
    writeFileSync(config, '{"plugins":{"entries":{"oldhand":{"enabled":false}}}}');
    await place.json(["install", "openclaw"]);
    expect(JSON.parse(readFileSync(config, "utf8"))).toMatchObject({
      plugins: { entries: { oldhand: { enabled: false } } },
    });
    const { stdout } = await place.run(["doctor"]);
    expect(stdout).toContain(`plugins.entries.oldhand.enabled is false in ${config}, so oldhand's hooks do not run`);
  });

  it.each([
    ["allow", '["voice"]'],
    ["deny", '["oldhand"]'],
    ["enabled", "false"],
  ])("is told of where plugins.%s stops it", async (key, value) => {
    writeFileSync(config, `{"plugins":{"${key}":${value}}}`);
    await place.json(["install", "openclaw"]);
    const { stdout } = await place.run(["doctor"]);
    expect(stdout).toContain(`OpenClaw: plugins.${key} is ${value} in ${config}, so oldhand's hooks do not run`);
  });

  it("is installed without the settings where they cannot be read, and that is told", async () => {
    const broken = "{ plugins: { entries\n";
    writeFileSync(config, broken);
    const ran = await place.run(["install", "openclaw"]);
    expect(ran.stdout, describeRun(ran)).toContain(`${config} does not let the plugin see prompts`);
    expect(readFileSync(config, "utf8")).toBe(broken);
    expect(existsSync(join(folder, "extensions", "oldhand", "index.js"))).toBe(true);
  });

  it("is not written for one repository", async () => {
    const shop = join(place.dir, "shop");
    mkdirSync(shop);
    const ran = await place.run(["install", "openclaw", "--project", shop]);
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(ran.stdout).toContain("OpenClaw: not tested, no oldhand hook was written");
    expect(readdirSync(shop)).toEqual([]);
  });
});
