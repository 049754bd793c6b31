import { expect, it } from "vitest";
import { hostContract } from "./lab/contract/contract.ts";
import { failing, working } from "./lab/contract/terms.ts";
import { copilot } from "./lab/hosts/copilot.ts";
import { storedEvents } from "./lab/stored-events.ts";

/** Another product's file, which must not change. */
const others = `{"version": 1,
  "hooks": {"preToolUse": [{"type": "command", "timeoutSec": 5,
    "bash": "grep -q 'rm -rf' && echo '{\\"permissionDecision\\":\\"deny\\",\\"permissionDecisionReason\\":\\"not here\\"}' || true"}]}}`;

const { shell } = copilot;
const twin = shell("echo twin");
const unfit = { tool: "edit", input: { path: "gone.txt" } };

hostContract(
  {
    title: "Copilot CLI",
    host: { ...copilot, prepare: (lab) => lab.write(others, ".copilot", "hooks", "others.json") },
    turns: [
      { calls: [failing(copilot), working(copilot)] },
      { calls: [twin, twin] },
      { calls: [unfit] },
      { calls: [shell("shred notes.txt")] },
      { calls: [shell("rm -rf dist")] },
    ],
    mcp: "oldhand-report",
    complaint: /hook/i,
    calls: {
      worked: { exitCode: 0 },
      // The host reports success.
      failed: { ok: true, error: expect.stringMatching(/^git: 'psuh' is not a git command\.[^<]*$/) },
    },
    note: { place: "request" },
    refusal: /oldhand, rule \S+: Never touch the lock\./,
    records: {
      words: (lab) => lab.find(".copilot/session-state", "events.jsonl").map((file) => [file]),
      failures: 3,
    },
    files: [".copilot/hooks"],
    project: { file: ".github/hooks/oldhand.json", holds: "hook copilot" },
  },
  (contract) => {
    it("stores a tool's error", () => {
      const edit = contract.events.find((event) => event.tool === "edit");
      expect(edit).toMatchObject({ ok: false, outcome: "failed", error: "Path not absolute" });
    });

    it("stores calls that fired no hook, from the transcript: those a rule or another's hook forbade", () => {
      expect(contract.call("shred")).toMatchObject({
        head: "shred",
        outcome: "denied",
        error: expect.stringContaining("Permission to run this tool was denied"),
        signature: null,
        model: "scripted",
      });
      const error = "Denied by preToolUse hook: not here";
      expect(contract.call("rm -rf")).toMatchObject({ outcome: "denied", error });
    });

    it("is not taken for Claude Code where it runs the hooks of a project's .claude folder", async () => {
      const { lab } = contract;
      const before = (await storedEvents(lab)).filter((event) => event.kind === "call").length;
      expect(lab.oldhand("install", "claude-code", "--project", lab.project)).toMatchObject({ status: 0, err: "" });
      expect(lab.read("..", "project", ".claude", "settings.local.json")).toContain("hook claude-code");
      const turns = [{ calls: [working(copilot)] }, { text: "Done." }];
      const session = await lab.session({ turns, env: { COPILOT_ALLOW_ALL: "true" } });
      expect(session).toMatchObject({ status: 0, remaining: 0 });
      const after = await storedEvents(lab);
      expect(new Set(after.map((event) => event.host))).toEqual(new Set(["copilot"]));
      expect(after.filter((event) => event.kind === "call")).toHaveLength(before + 1);
      expect(lab.oldhand("uninstall", "claude-code")).toMatchObject({ status: 0, err: "" });
    });
  },
);
