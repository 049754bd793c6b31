import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import type { ModelRequest } from "../../src/testing/scripted-server.ts";
import { opencode, opencodeSettings } from "./lab/hosts/opencode.ts";
import { Lab, type SessionRecord } from "./lab/lab.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { asked } from "./lab/wire.ts";

const shell = (command: string) => ({ tool: "bash", input: { command, description: "as asked" } });
const working = shell("echo all is well");
const failing = shell("git psuh origin main");
const denied = shell("shred notes.txt");
const missing = { tool: "read", input: { filePath: "/nowhere/gone.txt" } };
const unknown = { tool: "no_such_tool", input: { a: 1 } };
const task = { tool: "task", input: { description: "look", prompt: "look around", subagent_type: "general" } };
const inTask = shell("echo from below");

const advice = "Push with `git push`; psuh is a slip.";
const lateAdvice = "Nothing is shredded here.";

const alone = loopbackOnly();
const { client } = opencode;

describe(`opencode ${client.version}`, () => {
  if (alone === null || client.kind === "absent") {
    const why = client.kind === "absent" ? client.why : "no network namespace can be made here";
    it.skip(`is driven offline (skipped: ${why})`, () => {});
    return;
  }

  const lab = new Lab(client, alone);
  let session: SessionRecord;
  let left: readonly string[] = [];
  let learnt: { readonly rule: { readonly id: string } };
  let events: readonly Event[] = [];
  const call = (name: string) => events.find((event) => JSON.stringify(event.input)?.includes(name));

  beforeAll(async () => {
    opencode.prepare(lab);
    expect(lab.oldhand("install", "opencode")).toMatchObject({ status: 0, err: "" });
    expect(lab.oldhand("install", "opencode").out).toMatch(/^Everything is already in place\.\n/);
    learnt = lab.json("learn", advice, "--command", "git psuh origin main");
    lab.json("learn", lateAdvice, "--command", "shred notes.txt");
    session = await lab.session({
      prompt: "push my branch",
      turns: [
        { calls: [working] },
        { calls: [failing] },
        { calls: [failing, working] },
        { calls: [missing] },
        { calls: [unknown] },
        { calls: [denied] },
        { calls: [task] },
        { calls: [inTask] },
        { text: "Nothing here." },
        { text: "I give up." },
      ],
    });
    left = lab.processes();
    events = await storedEvents(lab);
  });
  afterAll(() => lab.close());

  it("has oldhand among its MCP servers", () => {
    expect(JSON.stringify(session.requests.map((one) => one.body))).toContain("oldhand_report");
  });

  it("works as without the plugin, and says nothing about it", () => {
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(session.stdout).toContain("I give up.");
    expect(session.stderr).not.toMatch(/plugin/i);
  });

  it("leaves no process behind", () => {
    expect(left).toEqual([]);
  });

  it("tells the session from its start to its end, each thing once", () => {
    const kinds = events.map((event) => event.kind).toSorted();
    expect(kinds).toEqual([
      ...Array.from({ length: 9 }, () => "call"),
      ...["prompt", "session-end", "session-start", "stop"],
    ]);
    expect(new Set(events.map((event) => `${event.host} ${event.session} ${event.workspace} ${event.cwd}`))).toEqual(
      new Set([`opencode ${events[0]?.session} ${lab.project} ${lab.project}`]),
    );
    // opencode's own command line puts a prompt of several words into quotes.
    expect(events.find((event) => event.kind === "prompt")?.text).toBe('"push my branch"');
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
      model: "scripted",
      agent: null,
      durationMs: expect.any(Number),
    });
  });

  it("stores a command that failed, though opencode calls it completed", () => {
    expect(call("psuh")).toMatchObject({
      tool: "bash",
      head: "git psuh",
      input: failing.input,
      outcome: "failed",
      benign: false,
      exitCode: 1,
      error: expect.stringMatching(/^git: 'psuh' is not a git command\./),
      signature: expect.stringMatching(/./),
    });
  });

  it("stores calls for which no hook is called: of a tool that threw, and one that a permission forbade", () => {
    expect(call("gone.txt")).toMatchObject({
      tool: "read",
      outcome: "failed",
      error: expect.stringContaining("gone.txt"),
    });
    expect(call("shred")).toMatchObject({
      tool: "bash",
      head: "shred",
      outcome: "denied",
      error: expect.stringMatching(/^The user has specified a rule which prevents you/),
      signature: null,
    });
  });

  it("stores a call of a tool that does not exist as a failure", () => {
    expect(call("no_such_tool")).toMatchObject({ tool: "invalid", outcome: "failed" });
  });

  it("tells a sub-agent's calls from the agent's own", () => {
    const own = call("from below");
    expect(own).toMatchObject({ outcome: "ok", agent: expect.stringMatching(/^ses_/) });
    expect(own?.session).toBe(call("all is well")?.session);
    expect(own?.agent).not.toBe(own?.session);
  });

  it("puts the rule before the model with the result of the call it warns against, once", () => {
    const [, afterWorking, afterFailing] = asked(session);
    expect(JSON.stringify(afterWorking)).not.toContain("oldhand, rule");
    expect(resultsOf(afterFailing).at(-1)).toContain(`oldhand, rule ${learnt.rule.id}: ${advice}`);
    expect(JSON.stringify(asked(session).at(-1)).split(advice).length - 1).toBe(1);
  });

  it("puts it with the error where the call itself had no result", () => {
    const [told, ...others] = resultsOf(asked(session).at(-1)).filter((one) => one.includes(lateAdvice));
    expect(others).toEqual([]);
    expect(told).toMatch(/prevents you from using this specific tool call.*<oldhand>/s);
    expect(JSON.stringify(asked(session).at(-1)).split(lateAdvice).length - 1).toBe(1);
  });

  it("adds nothing when the same session is imported from opencode's database", () => {
    expect(lab.json("import", "--from", "opencode", database(lab))).toMatchObject({ events: 0 });
  });

  it("gives a mind that had no plugin the same calls and prompt", () => {
    const elsewhere = `${lab.folder}/elsewhere`;
    expect(lab.json("import", "--from", "opencode", database(lab), "--home", elsewhere)).toMatchObject({
      sessions: 1,
      events: 10,
      failures: 4,
    });
  });

  it("denies what a rule denies, and what its owner would have to be asked: nobody can be", async () => {
    lab.json("learn", "Never touch the lock.", "--command", "touch lock", "--level", "deny");
    lab.json("learn", "Ask before the key is touched.", "--command", "touch key", "--level", "ask");
    const again = await lab.session({
      prompt: "touch both",
      turns: [{ calls: [shell("touch lock")] }, { calls: [shell("touch key")] }, { text: "Done." }],
    });
    const [, refused, told] = asked(again);
    expect(resultsOf(refused).at(-1)).toMatch(/Blocked by a rule: oldhand, rule \S+: Never touch the lock\./);
    expect(resultsOf(told).at(-1)).toMatch(/oldhand, rule \S+: Ask before the key is touched\./);
    expect([existsSync(join(lab.project, "lock")), existsSync(join(lab.project, "key"))]).toEqual([false, false]);
    const stored = await storedEvents(lab);
    expect(stored.find((event) => JSON.stringify(event.input)?.includes("touch lock"))).toMatchObject({
      outcome: "denied",
      signature: null,
    });
  });

  it("works on when oldhand is gone", async () => {
    lab.write(brokenPlugin(lab), ".config", "opencode", "plugins", "oldhand.js");
    const without = await lab.session({ prompt: "again", turns: [{ calls: [working] }, { text: "All is well." }] });
    expect(without).toMatchObject({ status: 0, remaining: 0 });
    expect(lab.oldhand("install", "opencode").status).toBe(0);
  });

  it("takes everything back", () => {
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.read(".config", "opencode", "opencode.json")).toBe(opencodeSettings);
    expect(existsSync(join(lab.home, ".config", "opencode", "plugins"))).toBe(false);
  });

  it("wires one repository only, and leaves nothing behind", () => {
    expect(lab.oldhand("install", "opencode", "--project", lab.project).status).toBe(0);
    expect(lab.read("..", "project", ".opencode", "plugins", "oldhand.js")).toContain('"opencode"');
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(existsSync(join(lab.project, ".opencode"))).toBe(false);
  });
});

function database(lab: Lab): string {
  return join(lab.home, ".local", "share", "opencode", "opencode.db");
}

function brokenPlugin(lab: Lab): string {
  return (lab.read(".config", "opencode", "plugins", "oldhand.js") ?? "").replace("oldhand.cjs", "gone.cjs");
}

function resultsOf(request: ModelRequest | undefined): readonly string[] {
  const { messages } = (request?.body ?? { messages: [] }) as { readonly messages: readonly { role: string }[] };
  return messages.filter((message) => message.role === "tool").map((message) => JSON.stringify(message));
}
