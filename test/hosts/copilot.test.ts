import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { copilot } from "./lab/hosts/copilot.ts";
import { Lab, type SessionRecord } from "./lab/lab.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { asked } from "./lab/wire.ts";

/** Somebody else's, which must stay as it is. */
const others = `{"version": 1,
  "hooks": {"preToolUse": [{"type": "command", "timeoutSec": 5,
    "bash": "grep -q 'rm -rf' && echo '{\\"permissionDecision\\":\\"deny\\",\\"permissionDecisionReason\\":\\"not here\\"}' || true"}]}}`;

const shell = (command: string) => ({ tool: "bash", input: { command, description: "x", mode: "sync" } });
const working = shell("echo all is well");
const failing = shell("git psuh origin main");
const twin = shell("echo twin");
const unfit = { tool: "edit", input: { path: "gone.txt" } };
const denied = shell("shred notes.txt");
const hooked = shell("rm -rf dist");

const advice = "Push with `git push`; psuh is a slip.";

const alone = loopbackOnly();
const { client } = copilot;

describe(`Copilot CLI ${client.version}`, () => {
  if (alone === null || client.kind === "absent") {
    const why = client.kind === "absent" ? client.why : "no network namespace can be made here";
    it.skip(`is driven offline (skipped: ${why})`, () => {});
    return;
  }

  const lab = new Lab(client, alone);
  let session: SessionRecord;
  let learnt: { readonly rule: { readonly id: string } };
  let events: readonly Event[] = [];
  let hooksBefore: Readonly<Record<string, string>>;
  const call = (name: string) => events.find((event) => JSON.stringify(event.input)?.includes(name));

  beforeAll(async () => {
    lab.write(others, ".copilot", "hooks", "others.json");
    hooksBefore = lab.tree(".copilot/hooks");
    expect(lab.oldhand("install", "copilot")).toMatchObject({ status: 0, err: "" });
    expect(lab.oldhand("install", "copilot").out).toMatch(/^Everything is already in place\.\n/);
    learnt = lab.json("learn", advice, "--command", "git psuh origin main");
    session = await lab.session({
      prompt: "push my branch",
      turns: [
        { calls: [working] },
        { calls: [failing] },
        { calls: [failing, working] },
        { calls: [twin, twin] },
        { calls: [unfit] },
        { calls: [denied] },
        { calls: [hooked] },
        { text: "I give up." },
      ],
    });
    events = await storedEvents(lab);
  });
  afterAll(() => lab.close());

  it("has oldhand among its MCP servers", () => {
    expect(JSON.stringify(session.requests.map((one) => one.body))).toContain("oldhand-report");
  });

  it("works as without hooks, and says nothing about them", () => {
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(session.stdout).toContain("I give up.");
    expect(session.stderr).not.toMatch(/hook/i);
  });

  it("tells the session from its start to its end, each thing once", () => {
    const kinds = events.map((event) => event.kind).toSorted();
    const calls = Array.from({ length: 9 }, () => "call");
    expect(kinds).toEqual([...calls, "prompt", "session-end", "session-start", "stop"]);
    expect(new Set(events.map((event) => `${event.host} ${event.workspace} ${event.cwd}`))).toEqual(
      new Set([`copilot ${lab.project} ${lab.project}`]),
    );
    expect(events.find((event) => event.kind === "prompt")?.text).toBe("push my branch");
  });

  it("stores a call that went well", () => {
    expect(call("all is well")).toMatchObject({
      uid: expect.stringMatching(/^call_/),
      tool: "bash",
      head: "echo",
      input: working.input,
      ok: true,
      outcome: "ok",
      exitCode: 0,
      error: null,
      signature: null,
      agent: null,
    });
  });

  it("stores a command that failed, though the host says that all is well", () => {
    expect(call("psuh")).toMatchObject({
      uid: expect.stringMatching(/^call_/),
      tool: "bash",
      head: "git psuh",
      input: failing.input,
      ok: true,
      outcome: "failed",
      benign: false,
      exitCode: 1,
      error: expect.stringMatching(/^git: 'psuh' is not a git command\.[^<]*$/),
      signature: expect.stringMatching(/./),
    });
  });

  it("stores a tool's error", () => {
    const edit = events.find((event) => event.tool === "edit");
    expect(edit).toMatchObject({ ok: false, outcome: "failed", error: "Path not absolute" });
  });

  it("stores calls that fired no hook, from the transcript: those a rule or another's hook forbade", () => {
    expect(call("shred")).toMatchObject({
      head: "shred",
      outcome: "denied",
      error: expect.stringContaining("Permission to run this tool was denied"),
      signature: null,
      model: "scripted",
    });
    expect(call("rm -rf")).toMatchObject({ outcome: "denied", error: "Denied by preToolUse hook: not here" });
  });

  it("puts the rule before the model with the call it warns against, once", () => {
    const [, afterWorking, afterFailing] = asked(session);
    expect(JSON.stringify(afterWorking)).not.toContain("oldhand, rule");
    expect(JSON.stringify(afterFailing)).toContain(`oldhand, rule ${learnt.rule.id}: ${advice}`);
    expect(JSON.stringify(asked(session).at(-1)).split("oldhand, rule").length - 1).toBe(1);
  });

  it("adds nothing when the same session is imported from its transcript", () => {
    const [file = ""] = lab.find(".copilot/session-state", "events.jsonl");
    expect(lab.json("import", file)).toMatchObject({ events: 0 });
  });

  it("gives a mind that had no hooks the same calls and prompt", () => {
    const [file = ""] = lab.find(".copilot/session-state", "events.jsonl");
    const elsewhere = `${lab.folder}/elsewhere`;
    expect(lab.json("import", file, "--home", elsewhere)).toMatchObject({ sessions: 1, events: 10, failures: 3 });
  });

  it("is not taken for Claude Code where it runs the hooks of a project's .claude folder", async () => {
    expect(lab.oldhand("install", "claude-code", "--project", lab.project)).toMatchObject({ status: 0, err: "" });
    expect(lab.read("..", "project", ".claude", "settings.local.json")).toContain("hook claude-code");
    const turns = [{ calls: [working] }, { text: "Done." }];
    expect(await lab.session({ turns, env: { COPILOT_ALLOW_ALL: "true" } })).toMatchObject({ status: 0, remaining: 0 });
    const after = await storedEvents(lab);
    expect(new Set(after.map((event) => event.host))).toEqual(new Set(["copilot"]));
    expect(after.filter((event) => event.kind === "call")).toHaveLength(10);
    expect(lab.oldhand("uninstall", "claude-code")).toMatchObject({ status: 0, err: "" });
  });

  it("takes everything back to the byte", () => {
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.tree(".copilot/hooks")).toEqual(hooksBefore);
  });

  it("wires one repository only, and leaves nothing behind", () => {
    expect(lab.oldhand("install", "copilot", "--project", lab.project).status).toBe(0);
    expect(lab.read("..", "project", ".github", "hooks", "oldhand.json")).toContain("hook copilot");
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.read("..", "project", ".github", "hooks", "oldhand.json")).toBeNull();
    expect(lab.tree(".copilot/hooks")).toEqual(hooksBefore);
  });
});
