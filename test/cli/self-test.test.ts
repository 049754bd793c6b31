import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runSelfTest } from "../../src/entrypoints/cli/commands/self-test.ts";
import type { Finding, Host } from "../../src/observe/protocol/host.ts";
import { hosts } from "../../src/observe/hosts/list.ts";
import { cleanEnv, newPlace, type Place, program } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

interface Installed {
  readonly selfTests: readonly { readonly host: string; readonly arrived: boolean; readonly findings: Finding[] }[];
}

const setups = await Promise.all(hosts.map(async (host) => ({ host, setup: await host.setup() })));
const testable = setups.flatMap(({ host, setup }) => (setup.probe === undefined ? [] : [host.name]));

/** A program that only prints this version of Claude Code. */
function pretendClaude(version: string): Readonly<Record<string, string>> {
  const bin = join(place.dir, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "claude"), `#!/bin/sh\necho "${version} (Claude Code)"\n`);
  chmodSync(join(bin, "claude"), 0o755);
  return { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
}

describe("the self-test after installing", () => {
  it("sends an event through what was written for every host, and leaves no trace of it", async () => {
    // Hermes creates its settings at its first start.
    mkdirSync(join(place.user, ".hermes"));
    writeFileSync(join(place.user, ".hermes", "config.yaml"), "model: none\n");
    const { selfTests } = await place.json<Installed>(["install", ...testable]);
    expect(selfTests.map(({ host, arrived }) => [host, arrived])).toEqual(testable.map((name) => [name, true]));
    expect(await place.json(["status"])).toMatchObject({ counts: { events: 0, sessions: 0 } });
    const { hosts: listed } = await place.json<{ hosts: { state: string; lastAt: null }[] }>(["hosts", "list"]);
    expect(new Set(listed.map((one) => one.lastAt))).toEqual(new Set([null]));
    expect((await place.run(["doctor"])).stdout).not.toContain("could not be stored or spooled and are lost");
  });

  it("starts the server that Claude Code's plugin names, and calls its hook as the plugin does", async () => {
    const env = pretendClaude("2.1.325");
    const { selfTests } = await place.json<Installed>(["install", "claude-code"], { env });
    expect(selfTests[0]?.findings.map((one) => one.what.replace(/ in \/.*/, ""))).toEqual([
      "Claude Code: an event arrived through the command",
      "Claude Code: an event arrived through the server",
    ]);
    expect(await place.json(["status"])).toMatchObject({ counts: { events: 0 } });
  });

  it("tells that Codex has not trusted its hooks yet, and writes no trust itself", async () => {
    mkdirSync(join(place.user, ".codex"));
    writeFileSync(join(place.user, ".codex", "config.toml"), "");
    const ran = await place.run(["install", "codex"]);
    expect(ran.stdout).toContain("not trusted yet");
    expect(ran.stdout).toContain("Codex: an event arrived");
    expect(readFileSync(join(place.user, ".codex", "config.toml"), "utf8")).not.toMatch(/trust|hooks/);
  });

  it("is not run where oldhand is switched off, and says so", async () => {
    await place.json(["off"]);
    const ran = await place.run(["install", "gemini"]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("Gemini CLI: not tested, oldhand is switched off");
  });

  it("says that the mind cannot be opened, and installs all the same", async () => {
    mkdirSync(place.home, { mode: 0o700 });
    writeFileSync(join(place.home, "mind.db"), "these are not the bytes you are looking for ".repeat(200));
    const ran = await place.run(["install", "gemini"]);
    expect(ran.stdout).toContain("wrote ");
    expect(ran.stdout).toContain("not tested, the mind cannot be opened");
  });

  it("arrives from Copilot also where it has sessions on record, in which a call of ours is not to be found", async () => {
    mkdirSync(join(place.user, ".copilot", "session-state", "earlier"), { recursive: true });
    const { selfTests } = await place.json<Installed>(["install", "copilot"]);
    expect(selfTests).toMatchObject([{ host: "copilot", arrived: true }]);
  });

  it("tells marks of another host in its shell from the host it tests", async () => {
    const env = { COPILOT_CLI: "1", GEMINI_SESSION_ID: "x", CURSOR_VERSION: "3" };
    const { selfTests } = await place.json<Installed>(["install", "claude-code"], { env });
    expect(selfTests).toMatchObject([{ host: "claude-code", arrived: true }]);
  });
});

describe("a self-test that fails", () => {
  const named = (name: string) => hosts.find((host) => host.name === name) as Host;
  async function tested(name: string, command: readonly string[], path = process.env["PATH"] ?? "") {
    const at = {
      userHome: place.user,
      home: place.home,
      project: null,
      command,
      env: { ...cleanEnv(place.user), PATH: path },
      platform: process.platform,
    };
    const setup = await named(name).setup();
    for (const file of setup.plan(at)) {
      mkdirSync(dirname(file.path), { recursive: true });
      writeFileSync(file.path, file.after ?? "");
    }
    return runSelfTest(named(name), at);
  }
  const hook = (name: string) => [process.execPath, program, "hook", name, "--home", place.home];

  it.each(["codex", "opencode", "cline"])(
    "%s: a program that is gone is named as not there or not answering",
    async (name) => {
      const gone = join(place.dir, "gone", "oldhand.cjs");
      const test = await tested(name, [process.execPath, gone, "hook", name, "--home", place.home]);
      expect(test.arrived).toBe(false);
      expect(test.findings).toMatchObject([{ level: "problem", hint: expect.any(String) }]);
      expect(test.findings[0]?.what).toContain("no event arrived");
      if (name === "codex") expect(test.findings[0]?.hint).toContain(`${gone} does not exist`);
    },
  );

  it("a program that runs, but is no oldhand, stores nothing: said so", async () => {
    const other = join(place.dir, "oldhand.cjs");
    writeFileSync(other, "process.stdin.resume()");
    const test = await tested("qwen", [process.execPath, other, "hook", "qwen", "--home", place.home]);
    expect(test.findings[0]?.what).toContain("it ran without an error, but nothing was stored");
  });

  it("one that complains is told with its words, even when the event arrived", async () => {
    const loud = join(place.dir, "oldhand.cjs");
    writeFileSync(loud, `process.stderr.write("something is off\\n"); require(${JSON.stringify(program)});`);
    const test = await tested("droid", [process.execPath, loud, ...hook("droid").slice(2)]);
    expect(test.findings[0]?.what).toMatch(/an event arrived .*, but it printed an error, saying: something is off/);
    expect(test.arrived).toBe(false);
  });

  it("one whose node is gone is told", async () => {
    const node = join(place.dir, "node");
    symlinkSync("/nowhere/node", node);
    const test = await tested("gemini", [node, program, ...hook("gemini").slice(2)]);
    expect(test.findings[0]?.what).toMatch(/ended with exit code 127/);
    expect(test.findings[0]?.hint).toContain(`${node} does not exist`);
  });
});

describe("the way Claude Code is wired", () => {
  const notes = async (env: Readonly<Record<string, string>>) => {
    mkdirSync(join(place.user, ".claude"), { recursive: true });
    return (await place.run(["install", "claude-code"], { env })).stdout;
  };

  it("is told where it is not the plugin, with the reason and what to do for it", async () => {
    expect(await notes({ PATH: dirname(process.execPath) })).toContain(
      "Claude Code gets command hooks, not the plugin: the program `claude` was not found, so its version is not known\n" +
        "    the plugin is faster and adds MCP tools and the /oldhand: commands. To get it, put `claude` on the PATH, then: oldhand install claude-code\n",
    );
    const broken = join(place.dir, "broken");
    mkdirSync(broken, { recursive: true });
    const claude = join(broken, "claude");
    writeFileSync(claude, "#!/bin/sh\necho 'node: bad option: --fast' >&2\necho more >&2\nexit 9\n", { mode: 0o755 });
    expect(await notes({ PATH: `${broken}:${dirname(process.execPath)}` })).toContain(
      `not the plugin: the program ${claude} was found but could not be run (node: bad option: --fast), so its version is not known\n` +
        `    the plugin is faster and adds MCP tools and the /oldhand: commands. To get it, see that \`${claude} --version\` works, then: oldhand install claude-code\n`,
    );
    writeFileSync(claude, "#!/nowhere/node\n");
    expect(await notes({ PATH: `${broken}:${dirname(process.execPath)}` })).toContain(
      `the program ${claude} was found but could not be run (`,
    );
    expect(await notes(pretendClaude("2.1.63"))).toContain(
      "Claude Code gets command hooks, not the plugin: version 2.1.63 has no plugins that can reply to hooks\n",
    );
    expect(await notes(pretendClaude("2.1.325"))).not.toContain("command hooks, not the plugin");
  });
});
