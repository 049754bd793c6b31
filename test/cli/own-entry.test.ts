import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hosts } from "../../src/observe/hosts/list.ts";
import type { McpConfig } from "../../src/observe/protocol/host.ts";
import { newPlace, type Place, describeRun } from "../program.ts";

/** An MCP server called `oldhand` that the user wrote: by hand following docs/mcp.md, or a wrapper. */

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

const all = await Promise.all(hosts.map(async (host) => ({ name: host.name, mcp: (await host.setup()).mcp })));
const withServers = all.flatMap(({ name, mcp }) => (mcp === undefined ? [] : [{ name, mcp }]));

const at = () => ({
  userHome: place.user,
  home: place.home,
  project: null,
  env: {},
  platform: process.platform,
  command: ["/usr/bin/node", "/opt/dist/oldhand.cjs", "hook", "any"],
});

/** The file with the host's servers; some hosts must already have it. */
function fileOf(name: string, mcp: McpConfig): string {
  const made: Readonly<Record<string, string>> = {
    continue: ".continue/config.yaml",
    hermes: ".hermes/config.yaml",
    openclaw: ".openclaw/openclaw.json",
  };
  return made[name] === undefined ? (mcp.path(at()) ?? "") : join(place.user, made[name]);
}

/** What oldhand would write, changed as by the user: another command under the same name. */
function theirs(mcp: McpConfig, path: string): string {
  const base = path.endsWith("json") || path.endsWith("jsonc") ? '{\n  "kept": 1\n}\n' : "";
  const written = mcp.with(base, at()) ?? "";
  return written
    .replace(/^# Written by oldhand.*\n/m, "")
    .replace("/usr/bin/node", "/home/ada/bin/oldhand-wrapper")
    .replace(
      /(, *|, *\n *)?"\/opt\/dist\/oldhand\.cjs"(, *\n? *)?/,
      (_all, before: string | undefined) => (before ?? "") && ", ",
    );
}

function treeOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

describe.each(withServers)("$name, whose user has a server called oldhand", ({ name, mcp }) => {
  it("keeps it through install and uninstall, to the byte, and says so", async () => {
    const path = fileOf(name, mcp);
    mkdirSync(dirname(path), { recursive: true });
    const text = theirs(mcp, path);
    expect(text).toContain("/home/ada/bin/oldhand-wrapper");
    writeFileSync(path, text);
    const before = treeOf(place.user);
    const ran = await place.run(["install", name]);
    expect(ran.stdout, describeRun(ran)).toContain(
      `${path} has an MCP server named oldhand that oldhand did not write`,
    );
    expect(readFileSync(path, "utf8")).toContain("/home/ada/bin/oldhand-wrapper");
    expect(readFileSync(path, "utf8")).not.toMatch(/oldhand\.cjs"?,? *"?mcp/);
    await place.run(["uninstall", name]);
    expect(treeOf(place.user)).toEqual(before);
  });

  it("keeps it also where somebody wrote to the file since", async () => {
    const path = fileOf(name, mcp);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, theirs(mcp, path));
    await place.run(["install", name]);
    const now = readFileSync(path, "utf8");
    const more = path.endsWith(".json") ? now.replace("{", '{\n  "since": 2,') : `# since\n${now}`;
    writeFileSync(path, more);
    await place.run(["uninstall", name]);
    const left = readFileSync(path, "utf8");
    expect(left).toContain("since");
    expect(left).toContain("/home/ada/bin/oldhand-wrapper");
    expect(left).not.toContain("hook ");
  });
});

it("a marketplace of Claude Code's called oldhand that is somebody else's stays, and install says so", async () => {
  const settings = join(place.user, ".claude", "settings.json");
  mkdirSync(dirname(settings));
  const text = JSON.stringify({
    extraKnownMarketplaces: { oldhand: { source: { source: "github", repo: "ada/oldhand" } } },
    enabledPlugins: { "oldhand@oldhand": true },
  });
  writeFileSync(settings, text);
  // A version that supports plugins.
  mkdirSync(join(place.user, ".local", "bin"), { recursive: true });
  writeFileSync(join(place.user, ".local", "bin", "claude"), "#!/bin/sh\necho '2.1.300 (Claude Code)'\n", {
    mode: 0o755,
  });
  const ran = await place.run(["install", "claude-code"]);
  expect([ran.code, ran.stderr]).toEqual([
    1,
    expect.stringContaining("marketplace named oldhand that oldhand did not create"),
  ]);
  await place.run(["uninstall"]);
  expect(readFileSync(settings, "utf8")).toBe(text);
});

describe("a server called oldhand that its user wrote", () => {
  it("is not started by the self-test of an install", async () => {
    const trace = join(place.dir, "started");
    const program = join(place.dir, "mine.mjs");
    writeFileSync(program, `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(trace)}, "");\n`);
    mkdirSync(join(place.user, ".gemini"), { recursive: true });
    const own = { mcpServers: { oldhand: { command: process.execPath, args: [program] } } };
    writeFileSync(join(place.user, ".gemini", "settings.json"), JSON.stringify(own, null, 2));
    const ran = await place.run(["install", "gemini"]);
    expect(describeRun(ran)).toContain("an event arrived through the command");
    expect(ran.code).toBe(0);
    expect(existsSync(trace)).toBe(false);
  });
});
