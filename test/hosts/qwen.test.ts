import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import type { ModelRequest } from "../../src/testing/scripted-server.ts";
import { qwen, qwenSettings } from "./lab/hosts/qwen.ts";
import { Lab, type SessionRecord } from "./lab/lab.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { asked } from "./lab/wire.ts";

const shell = "run_shell_command";
const working = { tool: shell, input: { command: "echo all is well", description: "say so", is_background: false } };
const failing = { tool: shell, input: { command: "git psuh origin main", description: "push", is_background: false } };
const unfit = { tool: "edit", input: { file_path: "gone.txt" } };
const denied = { tool: shell, input: { command: "shred notes.txt", description: "destroy", is_background: false } };

const advice = "Push with `git push`; psuh is a slip.";

const alone = loopbackOnly();
const { client } = qwen;

describe(`Qwen Code ${client.version}`, () => {
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
    lab.write(qwenSettings, ".qwen", "settings.json");
    expect(lab.oldhand("install", "qwen")).toMatchObject({ status: 0, err: "" });
    expect(lab.oldhand("install", "qwen").out).toMatch(/^Everything is already in place\.\n/);
    learnt = lab.json("learn", advice, "--command", "git psuh origin main");
    session = await lab.session({
      prompt: "push my branch",
      turns: [
        { calls: [working] },
        { calls: [failing] },
        { calls: [failing, working] },
        { calls: [unfit] },
        { calls: [denied] },
        { text: "I give up." },
      ],
    });
    events = await storedEvents(lab);
  });
  afterAll(() => lab.close());

  it("has oldhand among its MCP servers", () => {
    expect(JSON.stringify(session.requests.map((one) => one.body))).toContain("mcp__oldhand__report");
  });

  it("works as without hooks, and says nothing about them", () => {
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(session.stdout).toContain("I give up.");
    expect(session.stderr).not.toMatch(/hook/i);
  });

  it("tells the session from its start to its stop, each thing once: headless, it does not say that it ends", () => {
    const kinds = events.map((event) => event.kind).toSorted();
    expect(kinds).toEqual([...Array.from({ length: 6 }, () => "call"), "prompt", "session-start", "stop"]);
    expect(new Set(events.map((event) => `${event.host} ${event.workspace} ${event.cwd}`))).toEqual(
      new Set([`qwen ${lab.project} ${lab.project}`]),
    );
    expect(events.find((event) => event.kind === "prompt")?.text).toBe("push my branch");
  });

  it("stores a call that went well", () => {
    expect(call("all is well")).toMatchObject({
      uid: expect.stringMatching(/^call_/),
      tool: shell,
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

  it("stores a command that failed", () => {
    expect(call("psuh")).toMatchObject({
      uid: expect.stringMatching(/^call_/),
      tool: shell,
      head: "git psuh",
      input: failing.input,
      ok: false,
      outcome: "failed",
      benign: false,
      exitCode: 1,
      error: expect.stringMatching(/^git: 'psuh' is not a git command\./),
      signature: expect.stringMatching(/./),
    });
  });

  it("stores calls that fired no hook, from the transcript: unfit ones, and those a permission rule forbade", () => {
    const edit = events.find((event) => event.tool === "edit");
    expect(edit).toMatchObject({ outcome: "failed", error: expect.stringContaining("required property") });
    expect(call("shred")).toMatchObject({
      tool: shell,
      head: "shred",
      outcome: "denied",
      error: expect.stringContaining("denied by permission rules"),
      signature: null,
      model: "scripted",
    });
  });

  it("puts the rule before the model with the result of the call it warns against, once", () => {
    const [, afterWorking, afterFailing] = asked(session);
    expect(JSON.stringify(afterWorking)).not.toContain("oldhand, rule");
    expect(resultsOf(afterFailing).at(-1)).toContain(`oldhand, rule ${learnt.rule.id}: ${advice}`);
    expect(JSON.stringify(asked(session).at(-1)).split("oldhand, rule").length - 1).toBe(1);
  });

  it("adds nothing when the same session is imported from its transcript", () => {
    const [file = ""] = lab.find(".qwen/projects", ".jsonl");
    expect(lab.json("import", file)).toMatchObject({ events: 0 });
  });

  it("gives a mind that had no hooks the same calls and prompt", () => {
    const [file = ""] = lab.find(".qwen/projects", ".jsonl");
    const elsewhere = `${lab.folder}/elsewhere`;
    expect(lab.json("import", file, "--home", elsewhere)).toMatchObject({ sessions: 1, events: 7, failures: 3 });
  });

  it("takes everything back to the byte", () => {
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.read(".qwen", "settings.json")).toBe(qwenSettings);
  });

  it("wires one repository only, and leaves nothing behind", () => {
    expect(lab.oldhand("install", "qwen", "--project", lab.project).status).toBe(0);
    expect(lab.read("..", "project", ".qwen", "settings.json")).toContain("hook qwen");
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.read("..", "project", ".qwen", "settings.json")).toBeNull();
    expect(lab.read(".qwen", "settings.json")).toBe(qwenSettings);
  });
});

function resultsOf(request: ModelRequest | undefined): readonly string[] {
  const { messages } = (request?.body ?? { messages: [] }) as { readonly messages: readonly { role: string }[] };
  return messages.filter((message) => message.role === "tool").map((message) => JSON.stringify(message));
}
