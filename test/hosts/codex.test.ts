import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/testing/scripted-server.ts";
import { hostContract } from "./lab/contract/contract.ts";
import { failing, working } from "./lab/contract/terms.ts";
import { codex, codexConfig as config, trust } from "./lab/hosts/codex.ts";
import type { Lab, SessionRecord } from "./lab/lab.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { listRequests, count } from "./lab/wire.ts";

const forbidden = 'prefix_rule(pattern=["shred"], decision="forbidden", justification="never destroy files")\n';

const patch = (text: string) => ({
  calls: [{ tool: "apply_patch", input: { patch: `*** Begin Patch\n${text}\n*** End Patch` } }],
});
const denied = { calls: [codex.shell("shred notes.txt")] };
const edit = patch("*** Add File: notes.txt\n+first");
const unfit = patch("*** Update File: gone.txt\n@@\n-a\n+b");
const fails = { calls: [failing(codex)] };
const works = { calls: [working(codex)] };

/** What oldhand writes to the settings. */
const server = /\n# Written by oldhand[^\n]*\n\[mcp_servers\.oldhand\]\ncommand = [^\n]*\nargs = [^\n]*\n/;

hostContract(
  {
    title: "Codex",
    host: {
      ...codex,
      prepare: (lab) => {
        codex.prepare(lab);
        lab.write(forbidden, ".codex/rules/default.rules");
      },
    },
    turns: [denied, unfit, edit, fails],
    mcp: "- oldhand: oldhand remembers",
    stdout: /I give up\./,
    complaint: /hook: (?:\w+ (?:Failed|Stopped)|(?!PreToolUse )\w+ Blocked)/,
    calls: {
      stored: (command) => ({ tool: "Bash", input: { command } }),
      worked: { exitCode: 0, text: "all is well\n" },
      // Only the transcript has the exit code.
      failed: {
        ok: false,
        error: expect.stringContaining("git: 'psuh' is not a git command."),
        text: null,
        model: "gpt-5.5",
        durationMs: expect.any(Number),
      },
    },
    note: { place: "request" },
    refusal: /blocked by PreToolUse hook: [^]*oldhand, rule \S+: Never touch the lock\./,
    records: { words: (lab) => lab.find(".codex/sessions", ".jsonl").map((file) => [file]), failures: 3 },
    files: [".codex/hooks.json", ".codex/rules"],
    uninstalling: (lab) => {
      const trusted = lab.read(".codex/config.toml") ?? "";
      expect(trusted).toMatch(server);
      return () => {
        expect(lab.find(".codex", "before-oldhand")).toEqual([]);
        expect(lab.read(".codex/config.toml")).toBe(trusted.replace(server, ""));
      };
    },
    project: { file: ".codex/hooks.json", holds: "hook codex" },
  },
  (contract) => {
    const newLab = () => contract.newLab({ says: "calls", install: null });

    describe("before its user has trusted the hooks", () => {
      let lab: Lab;
      let installed = "";
      let settings: string | null = null;
      let session: SessionRecord | undefined;
      beforeAll(async () => {
        lab = newLab();
        installed = lab.oldhand("install", "codex").out;
        settings = lab.read(".codex/config.toml");
        session = await lab.session({ prompt: "push my branch", turns: [fails, { text: "I give up." }] });
      });
      afterAll(() => lab.close());

      it("the installer says how to trust them, and does not do it itself", () => {
        expect(installed).toContain(`wrote ${join(lab.home, ".codex/hooks.json")}`);
        expect(installed).toMatch(/6 hooks of oldhand in \S+ are not trusted yet[^]*start codex[^]*\/hooks/);
        expect(settings?.startsWith(config)).toBe(true);
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

    it("runs every hook well, and blocks one call only", () => {
      expect(count(contract.session.stderr, "Blocked")).toBe(1);
    });

    it("tells the model a rule as a message of the developer's, alone", () => {
      const requests = listRequests(contract.session);
      expect(listShown(requests[1])).toEqual([]);
      expect(listShown(requests[2])).toEqual([
        expect.stringMatching(/^oldhand, rule r_\w+: Push with `git push`; psuh is a slip\.$/),
      ]);
      expect(listShown(requests.at(-1))).toHaveLength(1);
    });

    it("stores the session in its order, and at its end the calls of which no hook told", () => {
      expect(contract.events.map((event) => [event.kind, event.tool, event.head, event.outcome])).toEqual([
        ["session-start", null, null, null],
        ["prompt", null, null, null],
        ["call", "Bash", "echo", "ok"],
        ["call", "Bash", "git psuh", "failed"],
        ["call", "apply_patch", null, "ok"],
        ["call", "Bash", "git psuh", "failed"],
        ["call", "Bash", "touch", "denied"],
        ["call", "Bash", "shred", "denied"],
        ["call", "apply_patch", null, "failed"],
        ["stop", null, null, null],
        ["session-end", null, null, null],
      ]);
    });

    it("stores what its user asked, with the model", () => {
      expect(contract.events[1]).toMatchObject({ text: "push my branch", model: "gpt-5.5" });
    });

    it("stores an edit", () => {
      const input = { command: expect.stringContaining("*** Add File: notes.txt") };
      expect(contract.call("Add File")).toMatchObject({ input, outcome: "ok", exitCode: 0 });
    });

    it("stores a command that a rule of its own forbade as denied, and a patch that does not fit as failed", () => {
      expect(contract.call("shred")).toMatchObject({
        head: "shred",
        input: { command: "shred notes.txt" },
        outcome: "denied",
        error: expect.stringContaining("never destroy files"),
        signature: null,
        model: "gpt-5.5",
      });
      expect(contract.call("Update File")).toMatchObject({
        outcome: "failed",
        error: expect.stringContaining("gone.txt"),
        signature: expect.stringMatching(/./),
      });
    });

    it("stores a call that a rule of ours forbade with the reason", () => {
      expect(contract.call("touch lock")).toMatchObject({
        head: "touch",
        error: expect.stringContaining("Never touch"),
      });
    });

    it.skipIf(spawnSync("script", ["--version"]).status !== 0)(
      "asks its user for that trust in its own screen, writes it as the doctor reads it, and then the hooks run",
      () =>
        contract.inLab(
          async (lab) => {
            // An unknown model: for known ones it first offers newer ones.
            const known = config.replace("gpt-5.5", "lab-model");
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
            await lab.session({ turns: [works, { text: "So it is." }] });
            const calls = (await storedEvents(lab)).filter((event) => event.kind === "call");
            expect(calls).toMatchObject([{ head: "echo", outcome: "ok", exitCode: 0 }]);
          },
          { says: "calls", install: null },
        ),
    );

    it("gives the same calls from its transcript alone", () =>
      contract.inLab(
        async (lab) => {
          await lab.session({ prompt: "push my branch", turns: [fails, works, denied, unfit, edit, { text: "So." }] });
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
        },
        { says: "calls", install: null },
      ));

    describe("installed and taken back", () => {
      const theirs =
        '{ "hooks": {"Stop":[{"hooks":[{"type":"command","command":"true"}]}]},\n\n "description":"mine" }';

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

      it("can be for one repository only", () =>
        contract.inLab(
          async (lab) => {
            lab.oldhand("install", "codex", "--project", lab.project);
            expect(lab.read(".codex/hooks.json")).toBeNull();
            trust(lab, config, join(lab.project, ".codex/hooks.json"));
            await lab.session({ prompt: "greet", turns: [works, { text: "So." }] });
            const kinds = (await storedEvents(lab)).map((event) => event.kind);
            expect(kinds).toEqual(["session-start", "prompt", "call", "stop", "session-end"]);
            expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
          },
          { says: "calls", install: null },
        ));
    });
  },
);

function doctor(lab: Lab): { readonly findings: readonly unknown[]; readonly problems: number } {
  return JSON.parse(lab.oldhand("doctor", "--json").out) as { findings: unknown[]; problems: number };
}

/** What oldhand showed the model, as in a request: messages with the role `developer`. */
function listShown(request: ModelRequest | undefined): readonly string[] {
  const { input } = (request?.body ?? { input: [] }) as {
    readonly input: readonly { role?: string; content?: string | readonly { text?: string }[] }[];
  };
  return input
    .filter((item) => item.role === "developer" && Array.isArray(item.content))
    .flatMap((item) => (item.content as readonly { text?: string }[]).map((part) => part.text ?? ""))
    .filter((text) => text.includes("oldhand, rule"));
}
