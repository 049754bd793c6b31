import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import type { ModelRequest } from "../../src/testing/scripted-server.ts";
import { codex, codexConfig, trust } from "./lab/hosts/codex.ts";
import { Lab, type SessionRecord } from "./lab/lab.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { asked } from "./lab/wire.ts";

const forbidden = 'prefix_rule(pattern=["shred"], decision="forbidden", justification="never destroy files")\n';

const run = (cmd: string) => ({ calls: [{ tool: "exec_command", input: { cmd } }] });
const patch = (text: string) => ({
  calls: [{ tool: "apply_patch", input: { patch: `*** Begin Patch\n${text}\n*** End Patch` } }],
});
const failing = run("git psuh origin main");
const working = run("echo all is well");
const denied = run("shred notes.txt");
const edit = patch("*** Add File: notes.txt\n+first");
const unfit = patch("*** Update File: gone.txt\n@@\n-a\n+b");

const { client } = codex;
const alone = loopbackOnly();

describe("Codex 0.166.0", () => {
  if (alone === null || client.kind === "absent") {
    const why =
      client.kind === "absent" ? client.why : "no network namespace can be made here (needs root, unshare and ip)";
    it.skip(`is driven offline (skipped: ${why})`, () => {});
    return;
  }

  const newLab = (): Lab => {
    const lab = new Lab(client, alone);
    lab.write(codexConfig, ".codex/config.toml");
    lab.write(forbidden, ".codex/rules/default.rules");
    return lab;
  };

  describe("before its user has trusted the hooks", () => {
    const lab = newLab();
    let installed = "";
    let settings: string | null = null;
    let session: SessionRecord | undefined;
    beforeAll(async () => {
      installed = lab.oldhand("install", "codex").out;
      settings = lab.read(".codex/config.toml");
      session = await lab.session({ prompt: "push my branch", turns: [failing, { text: "I give up." }] });
    });
    afterAll(() => lab.close());

    it("the installer says how to trust them, and does not do it itself", () => {
      expect(installed).toContain(`wrote ${join(lab.home, ".codex/hooks.json")}`);
      expect(installed).toMatch(/6 hooks of oldhand in \S+ are not trusted yet[^]*start codex[^]*\/hooks/);
      expect(settings?.startsWith(codexConfig)).toBe(true);
      expect(settings).not.toContain("trusted_hash");
    });

    it("the client works as without them, and nothing is seen", async () => {
      expect(session).toMatchObject({ status: 0, remaining: 0 });
      expect(session?.stderr).not.toMatch(/hook/i);
      expect(await storedEvents(lab)).toEqual([]);
    });

    it("the doctor says so, until they are", () => {
      const before = doctor(lab);
      expect(before.problems).toBe(1);
      expect(before.findings).toContainEqual({
        level: "problem",
        about: "untrusted",
        what: expect.stringMatching(
          /^Codex: 6 hooks of oldhand .*not trusted yet.*\(SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop, SessionEnd\)$/,
        ),
        hint: expect.stringContaining("/hooks"),
      });
      trust(lab, lab.read(".codex/config.toml") ?? "");
      expect(doctor(lab).problems).toBe(0);
    });
  });

  it("is told what is known when it starts, and stops with its own words where nobody is at its screen", async () => {
    using speaking = new Lab(client, alone, "everything");
    speaking.write(codexConfig, ".codex/config.toml");
    speaking.oldhand("install", "codex");
    trust(speaking, codexConfig);
    speaking.oldhand("remember", "The owner prefers Rust.");
    const told = await speaking.session({
      prompt: "push my branch",
      turns: [failing, { text: "I give up." }],
    });
    expect(told).toMatchObject({ status: 0, remaining: 0 });
    const requests = asked(told).map((one) => JSON.stringify(one.body));
    expect(requests[0]).toContain("| The owner prefers Rust.");
    expect(requests).toHaveLength(2);
    const prompts = (await storedEvents(speaking)).filter((event) => event.kind === "prompt");
    expect(prompts.map((event) => event.text)).toEqual(["push my branch"]);
  });

  describe("with hooks that its user has trusted", () => {
    const lab = newLab();
    let rule: { id: string; text: string } | undefined;
    let session: SessionRecord | undefined;
    let events: readonly Event[] = [];

    beforeAll(async () => {
      lab.oldhand("install", "codex");
      trust(lab, lab.read(".codex/config.toml") ?? "");
      lab.json("learn", "Push with `git push`: there is no psuh.", "--command", "git psuh origin main");
      [rule] = lab.json<{ id: string; text: string }[]>("rules");
      session = await lab.session({
        prompt: "push my branch",
        turns: [failing, working, denied, unfit, edit, failing, { text: "Understood." }],
      });
      events = await storedEvents(lab);
    });
    afterAll(() => lab.close());

    it("the client works as without them", () => {
      expect(session).toMatchObject({ status: 0, remaining: 0 });
      expect(session?.stderr).not.toMatch(/hook: \w+ (Failed|Blocked|Stopped)/);
    });

    it("puts the rule before the model with the call it warns against, once", () => {
      const requests = asked(session);
      expect(toldBy(requests[0])).toEqual([]);
      expect(toldBy(requests[1])).toEqual([`oldhand, rule ${rule?.id}: ${rule?.text}`]);
      expect(toldBy(requests.at(-1)).length).toBe(1);
    });

    it("stores the session from its start to its end, with the calls of which no hook told", () => {
      expect(events.map((event) => [event.kind, event.tool, event.outcome])).toEqual([
        ["session-start", null, null],
        ["prompt", null, null],
        ["call", "Bash", "failed"],
        ["call", "Bash", "ok"],
        ["call", "apply_patch", "ok"],
        ["call", "Bash", "failed"],
        ["call", "Bash", "denied"],
        ["call", "apply_patch", "failed"],
        ["stop", null, null],
        ["session-end", null, null],
      ]);
      expect(new Set(events.map((event) => event.session)).size).toBe(1);
    });

    it("stores what its user asked", () => {
      expect(events[1]).toMatchObject({ host: "codex", text: "push my branch", model: "gpt-5.5", cwd: lab.project });
    });

    it("stores a failed command with its exit code, which only the transcript tells", () => {
      const failures = events.filter((event) => event.tool === "Bash" && event.outcome === "failed");
      expect(failures[0]).toMatchObject({
        host: "codex",
        uid: expect.stringMatching(/^call_/),
        workspace: lab.project,
        cwd: lab.project,
        tool: "Bash",
        head: "git psuh",
        input: { command: "git psuh origin main" },
        ok: false,
        benign: false,
        exitCode: 1,
        error: expect.stringContaining("git: 'psuh' is not a git command."),
        signature: expect.stringMatching(/./),
        text: null,
        model: "gpt-5.5",
        agent: null,
        durationMs: expect.any(Number),
      });
      expect(new Set(failures.map((event) => event.signature)).size).toBe(1);
    });

    it("stores a command that went well", () => {
      expect(events[3]).toMatchObject({
        head: "echo",
        input: { command: "echo all is well" },
        ok: true,
        exitCode: 0,
        error: null,
        signature: null,
        text: "all is well\n",
      });
    });

    it("stores an edit", () => {
      expect(events[4]).toMatchObject({
        input: { command: expect.stringContaining("*** Add File: notes.txt") },
        exitCode: 0,
      });
    });

    it("stores a command that a rule of its own forbade as denied, and a patch that does not fit as failed", () => {
      expect(events[6]).toMatchObject({
        head: "shred",
        input: { command: "shred notes.txt" },
        error: expect.stringContaining("never destroy files"),
        signature: null,
        model: "gpt-5.5",
        cwd: lab.project,
      });
      expect(events[7]).toMatchObject({
        error: expect.stringContaining("gone.txt"),
        signature: expect.stringMatching(/./),
      });
    });

    it("adds nothing when the transcript of what it saw is imported", async () => {
      const [path = ""] = lab.find(".codex/sessions", ".jsonl");
      expect(lab.json("import", path)).toMatchObject({ events: 0 });
      expect((await storedEvents(lab)).length).toBe(events.length);
    });

    it("takes everything back to the byte", () => {
      const trusted = lab.read(".codex/config.toml") ?? "";
      const server = /\n# Written by oldhand[^\n]*\n\[mcp_servers\.oldhand\]\ncommand = [^\n]*\nargs = [^\n]*\n/;
      expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
      expect(lab.read(".codex/hooks.json")).toBeNull();
      expect(lab.find(".codex", "before-oldhand")).toEqual([]);
      expect(lab.read(".codex/config.toml")).toBe(trusted.replace(server, ""));
      expect(trusted).toMatch(server);
    });

    it("has oldhand among its MCP servers, whose tools it lets the model search for", () => {
      expect(JSON.stringify(asked(session).map((one) => one.body))).toContain("- oldhand: oldhand remembers");
    });
  });

  it.skipIf(spawnSync("script", ["--version"]).status !== 0)(
    "asks its user for that trust in its own screen, writes it as the doctor reads it, and then the hooks run",
    async () => {
      using lab = newLab();
      // A model it does not know: for others it offers newer ones first.
      const known = codexConfig.replace("gpt-5.5", "lab-model");
      lab.write(`${known}\n[projects."${lab.project}"]\ntrust_level = "trusted"\n`, ".codex/config.toml");
      lab.oldhand("install", "codex");
      expect(doctor(lab).problems).toBe(1);
      await lab.session({
        turns: [],
        keys: [
          { text: "2", awaits: "Trust all and continue", afterMs: 1_000 },
          { text: "\r", afterMs: 1_000 },
          { text: "/quit", awaits: "lab-model", afterMs: 3_000 },
          { text: "\r", afterMs: 500 },
        ],
      });
      expect(doctor(lab).problems).toBe(0);
      expect(lab.processes()).toEqual([]);
      await lab.session({ turns: [working, { text: "So it is." }] });
      const calls = (await storedEvents(lab)).filter((event) => event.kind === "call");
      expect(calls).toMatchObject([{ head: "echo", outcome: "ok", exitCode: 0 }]);
    },
  );

  it("gives the same calls from its transcript alone", async () => {
    using lab = newLab();
    await lab.session({ prompt: "push my branch", turns: [failing, working, denied, unfit, edit, { text: "So." }] });
    const [path = ""] = lab.find(".codex/sessions", ".jsonl");
    lab.json("import", path);
    const events = await storedEvents(lab);
    expect(events.map((event) => [event.kind, event.tool, event.head, event.outcome, event.exitCode])).toEqual([
      ["prompt", null, null, null, null],
      ["call", "Bash", "git psuh", "failed", 1],
      ["call", "Bash", "echo", "ok", 0],
      ["call", "Bash", "shred", "denied", null],
      ["call", "apply_patch", null, "failed", null],
      ["call", "apply_patch", null, "ok", 0],
    ]);
    expect(new Set(events.map((event) => event.workspace))).toEqual(new Set([lab.project]));
  });

  describe("installed and taken back", () => {
    const theirs = '{ "hooks": {"Stop":[{"hooks":[{"type":"command","command":"true"}]}]},\n\n "description":"mine" }';

    it("leaves a file of hooks as it was, whatever its form", () => {
      using lab = newLab();
      lab.write(theirs, ".codex/hooks.json");
      const before = lab.tree(".codex");
      lab.oldhand("install", "codex");
      expect(lab.tree(".codex")).not.toEqual(before);
      expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
      expect(lab.tree(".codex")).toEqual(before);
    });

    it("keeps the hooks of others where they are, since their trust is for a place in the file", () => {
      using lab = newLab();
      lab.oldhand("install", "codex");
      const now = JSON.parse(lab.read(".codex/hooks.json") ?? "") as { hooks: { Stop: unknown[] } };
      const other = { hooks: [{ type: "command", command: "true" }] };
      const moved = JSON.stringify({ hooks: { ...now.hooks, Stop: [...now.hooks.Stop, other] } });
      lab.write(moved.replaceAll(/\/\S*\/oldhand\.cjs/g, "/elsewhere/oldhand.cjs"), ".codex/hooks.json");
      lab.oldhand("install", "codex");
      const after = JSON.parse(lab.read(".codex/hooks.json") ?? "") as { hooks: { Stop: unknown[] } };
      expect(after.hooks.Stop).toEqual([...now.hooks.Stop, other]);
      expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
      expect(JSON.parse(lab.read(".codex/hooks.json") ?? "")).toEqual({ hooks: { Stop: [other] } });
    });

    it("changes nothing when installed again", () => {
      using lab = newLab();
      lab.oldhand("install", "codex");
      const once = lab.tree(".codex");
      expect(lab.oldhand("install", "codex").out).toMatch(/^Everything is already in place\.\n/);
      expect(lab.tree(".codex")).toEqual(once);
    });

    it("can be for one repository only", async () => {
      using lab = newLab();
      lab.oldhand("install", "codex", "--project", lab.project);
      expect(lab.read(".codex/hooks.json")).toBeNull();
      trust(lab, codexConfig, join(lab.project, ".codex/hooks.json"));
      await lab.session({ prompt: "greet", turns: [working, { text: "So." }] });
      expect((await storedEvents(lab)).map((event) => event.kind)).toEqual([
        "session-start",
        "prompt",
        "call",
        "stop",
        "session-end",
      ]);
      expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    });
  });

  it("keeps a call from running that a rule forbids, and stores that as denied", async () => {
    using lab = newLab();
    lab.oldhand("install", "codex");
    trust(lab, codexConfig);
    lab.json("learn", "Never touch the lock file.", "--command", "touch lock", "--level", "deny");
    const session = await lab.session({ turns: [run("touch lock"), { text: "I see." }] });
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(JSON.stringify(asked(session).at(-1))).toContain("blocked by PreToolUse hook: ");
    expect(existsSync(join(lab.project, "lock"))).toBe(false);
    const calls = (await storedEvents(lab)).filter((event) => event.kind === "call");
    expect(calls).toMatchObject([{ head: "touch", outcome: "denied", error: expect.stringContaining("Never touch") }]);
  });

  it("works on with a mind that cannot be opened, and says nothing about it", async () => {
    using lab = newLab();
    lab.oldhand("install", "codex");
    trust(lab, codexConfig);
    lab.write("this is no database", ".oldhand/mind.db");
    const session = await lab.session({ turns: [working, { text: "Well." }] });
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(session.stderr).not.toMatch(/hook: \w+ (Failed|Blocked|Stopped)/);
    expect(toldBy(asked(session).at(-1))).toEqual([]);
  });
});

function doctor(lab: Lab): { readonly findings: readonly unknown[]; readonly problems: number } {
  return JSON.parse(lab.oldhand("doctor", "--json").out) as { findings: unknown[]; problems: number };
}

/** What we said to the model, as a request carries it: messages of the developer. */
function toldBy(request: ModelRequest | undefined): readonly string[] {
  const { input } = (request?.body ?? { input: [] }) as {
    readonly input: readonly { role?: string; content?: string | readonly { text?: string }[] }[];
  };
  return input
    .filter((item) => item.role === "developer" && Array.isArray(item.content))
    .flatMap((item) => (item.content as readonly { text?: string }[]).map((part) => part.text ?? ""))
    .filter((text) => text.includes("oldhand, rule"));
}
