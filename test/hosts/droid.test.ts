import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { droid, droidSettings } from "./lab/hosts/droid.ts";
import { Lab, type SessionRecord } from "./lab/lab.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { asked } from "./lab/wire.ts";

/** Somebody else's, written as a person would, so that taking our hooks out must bring back every space. */
const others = `{ "PreToolUse": [
    {"matcher": "Execute", "hooks": [{ "type": "command",  "timeout": 5,
      "command": "grep -q 'rm -rf' && echo '{\\"hookSpecificOutput\\":{\\"hookEventName\\":\\"PreToolUse\\",\\"permissionDecision\\":\\"deny\\",\\"permissionDecisionReason\\":\\"not here\\"}}' || true"}]}
] }`;

const shell = (command: string) => ({
  tool: "Execute",
  input: { command, summary: "x", riskLevel: "low", riskLevelReason: "x", timeout: 60 },
});
const working = shell("echo all is well");
const failing = shell("git psuh origin main");
const twin = shell("echo twin");
const unfit = { tool: "Edit", input: { file_path: "gone.txt" } };
const hooked = shell("rm -rf dist");

const advice = "Push with `git push`; psuh is a slip.";

const alone = loopbackOnly();
const { client } = droid;

describe(`Factory droid ${client.version}`, () => {
  if (alone === null || client.kind === "absent") {
    const why = client.kind === "absent" ? client.why : "no network namespace can be made here";
    it.skip(`is driven offline (skipped: ${why})`, () => {});
    return;
  }

  const lab = new Lab(client, alone);
  let session: SessionRecord;
  let learnt: { readonly rule: { readonly id: string } };
  let events: readonly Event[] = [];
  const call = (name: string) => events.find((event) => JSON.stringify(event.input)?.includes(name));

  beforeAll(async () => {
    lab.write(droidSettings, ".factory", "settings.json");
    lab.write(others, ".factory", "hooks.json");
    expect(lab.oldhand("install", "droid")).toMatchObject({ status: 0, err: "" });
    expect(lab.oldhand("install", "droid").out).toMatch(/^Everything is already in place\.\n/);
    learnt = lab.json("learn", advice, "--command", "git psuh origin main");
    session = await lab.session({
      prompt: "push my branch",
      turns: [
        { calls: [working] },
        { calls: [failing] },
        { calls: [twin, twin] },
        { calls: [failing, working] },
        { calls: [unfit] },
        { calls: [hooked] },
        { text: "I give up." },
      ],
    });
    events = await storedEvents(lab);
  });
  afterAll(() => lab.close());

  it("has oldhand among its MCP servers: its model can use their tools", async () => {
    using other = new Lab(client, alone);
    other.write(droidSettings, ".factory", "settings.json");
    other.oldhand("install", "droid");
    const fact = "the lamp is in the hall";
    const noted = droid.tool("remember", { text: fact }) ?? working;
    // The first request goes out before the servers have told of their tools.
    const turns = [{ calls: [shell("sleep 2")] }, { calls: [noted] }, { text: "Noted." }];
    const session = await other.session({ prompt: "remember it", turns });
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(other.oldhand("memories").out).toContain(fact);
  });

  it("works as without hooks, and says nothing about them", () => {
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(session.stdout).toContain("I give up.");
    expect(session.stderr).not.toMatch(/hook/i);
  });

  it("tells the session from its start to its end, each thing once", () => {
    const kinds = events.map((event) => event.kind).toSorted();
    const calls = Array.from({ length: 8 }, () => "call");
    expect(kinds).toEqual([...calls, "prompt", "session-end", "session-start", "stop"]);
    expect(new Set(events.map((event) => `${event.host} ${event.workspace} ${event.cwd}`))).toEqual(
      new Set([`droid ${lab.project} ${lab.project}`]),
    );
    expect(events.find((event) => event.kind === "prompt")?.text).toBe("push my branch");
  });

  it("stores a call that went well", () => {
    expect(call("all is well")).toMatchObject({
      uid: expect.stringMatching(/^call_/),
      tool: "Execute",
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

  it("stores a command that failed, from the transcript: no hook is told of it", () => {
    expect(call("psuh")).toMatchObject({
      uid: expect.stringMatching(/^call_/),
      tool: "Execute",
      head: "git psuh",
      input: failing.input,
      ok: false,
      outcome: "failed",
      benign: false,
      exitCode: 1,
      error: expect.stringMatching(/^git: 'psuh' is not a git command\.[^[]*$/),
      signature: expect.stringMatching(/./),
      model: expect.stringMatching(/./),
    });
  });

  it("stores an unfit call, and one that another's hook forbade", () => {
    const edit = events.find((event) => event.tool === "Edit");
    expect(edit).toMatchObject({ ok: false, outcome: "failed", error: expect.stringContaining("old_str is required") });
    expect(call("rm -rf")).toMatchObject({
      outcome: "denied",
      error: expect.stringContaining("not here"),
      signature: null,
    });
  });

  it("puts the rule before the model with the next result after the call it warns against, once", () => {
    const [, , afterFailing, afterTwins] = asked(session);
    expect(JSON.stringify(afterFailing)).not.toContain("oldhand, rule");
    expect(JSON.stringify(afterTwins)).toContain(`oldhand, rule ${learnt.rule.id}: ${advice}`);
    expect(JSON.stringify(asked(session).at(-1)).split("oldhand, rule").length - 1).toBe(1);
  });

  it("adds nothing when the same session is imported from its transcript", () => {
    const [file = ""] = lab.find(".factory/sessions", ".jsonl");
    expect(lab.json("import", file)).toMatchObject({ events: 0 });
  });

  it("gives a mind that had no hooks the same calls and prompt", () => {
    const [file = ""] = lab.find(".factory/sessions", ".jsonl");
    const elsewhere = `${lab.folder}/elsewhere`;
    expect(lab.json("import", file, "--home", elsewhere)).toMatchObject({ sessions: 1, events: 9, failures: 3 });
  });

  it("takes everything back to the byte", () => {
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.read(".factory", "hooks.json")).toBe(others);
  });

  it("wires one repository only, and leaves nothing behind", () => {
    expect(lab.oldhand("install", "droid", "--project", lab.project).status).toBe(0);
    expect(lab.read("..", "project", ".factory", "hooks.json")).toContain("hook droid");
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.read("..", "project", ".factory", "hooks.json")).toBeNull();
    expect(lab.read(".factory", "hooks.json")).toBe(others);
  });
});
