import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

const settings = (host: string) => {
  const path = join(place.user, `.${host}`, "settings.json");
  mkdirSync(dirname(path), { recursive: true });
  return path;
};

const COMMENTED = `{
  // mine, and it stays
  "theme": "dark", /* so does this */
  "hooks": {
    // before every tool
    "BeforeTool": [{ "hooks": [{ "type": "command", "command": "mine" }] }], // kept
    "Other": [],
  },
  "mcpServers": { "a": { "command": "x" } }, // last
}
`;

describe.each(["gemini", "qwen"])("settings of %s with comments", (host) => {
  it("keep them through install, a change by their user, and uninstall", async () => {
    const path = settings(host);
    writeFileSync(path, COMMENTED);
    const ran = await place.json<{ selfTests: { arrived: boolean }[] }>(["install", host]);
    expect(ran.selfTests.map((one) => one.arrived)).toEqual([true]);
    const wired = readFileSync(path, "utf8");
    for (const comment of ["// mine, and it stays", "/* so does this */", "// before every tool", "// kept", "// last"])
      expect(wired).toContain(comment);
    expect(wired).toContain(`hook ${host}`);
    expect((await place.json<{ files: unknown[] }>(["install", host])).files).toEqual([]);
    writeFileSync(path, wired.replace('"dark"', '"light"'));
    expect((await place.run(["uninstall", host])).code).toBe(0);
    const left = readFileSync(path, "utf8");
    expect(left).toContain('"light", /* so does this */');
    expect(left).toContain('"command": "mine"');
    expect(left).not.toContain("oldhand.cjs");
    writeFileSync(path, COMMENTED);
    await place.run(["install", host]);
    await place.run(["uninstall", host]);
    expect(readFileSync(path, "utf8")).toBe(COMMENTED);
  });

  it.each([
    ["a byte order mark, which the host cannot read", `\uFEFF${COMMENTED}`, "is not a JSON object"],
    ["a name that stands there twice", '{"hooks": {}, "a": 1, "hooks": {}}\n', 'has the name "hooks" twice'],
  ])("with %s are left as they are", async (_what, text, why) => {
    const path = settings(host);
    writeFileSync(path, text);
    const ran = await place.run(["install", host]);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(why)]);
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});

describe("settings that their host reads only as plain JSON", () => {
  it.each([
    ["claude-code", join(".claude", "settings.json"), "// mine\n{}\n"],
    ["claude-code", join(".claude", "settings.json"), '{"hooks": {}, "hooks": {}}\n'],
    ["codex", join(".codex", "hooks.json"), "// mine\n{}\n"],
  ])("%s: %s is refused, and left as it is", async (host, name, text) => {
    const path = join(place.user, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    expect((await place.run(["install", host])).code).toBe(2);
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});
