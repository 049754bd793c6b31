import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { openStore } from "../../src/store/open.ts";
import { listEventsAfter } from "../../src/store/events/events.ts";
import type { ModelRequest } from "../../src/testing/scripted-server.ts";
import { claudeCode } from "./lab/client.ts";
import { Lab, type SessionRecord } from "./lab/lab.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { asked, textsOf } from "./lab/wire.ts";

/** The newest this was built against, whose hooks come with a plugin, and one before plugins could carry ours. */
const versions = ["2.1.325", "2.1.63"] as const;

const settings = `{
    "permissions": { "allow": ["Bash(git:*)", "Bash(echo:*)", "Read"], "deny": ["Bash(shred:*)"] },
  "model": "sonnet"
}`;

/** Files as others left them: odd white space, no line end, plugins and hooks of their own. */
const strange: Readonly<Record<string, string>> = {
  ".claude/settings.json":
    '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"true"}]}]},\n\n\t"enabledPlugins":{"a@b":true}}',
  ".claude/plugins/known_marketplaces.json":
    '{ "b": {"source":{"source":"directory","path":"/nowhere"},"installLocation":"/nowhere","lastUpdated":"2026-01-01T00:00:00.000Z"} }',
  ".claude/plugins/installed_plugins.json": '{"version":2,"plugins":{"a@b":[]}}\n\n',
};

const failing = { tool: "Bash", input: { command: "git psuh origin main", description: "push" } };
const working = { tool: "Bash", input: { command: "echo all is well", description: "say so" } };
const denied = { tool: "Bash", input: { command: "shred notes.txt", description: "destroy" } };

const unasked = { tool: "Bash", input: { command: "touch new.txt", description: "make it" } };

const alone = loopbackOnly();

describe.each(versions)("Claude Code %s", (version) => {
  const client = claudeCode(version);
  const why =
    alone === null
      ? "no network namespace can be made here (needs root, unshare and ip)"
      : client.kind === "absent"
        ? client.why
        : null;
  if (alone === null || client.kind === "absent") {
    it.skip(`is driven offline (skipped: ${why})`, () => {});
    return;
  }

  const isModern = version !== "2.1.63";
  // The old one throws away what was said before a call that then fails.
  const speaks = isModern ? "PreToolUse" : "PostToolUseFailure";

  describe("from the third failure to the rule before the fourth", () => {
    const lab = new Lab(client, alone);
    const sessions: SessionRecord[] = [];
    let events: readonly Event[] = [];
    let rule: { id: string; text: string; level: string } | undefined;

    beforeAll(async () => {
      lab.write(settings, ".claude", "settings.json");
      expect(lab.oldhand("install", "claude-code")).toMatchObject({ status: 0, err: "" });
      for (let i = 0; i < 3; i++) {
        const turns = [{ calls: [failing] }, { calls: [failing] }, { text: "I give up." }];
        sessions.push(await lab.session({ prompt: `push my branch (${i})`, turns }));
      }
      // The sessions' own hooks may have made it already.
      lab.json("distil", "--write");
      [rule] = lab.json<{ id: string; text: string; level: string }[]>("rules");
      sessions.push(
        await lab.session({
          prompt: "push my branch at last",
          turns: [
            { calls: [failing] },
            { calls: [working] },
            { calls: [denied] },
            { calls: [unasked] },
            { text: "Understood." },
          ],
        }),
      );
      events = await storedEvents(lab);
    });
    afterAll(() => lab.close());

    it("the client works as without hooks: every session ends well and says nothing about them", () => {
      expect(sessions.map((one) => one.status)).toEqual([0, 0, 0, 0]);
      expect(sessions.map((one) => one.remaining)).toEqual([0, 0, 0, 0]);
      expect(sessions.map((one) => one.stderr).join("")).toBe("");
      expect(sessions.map((one) => one.stdout).join("")).not.toMatch(/hook (error|gave no usable)/i);
    });

    it("leaves no process behind", () => {
      expect(lab.processes()).toEqual([]);
    });

    it("distils the six failures of three sessions into one rule that nudges", () => {
      expect(rule).toMatchObject({
        text: "Do not run `git psuh` here: `git psuh` is not a command (failed 6 of 6).",
        level: "nudge",
        evidence: { observations: 6, sessions: 3 },
      });
    });

    it("says nothing before there is a rule", () => {
      for (const session of sessions.slice(0, 2)) expect(rulesTold(asked(session).at(-1))).toBe(0);
    });

    it("puts the rule before the model with the call it warns against", () => {
      const [proposing, next] = asked(sessions[3]);
      expect(rulesTold(proposing)).toBe(0);
      expect(textsOf(next)).toContainEqual(
        expect.stringContaining(`${speaks}:Bash hook additional context: oldhand, rule ${rule?.id}: ${rule?.text}`),
      );
    });

    it("says it once", () => {
      expect(rulesTold(asked(sessions[3]).at(-1))).toBe(1);
    });

    it("says nothing else to the model, not even that hooks ran", () => {
      for (const session of sessions.slice(0, 2))
        expect(textsOf(asked(session).at(-1)).some((text) => aboutHooks.test(text))).toBe(false);
    });

    it("stores the session from its start to its end", () => {
      // By when it happened: what only the transcript tells may be stored a moment later.
      const session = events.filter((event) => event.session === lastSession(events));
      const kinds = session.toSorted((a, b) => a.at - b.at).map((event) => event.kind);
      expect(kinds).toEqual(["session-start", "prompt", "call", "call", "call", "call", "stop", "session-end"]);
    });

    it("stores a failed call with its signature", () => {
      expect(callsOf(events)[0]).toMatchObject({
        host: "claude-code",
        kind: "call",
        uid: expect.stringMatching(/^toolu_/),
        workspace: lab.project,
        cwd: lab.project,
        tool: "Bash",
        head: "git psuh",
        input: failing.input,
        outcome: "failed",
        benign: false,
        exitCode: 1,
        error: expect.stringContaining("git: 'psuh' is not a git command."),
        signature: expect.stringMatching(/./),
        agent: null,
      });
      expect(new Set(events.filter((one) => one.outcome === "failed").map((one) => one.signature)).size).toBe(1);
    });

    it("stores a call that went well", () => {
      expect(callsOf(events)[1]).toMatchObject({
        tool: "Bash",
        head: "echo",
        input: working.input,
        outcome: "ok",
        benign: false,
        exitCode: null,
        error: null,
        signature: null,
      });
    });

    it("stores a call that a permission rule forbade as denied, not as a failure", () => {
      expect(callsOf(events)[2]).toMatchObject({
        tool: "Bash",
        head: "shred",
        input: denied.input,
        outcome: "denied",
        error: expect.stringMatching(/^Permission to use Bash/),
        signature: null,
      });
    });

    it("stores a call that nobody was there to allow as denied too", () => {
      expect(callsOf(events)[3]).toMatchObject({ head: "touch", outcome: "denied", signature: null });
    });

    it("stores what the person asked", () => {
      expect(events.filter((event) => event.kind === "prompt").map((event) => event.text)).toEqual([
        "push my branch (0)",
        "push my branch (1)",
        "push my branch (2)",
        "push my branch at last",
      ]);
    });

    it("adds nothing when the transcripts of what it saw are imported, also of prompts that an old client did not number", () => {
      const before = events.length;
      for (const path of lab.find(".claude/projects", ".jsonl")) lab.json("import", path, "--from", "claude-code");
      lab.json("sessions");
      return storedEvents(lab).then((after) => expect(after.slice(before).map((event) => event.kind)).toEqual([]));
    });

    it("takes everything back to the byte", () => {
      expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
      expect(lab.read(".claude", "settings.json")).toBe(settings);
      expect(lab.read(".claude", "plugins", "known_marketplaces.json")).toBeNull();
      expect(lab.read(".claude", "plugins", "installed_plugins.json") ?? "").not.toContain("oldhand");
      expect(lab.find(".oldhand/hosts", "")).toEqual([]);
    });
  });

  describe("installed and taken back", () => {
    it("leaves nothing behind where there was nothing", () => {
      using lab = new Lab(client, alone);
      lab.oldhand("install", "claude-code");
      expect(lab.tree(".claude")).not.toEqual({});
      expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
      expect(lab.tree(".claude")).toEqual({});
      expect(lab.read(".claude")).toBeNull();
    });

    it("leaves every file as it was, whatever its form", () => {
      using lab = new Lab(client, alone);
      for (const [path, text] of Object.entries(strange)) lab.write(text, path);
      lab.oldhand("install", "claude-code");
      expect(lab.tree(".claude")).not.toEqual(strange);
      expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
      expect(lab.tree(".claude")).toEqual(strange);
    });

    it("keeps what others wrote in between", () => {
      using lab = new Lab(client, alone);
      lab.write(settings, ".claude/settings.json");
      lab.oldhand("install", "claude-code");
      const now = JSON.parse(lab.read(".claude/settings.json") ?? "") as object;
      lab.write(JSON.stringify({ ...now, theme: "dark" }), ".claude/settings.json");
      expect(lab.oldhand("install", "claude-code")).toMatchObject({ status: 0 });
      expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
      const kept = { ...(JSON.parse(settings) as object), theme: "dark" };
      expect(JSON.parse(lab.read(".claude/settings.json") ?? "")).toEqual(kept);
    });

    it("changes nothing when installed again", () => {
      using lab = new Lab(client, alone);
      lab.write(settings, ".claude/settings.json");
      lab.oldhand("install", "claude-code");
      const once = { ...lab.tree(".claude"), ...lab.tree(".oldhand/hosts") };
      expect(lab.oldhand("install", "claude-code").out).toMatch(/^Everything is already in place\.\n/);
      expect({ ...lab.tree(".claude"), ...lab.tree(".oldhand/hosts") }).toEqual(once);
    });
  });

  it("counts a call once when its session is resumed, and not again in a fork", async () => {
    using lab = new Lab(client, alone);
    lab.write(settings, ".claude/settings.json");
    lab.oldhand("install", "claude-code");
    const session = "11111111-2222-4333-8444-555555555555";
    const turns = [{ calls: [denied] }, { text: "Well." }];
    await lab.session({ turns, flags: ["--session-id", session] });
    await lab.session({ turns, flags: ["--resume", session] });
    await lab.session({ turns, flags: ["--resume", session, "--fork-session"] });
    const calls = (await storedEvents(lab)).filter((event) => event.kind === "call");
    expect(calls.map((event) => event.outcome)).toEqual(["denied", "denied", "denied"]);
    expect(calls.map((event) => event.session === session)).toEqual([true, true, false]);
  });

  it("can be for one repository only, and into another mind", async () => {
    using lab = new Lab(client, alone);
    lab.write(settings, ".claude/settings.json");
    const other = join(lab.folder, "other mind");
    expect(lab.oldhand("install", "claude-code", "--project", lab.project, "--home", other)).toMatchObject({
      status: 0,
    });
    await lab.session({ turns: [{ calls: [failing] }, { calls: [denied] }, { text: "Well." }] });
    expect(lab.read(".claude/settings.json")).toBe(settings);
    expect(lab.read(".oldhand")).toBeNull();
    const calls = (await storedEvents(lab, other)).filter((event) => event.kind === "call");
    expect(calls.map((event) => event.outcome)).toEqual(["failed", "denied"]);
    expect(lab.oldhand("uninstall", "--home", other)).toMatchObject({ status: 0, err: "" });
    expect(existsSync(join(lab.project, ".claude"))).toBe(false);
  });

  it("keeps another mind also when it is everywhere", async () => {
    using lab = new Lab(client, alone);
    lab.write(settings, ".claude/settings.json");
    const other = join(lab.folder, "other mind");
    lab.oldhand("install", "claude-code", "--home", other);
    await lab.session({ turns: [{ calls: [failing] }, { text: "Well." }] });
    expect(lab.read(".oldhand")).toBeNull();
    const kinds = (await storedEvents(lab, other)).map((event) => event.kind);
    expect(kinds).toEqual(["session-start", "prompt", "call", "stop", "session-end"]);
  });

  it("is known to the doctor", () => {
    using lab = new Lab(client, alone);
    lab.write(settings, ".claude/settings.json");
    expect(lab.oldhand("doctor").out).toContain("Claude Code is on this machine, but its hooks are not installed");
    lab.oldhand("install", "claude-code");
    expect(lab.oldhand("doctor").out).toContain("Claude Code: hooks are in place");
  });

  it("sees and says nothing when it is off", async () => {
    using lab = new Lab(client, alone);
    lab.write(settings, ".claude/settings.json");
    lab.oldhand("install", "claude-code");
    lab.oldhand("off");
    await lab.session({ turns: [{ calls: [failing] }, { text: "Well." }] });
    expect(await storedEvents(lab)).toEqual([]);
  });

  it("does not run a call that a rule denies, and tells the model why", async () => {
    using lab = new Lab(client, alone);
    lab.write(settings, ".claude/settings.json");
    lab.oldhand("install", "claude-code");
    lab.oldhand("learn", "Say it with printf.", "--command", working.input.command, "--level", "deny");
    const session = await lab.session({ turns: [{ calls: [working] }, { text: "Well." }] });
    expect(textsOf(asked(session).at(-1)).join("\n")).toMatch(/oldhand, rule \S+: Say it with printf\./);
    const [call] = (await storedEvents(lab)).filter((event) => event.kind === "call");
    expect(call).toMatchObject({ tool: "Bash", outcome: "denied", signature: null });
  });

  it("works on with a mind that cannot be opened, and says nothing about it", async () => {
    using lab = new Lab(client, alone);
    lab.write(settings, ".claude/settings.json");
    lab.oldhand("install", "claude-code");
    lab.write("this is no database", ".oldhand/mind.db");
    const session = await lab.session({ turns: [{ calls: [working] }, { text: "Well." }] });
    expect(session).toMatchObject({ status: 0, remaining: 0, stderr: "" });
    expect(session.stdout).not.toMatch(/hook (error|gave no usable)/i);
    expect(textsOf(asked(session).at(-1)).some((text) => aboutHooks.test(text))).toBe(false);
  });
});

describe("Claude Code 2.1.325, in its own screen", () => {
  const client = claudeCode("2.1.325");
  if (alone === null || client.kind === "absent" || spawnSync("script", ["--version"]).status !== 0) {
    it.skip("tells of refusals (skipped: needs a network namespace, the client, and script of util-linux)", () => {});
    return;
  }

  it("stores calls that its user refused or interrupted, of which no hook tells", async () => {
    using lab = new Lab(client, alone);
    lab.write(JSON.stringify({ permissions: { allow: ["Bash(tail:*)"] } }), ".claude/settings.json");
    lab.write(JSON.stringify(onboarded(lab.project)), ".claude.json");
    lab.oldhand("install", "claude-code");
    const bash = (command: string) => ({ calls: [{ tool: "Bash", input: { command, description: "a try" } }] });
    await lab.session({
      turns: [bash("touch a.txt"), bash("tail -f /dev/null"), bash("touch b.txt"), { text: "Understood." }],
      flags: ["--permission-mode", "manual"],
      keys: [
        { text: "make a file", awaits: "manual mode on", afterMs: 1_000 },
        { text: "\r", afterMs: 500 },
        // No.
        { text: "4", awaits: "4. No", afterMs: 500 },
        { text: "wait for it", afterMs: 2_000 },
        { text: "\r", afterMs: 500 },
        // Esc, while it runs.
        { text: "\u001b", afterRequests: 2, afterMs: 3_000 },
        { text: "make another", afterMs: 2_000 },
        { text: "\r", afterMs: 500 },
        // No, with words.
        { text: "\u001b[B", awaits: "4. No", afterMs: 500 },
        { text: "\u001b[B", afterMs: 300 },
        { text: "\u001b[B", afterMs: 300 },
        { text: "\t", afterMs: 500 },
        { text: "use mkdir instead", afterMs: 500 },
        { text: "\r", afterMs: 500 },
        { text: "/exit", afterRequests: 4, afterMs: 2_500 },
        { text: "\r", afterMs: 500 },
      ],
    });
    // What readers make of a refusal is theirs to test.
    const events = (await storedEvents(lab)).filter((event) => event.kind !== "correction");
    // By when it happened: the client writes its transcript up to 100 ms late, and this model answers sooner than that.
    expect(events.toSorted((a, b) => a.at - b.at).map((event) => [event.kind, event.outcome, event.text])).toEqual([
      ["session-start", null, "startup"],
      ["prompt", null, "make a file"],
      ["call", "rejected", null],
      ["prompt", null, "wait for it"],
      // The client writes the same record for both.
      ["call", "rejected", null],
      ["prompt", null, "make another"],
      ["call", "rejected", "use mkdir instead"],
      ["stop", null, null],
      ["session-end", null, "prompt_input_exit"],
    ]);
  });

  it("stores once what its user types while it works, of which no hook tells", async () => {
    using lab = new Lab(client, alone);
    lab.write(JSON.stringify({ permissions: { allow: ["Bash(sleep:*)"] } }), ".claude/settings.json");
    lab.write(JSON.stringify(onboarded(lab.project)), ".claude.json");
    lab.oldhand("install", "claude-code");
    const bash = (command: string) => ({ calls: [{ tool: "Bash", input: { command, description: "a try" } }] });
    await lab.session({
      turns: [bash("sleep 8"), { text: "Understood." }],
      flags: ["--permission-mode", "manual"],
      keys: [
        { text: "install zod", awaits: "manual mode on", afterMs: 1_000 },
        { text: "\r", afterMs: 500 },
        { text: "No, use pnpm, not npm", afterRequests: 1, afterMs: 2_500 },
        { text: "\r", afterMs: 500 },
        { text: "/exit", afterRequests: 2, afterMs: 2_500 },
        { text: "\r", afterMs: 500 },
      ],
    });
    const prompts = async () =>
      (await storedEvents(lab)).filter((event) => ["prompt", "correction"].includes(event.kind)).map((one) => one.text);
    expect(await prompts()).toEqual(["install zod", "No, use pnpm, not npm", "No, use pnpm, not npm"]);
    expect(lab.oldhand("import", "--from", "claude-code").status).toBe(0);
    expect(await prompts()).toEqual(["install zod", "No, use pnpm, not npm", "No, use pnpm, not npm"]);
  });
});

/** A client that asks nothing when it starts. */
function onboarded(project: string): object {
  return {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["fake-key-not-real"], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, allowedTools: [] } },
  };
}

async function storedEvents(lab: Lab, mind = join(lab.home, ".oldhand")): Promise<readonly Event[]> {
  // Calls are stored unread by hooks; whoever lists sessions reads them.
  lab.json("sessions", "--home", mind);
  const store = await openStore({ database: join(mind, "mind.db"), busyMs: 5_000 });
  const events = await listEventsAfter(store.db, 0, Number.MAX_SAFE_INTEGER, 10_000);
  await store.close();
  return events;
}

function lastSession(events: readonly Event[]): string {
  return events.at(-1)?.session ?? "";
}

function callsOf(events: readonly Event[]): readonly Event[] {
  return events.filter((event) => event.session === lastSession(events) && event.kind === "call");
}

/** How the client tells the model what a hook said or did. */
const aboutHooks = /(UserPromptSubmit|SessionStart|Stop|ToolUse\S*|ToolBatch) hook (success|additional|error|feedback)/;

function rulesTold(request: ModelRequest | undefined): number {
  return textsOf(request).join("\n").split("oldhand, rule r_").length - 1;
}
