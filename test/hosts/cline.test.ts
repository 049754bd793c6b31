import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { cline, endDaemon, hooksOver } from "./lab/hosts/cline.ts";
import { Lab, type SessionRecord } from "./lab/lab.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { asked } from "./lab/wire.ts";

const shell = (...commands: readonly string[]) => ({ tool: "run_commands", input: { commands } });
const working = shell("echo all is well");
const failing = shell("git psuh origin main");
const half = shell("echo one", "cat nope.txt");
const twin = shell("echo twin");
const unfit = { tool: "editor", input: { path: "gone.txt" } };
const unknown = { tool: "no_such_tool", input: { a: 1 } };

const advice = "Push with `git push`; psuh is a slip.";
/** Somebody else's, which must stay as it is. */
const others = "#!/bin/bash\nexit 0\n";

const alone = loopbackOnly();
const { client } = cline;

describe(`Cline CLI ${client.version}`, () => {
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
    lab.write(others, ".cline", "hooks", "PreToolUse");
    expect(lab.oldhand("install", "cline")).toMatchObject({ status: 0, err: "" });
    expect(lab.oldhand("install", "cline").out).toMatch(/^Everything is already in place\.\n/);
    learnt = lab.json("learn", advice, "--command", "git psuh origin main");
    session = await lab.session({
      prompt: "push my branch",
      turns: [
        { calls: [working] },
        { calls: [failing] },
        { calls: [half] },
        { calls: [twin, twin] },
        { calls: [unfit] },
        { calls: [unknown] },
        { text: "I give up." },
      ],
    });
    events = await whole(lab);
  });
  afterAll(async () => {
    await endDaemon(lab);
    lab.close();
  });

  it("has oldhand among its MCP servers", () => {
    expect(JSON.stringify(session.requests.map((one) => one.body))).toContain("oldhand__report");
  });

  it("works as without hooks, and says nothing about them", () => {
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(session.stdout).toContain("I give up.");
    expect(session.stderr).not.toMatch(/hook/i);
  });

  it("tells the session from its start to its stop, each thing once", () => {
    const kinds = events.map((event) => event.kind).filter((kind) => kind !== "session-end");
    const calls = Array.from({ length: 7 }, () => "call");
    expect(kinds.toSorted()).toEqual([...calls, "prompt", "session-start", "stop"]);
    expect(new Set(events.map((event) => `${event.host} ${event.workspace} ${event.cwd}`))).toEqual(
      new Set([`cline ${lab.project} ${lab.project}`]),
    );
    expect(events.find((event) => event.kind === "prompt")?.text).toBe("push my branch");
  });

  it("stores a call that went well", () => {
    expect(call("all is well")).toMatchObject({
      uid: expect.stringMatching(/^call_/),
      tool: "run_commands",
      head: "echo",
      input: working.input,
      ok: true,
      outcome: "ok",
      error: null,
      signature: null,
      agent: null,
      durationMs: expect.any(Number),
    });
  });

  it("stores a command that failed, and one of two", () => {
    expect(call("psuh")).toMatchObject({
      uid: expect.stringMatching(/^call_/),
      tool: "run_commands",
      head: "git psuh",
      input: failing.input,
      ok: false,
      outcome: "failed",
      benign: false,
      exitCode: 1,
      error: expect.stringMatching(/^git: 'psuh' is not a git command\./),
      signature: expect.stringMatching(/./),
    });
    expect(call("nope.txt")).toMatchObject({
      outcome: "failed",
      exitCode: 1,
      error: "cat: nope.txt: No such file or directory",
    });
  });

  it("stores an unfit call, and from the transcript one of a tool that there is not, which fired no hook", () => {
    const editor = events.find((event) => event.tool === "editor");
    expect(editor).toMatchObject({ ok: false, outcome: "failed", error: expect.stringContaining("Invalid input") });
    const none = events.find((event) => event.tool === "no_such_tool");
    expect(none).toMatchObject({ outcome: "failed", error: expect.stringContaining("unavailable tool") });
  });

  it("puts the rule before the model with the call it warns against, once", () => {
    const [, afterWorking, afterFailing] = asked(session);
    expect(JSON.stringify(afterWorking)).not.toContain("oldhand, rule");
    expect(JSON.stringify(afterFailing)).toContain(`oldhand, rule ${learnt.rule.id}: ${advice}`);
    expect(JSON.stringify(asked(session).at(-1)).split("oldhand, rule").length - 1).toBe(1);
  });

  it("is not stopped by a rule that denies: the only way to would end the whole run", async () => {
    lab.json("learn", "Never say twin.", "--command", "echo twin", "--level", "deny");
    const turns = [{ calls: [twin] }, { text: "Said." }];
    const again = await lab.session({ turns });
    expect(again).toMatchObject({ status: 0, remaining: 0 });
    expect(JSON.stringify(asked(again).at(-1))).toContain("Never say twin.");
  });

  it("stores a call that was denied for want of an answer", async () => {
    const turns = [{ calls: [shell("touch denied.txt")] }, { text: "Not done." }];
    await lab.session({ turns, flags: ["--auto-approve", "false"] });
    events = await whole(lab);
    expect(existsSync(join(lab.project, "denied.txt"))).toBe(false);
    expect(call("denied.txt")).toMatchObject({
      ok: false,
      outcome: "denied",
      error: expect.stringContaining("requires approval"),
      signature: null,
    });
  });

  it("adds nothing when the same session is imported from its transcript", () => {
    const files = lab.find(".cline/data/sessions", ".messages.json");
    expect(files).toHaveLength(3);
    for (const file of files) expect(lab.json("import", file, "--from", "cline")).toMatchObject({ events: 0 });
  });

  it("gives a mind that had no hooks the same calls and prompts", () => {
    const elsewhere = `${lab.folder}/elsewhere`;
    const counts = lab
      .find(".cline/data/sessions", ".messages.json")
      .map((file) => lab.json<{ events: number }>("import", file, "--from", "cline", "--home", elsewhere).events);
    expect(counts.toSorted((a, b) => b - a)).toEqual([8, 2, 2]);
  });

  it("takes everything back to the byte", () => {
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.tree(".cline/hooks")).toEqual({ [join(".cline", "hooks", "PreToolUse")]: others });
  });

  it("wires one repository only, and leaves nothing behind", () => {
    expect(lab.oldhand("install", "cline", "--project", lab.project).status).toBe(0);
    expect(lab.read("..", "project", ".cline", "hooks", "PreToolUse.bash")).toContain("hook cline");
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(existsSync(join(lab.project, ".cline"))).toBe(false);
  });
});

/** Hooks at the end of a session are not waited for by Cline. */
async function whole(lab: Lab): Promise<readonly Event[]> {
  await hooksOver(lab);
  return storedEvents(lab);
}
