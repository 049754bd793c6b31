import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostContract } from "./lab/contract/contract.ts";
import { type Contract, failing, working } from "./lab/contract/terms.ts";
import { describeHost, type DrivenHost } from "./lab/driven.ts";
import { newestClaudeCode, oldClaudeCode } from "./lab/hosts/claude-code.ts";
import type { Lab, SessionRecord } from "./lab/lab.ts";
import { onboard } from "./lab/lantern.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { listRequests, count, drawn, read } from "./lab/wire.ts";

const settings = `{
    "permissions": { "allow": ["Bash(git:*)", "Bash(echo:*)", "Bash(touch lock)", "Read"], "deny": ["Bash(shred:*)"] },
  "model": "sonnet"
}`;

/** Files of other products: odd white space, no final line break, plugins and hooks. */
const strange: Readonly<Record<string, string>> = {
  ".claude/settings.json":
    '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"true"}]}]},\n\n\t"enabledPlugins":{"a@b":true}}',
  ".claude/plugins/known_marketplaces.json":
    '{ "b": {"source":{"source":"directory","path":"/nowhere"},"installLocation":"/nowhere","lastUpdated":"2026-01-01T00:00:00.000Z"} }',
  ".claude/plugins/installed_plugins.json": '{"version":2,"plugins":{"a@b":[]}}\n\n',
};

/** How the client reports a hook's output to the model. */
const aboutHooks = /(UserPromptSubmit|SessionStart|Stop|ToolUse\S*|ToolBatch) hook (success|additional|error|feedback)/;

const { shell } = newestClaudeCode;
const fails = { calls: [failing(newestClaudeCode)] };
const denied = { calls: [shell("shred notes.txt")] };
const unasked = { calls: [shell("touch new.txt")] };

for (const host of [newestClaudeCode, oldClaudeCode]) {
  const isModern = host === newestClaudeCode;
  // The old version drops advice before a call that then fails.
  const speaks = isModern ? "PreToolUse" : "PostToolUseFailure";
  const around = (text: string) => `${speaks}:Bash hook additional context: ${text}`;
  hostContract(
    {
      title: "Claude Code",
      host: { ...host, prepare: (lab) => lab.write(settings, ".claude", "settings.json") },
      turns: [fails, denied, unasked],
      mcp: isModern
        ? "mcp__plugin_oldhand_oldhand__report"
        : { skip: "its hooks are in its settings, and no server of ours is" },
      complaint: /[^]/,
      // It reports a refusal as an error.
      complaintOnStdout: /hook (error(?!: oldhand, rule)|gave no usable)/i,
      mention: aboutHooks,
      calls: {
        uid: /^toolu_/,
        worked: { exitCode: null },
        failed: { error: expect.stringContaining("git: 'psuh' is not a git command.") },
      },
      note: { place: "request", around },
      refusal: /oldhand, rule \S+: Never touch the lock\./,
      records: {
        words: (lab) => lab.find(".claude/projects", ".jsonl").map((file) => [file, "--from", "claude-code"]),
        failures: 2,
      },
      files: [".claude/settings.json", ".claude/plugins/known_marketplaces.json"],
      uninstalling: (lab) => () =>
        expect(lab.read(".claude", "plugins", "installed_plugins.json") ?? "").not.toContain("oldhand"),
      project: { file: ".claude/settings.local.json", holds: "hook claude-code" },
    },
    (contract) => {
      storesDenials(contract);
      minesTheRule(contract, around);
      isTakenBack(contract);
      hasMinds(contract);
    },
  );
}

function storesDenials(contract: Contract): void {
  it("stores a call that a permission rule forbade as denied, not as a failure", () => {
    expect(contract.call("shred")).toMatchObject({
      ...shell("shred notes.txt"),
      head: "shred",
      outcome: "denied",
      error: expect.stringMatching(/^Permission to use Bash/),
      signature: null,
    });
  });

  it("stores a call that nobody was there to allow as denied too", () => {
    expect(contract.call("touch new.txt")).toMatchObject({ head: "touch", outcome: "denied", signature: null });
  });

  it("stores the session in its order", () => {
    // By time: events known only from the transcript may be stored later.
    const kinds = contract.events.toSorted((a, b) => a.at - b.at).map((event) => event.kind);
    const calls = ["call", "call", "call", "call", "call", "call"];
    expect(kinds).toEqual(["session-start", "prompt", ...calls, "stop", "session-end"]);
  });

  it("is known to the doctor", () => {
    using lab = contract.newLab({ install: null });
    expect(lab.oldhand("doctor").out).toContain("Claude Code is on this machine, but its hooks are not installed");
    lab.oldhand("install", "claude-code");
    expect(lab.oldhand("doctor").out).toContain("Claude Code: hooks are in place");
  });

  it("counts a call once when its session is resumed, and not again in a fork", () =>
    contract.inLab(
      async (lab) => {
        const session = "11111111-2222-4333-8444-555555555555";
        const turns = [denied, { text: "Well." }];
        await lab.session({ turns, flags: ["--session-id", session] });
        await lab.session({ turns, flags: ["--resume", session] });
        await lab.session({ turns, flags: ["--resume", session, "--fork-session"] });
        const calls = (await storedEvents(lab)).filter((event) => event.kind === "call");
        expect(calls.map((event) => event.outcome)).toEqual(["denied", "denied", "denied"]);
        expect(calls.map((event) => event.session === session)).toEqual([true, true, false]);
      },
      { says: "calls" },
    ));
}

function minesTheRule(contract: Contract, around: (text: string) => string): void {
  describe("from the third failure to the rule before the fourth", () => {
    let lab: Lab;
    const sessions: SessionRecord[] = [];
    let rule: { readonly id: string; readonly text: string } | undefined;

    beforeAll(async () => {
      lab = contract.newLab({ says: "calls" });
      for (const n of [0, 1, 2])
        sessions.push(await lab.session({ prompt: `push my branch (${n})`, turns: [fails, fails, { text: "No." }] }));
      // The sessions' own hooks may have created it already.
      lab.json("distil", "--write");
      [rule] = lab.json<{ id: string; text: string }[]>("rules");
      const turns = [fails, { calls: [working(newestClaudeCode)] }, { text: "Understood." }];
      sessions.push(await lab.session({ prompt: "push my branch at last", turns }));
    });
    afterAll(() => lab.close());

    it("every session ends well and says nothing about hooks", () => {
      expect(sessions.map((one) => [one.status, one.remaining])).toEqual(sessions.map(() => [0, 0]));
      expect(sessions.map((one) => one.stderr).join("")).toBe("");
      expect(sessions.map((one) => one.stdout).join("")).not.toMatch(/hook (error|gave no usable)/i);
    });

    it("the six failures of three sessions are one rule that nudges", () => {
      expect(rule).toMatchObject({
        text: "Use `git push` here: `git psuh` is not a command (failed 6 of 6).",
        level: "nudge",
        evidence: { observations: 6, sessions: 3 },
      });
    });

    it("nothing is said before there is a rule, not even that hooks ran", () => {
      for (const session of sessions.slice(0, 2)) {
        expect(read(listRequests(session).at(-1))).not.toContain("oldhand, rule r_");
        expect(read(listRequests(session).at(-1))).not.toMatch(aboutHooks);
      }
    });

    it("the rule is before the model with the call it warns against, once", () => {
      const [proposing, next] = listRequests(sessions[3]).map(read);
      expect(proposing).not.toContain("oldhand, rule r_");
      expect(next).toContain(around(`oldhand, rule ${rule?.id}: ${rule?.text}`));
      expect(count(read(listRequests(sessions[3]).at(-1)), "oldhand, rule r_")).toBe(1);
    });

    it("what the person asked is stored, and the transcripts of it all add nothing", async () => {
      const events = await storedEvents(lab);
      expect(events.filter((event) => event.kind === "prompt").map((event) => event.text)).toEqual([
        "push my branch (0)",
        "push my branch (1)",
        "push my branch (2)",
        "push my branch at last",
      ]);
      // Including prompts to which an old client gave no id.
      for (const path of lab.find(".claude/projects", ".jsonl")) lab.json("import", path, "--from", "claude-code");
      expect((await storedEvents(lab)).slice(events.length).map((event) => event.kind)).toEqual([]);
    });
  });
}

function isTakenBack(contract: Contract): void {
  describe("installed and taken back", () => {
    it("leaves nothing behind where there was nothing", () => {
      using lab = contract.newLab({ install: null });
      lab.remove(".claude");
      lab.oldhand("install", "claude-code");
      expect(lab.tree(".claude")).not.toEqual({});
      expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
      expect(lab.tree(".claude")).toEqual({});
      expect(lab.read(".claude")).toBeNull();
    });

    it("leaves every file as it was, whatever its form", () => {
      using lab = contract.newLab({ install: null });
      for (const [path, text] of Object.entries(strange)) lab.write(text, path);
      lab.oldhand("install", "claude-code");
      expect(lab.tree(".claude")).not.toEqual(strange);
      expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
      expect(lab.tree(".claude")).toEqual(strange);
    });

    it("keeps what others wrote in between", () => {
      using lab = contract.newLab();
      const now = JSON.parse(lab.read(".claude/settings.json") ?? "") as object;
      lab.write(JSON.stringify({ ...now, theme: "dark" }), ".claude/settings.json");
      expect(lab.oldhand("install", "claude-code")).toMatchObject({ status: 0 });
      expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
      const kept = { ...(JSON.parse(settings) as object), theme: "dark" };
      expect(JSON.parse(lab.read(".claude/settings.json") ?? "")).toEqual(kept);
    });

    it("changes no file at all when installed again", () => {
      using lab = contract.newLab();
      const once = { ...lab.tree(".claude"), ...lab.tree(".oldhand/hosts") };
      expect(lab.oldhand("install", "claude-code").out).toMatch(/^Everything is already in place\.\n/);
      expect({ ...lab.tree(".claude"), ...lab.tree(".oldhand/hosts") }).toEqual(once);
    });
  });
}

function hasMinds({ inLab }: Contract): void {
  it("can be for one repository only, and into another mind", () =>
    inLab(
      async (lab) => {
        const other = join(lab.folder, "other mind");
        const words = ["claude-code", "--project", lab.project, "--home", other];
        expect(lab.oldhand("install", ...words)).toMatchObject({ status: 0 });
        await lab.session({ turns: [fails, denied, { text: "Well." }] });
        expect(lab.read(".claude/settings.json")).toBe(settings);
        expect(lab.read(".oldhand")).toBeNull();
        const calls = (await storedEvents(lab, other)).filter((event) => event.kind === "call");
        expect(calls.map((event) => event.outcome)).toEqual(["failed", "denied"]);
        expect(lab.oldhand("uninstall", "--home", other)).toMatchObject({ status: 0, err: "" });
        expect(existsSync(join(lab.project, ".claude"))).toBe(false);
      },
      { says: "calls", install: null },
    ));

  it("keeps another mind also when it is everywhere", () =>
    inLab(
      async (lab) => {
        const other = join(lab.folder, "other mind");
        lab.oldhand("install", "claude-code", "--home", other);
        await lab.session({ turns: [fails, { text: "Well." }] });
        expect(lab.read(".oldhand")).toBeNull();
        const kinds = (await storedEvents(lab, other)).map((event) => event.kind);
        expect(kinds).toEqual(["session-start", "prompt", "call", "stop", "session-end"]);
      },
      { says: "calls", install: null },
    ));
}

const screen: DrivenHost = { ...newestClaudeCode, prepare: onboard };

describeHost(`Claude Code ${screen.client.version}, in its own screen`, screen, ({ inLab }) => {
  if (spawnSync("script", ["--version"]).status !== 0)
    return it.skip("tells of refusals (skipped: needs script of util-linux)", () => {});

  const bash = (command: string) => ({ calls: [shell(command)] });

  it("stores calls that its user refused or interrupted, of which no hook tells", () =>
    inLab(
      async (lab) => {
        lab.write(JSON.stringify({ permissions: { allow: ["Bash(tail:*)"] } }), ".claude/settings.json");
        lab.oldhand("install", "claude-code");
        await lab.session({
          turns: [bash("touch a.txt"), bash("tail -f /dev/null"), bash("touch b.txt"), { text: "Understood." }],
          flags: ["--permission-mode", "manual"],
          keys: [
            { text: "make a file", awaits: "manual mode on", afterMs: 1_000 },
            { text: "\r", afterMs: 500 },
            // Answers "No".
            { text: "4", awaits: "4. No", afterMs: 500 },
            { text: "wait for it", afterMs: 2_000 },
            { text: "\r", afterMs: 500 },
            // Presses Esc while it runs.
            { text: "\u001b", afterRequests: 2, afterMs: 3_000 },
            { text: "make another", afterMs: 2_000 },
            { text: "\r", afterMs: 500 },
            // Answers "No" with a text.
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
        // Corrections derived from refusals are tested elsewhere.
        const events = (await storedEvents(lab)).filter((event) => event.kind !== "correction");
        // By time: the client writes its transcript up to 100 ms late, and this model answers faster.
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
      },
      { says: "calls", install: null },
    ));

  it("is reminded at its stop of a known failure, without a word of an error of the hook", () =>
    inLab(
      async (lab) => {
        lab.write(JSON.stringify({ permissions: { allow: ["Bash(git:*)"] } }), ".claude/settings.json");
        lab.oldhand("install", "claude-code");
        await lab.session({ prompt: "push it", turns: [fails, { text: "No." }] });
        const seen = await lab.session({
          turns: [fails, { text: "Done." }, { text: "It is open." }],
          flags: ["--permission-mode", "manual"],
          keys: [
            { text: "push it", awaits: "manual mode on", afterMs: 1_000 },
            { text: "\r", afterMs: 500 },
            { text: "/exit", afterRequests: 3, afterMs: 2_500 },
            { text: "\r", afterMs: 500 },
          ],
        });
        expect(read(listRequests(seen)[2])).toContain("Stop hook additional context: oldhand: before you stop, ");
        expect(drawn(seen).replaceAll(" ", "")).toContain("oldhand:beforeyoustop,");
        expect(drawn(seen).replaceAll(" ", "")).not.toContain("hookerror");
        expect(seen.remaining).toBe(0);
        const prompts = (await storedEvents(lab)).filter((event) => event.kind === "prompt").map((one) => one.text);
        expect(prompts).toEqual(["push it", "push it"]);
      },
      { says: "everything", install: null },
    ));

  it("stores once what its user types while it works, of which no hook tells", () =>
    inLab(
      async (lab) => {
        lab.write(JSON.stringify({ permissions: { allow: ["Bash(sleep:*)"] } }), ".claude/settings.json");
        lab.oldhand("install", "claude-code");
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
          (await storedEvents(lab))
            .filter((event) => ["prompt", "correction"].includes(event.kind))
            .map((one) => one.text);
        expect(await prompts()).toEqual(["install zod", "No, use pnpm, not npm", "No, use pnpm, not npm"]);
        expect(lab.oldhand("import", "--from", "claude-code").status).toBe(0);
        expect(await prompts()).toEqual(["install zod", "No, use pnpm, not npm", "No, use pnpm, not npm"]);
      },
      { says: "calls", install: null },
    ));
});
