import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import type { ModelRequest } from "../../src/testing/scripted-server.ts";
import { pi } from "./lab/hosts/pi.ts";
import { Lab, type SessionRecord } from "./lab/lab.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { asked } from "./lab/wire.ts";

const shell = (command: string) => ({ tool: "bash", input: { command } });
const working = shell("echo all is well");
const failing = shell("git psuh origin main");
const missing = { tool: "read", input: { path: "gone.txt" } };
const unfit = { tool: "edit", input: { path: "notes.txt" } };
const unknown = { tool: "no_such_tool", input: { a: 1 } };
const blocked = shell("shred notes.txt");

const advice = "Push with `git push`; psuh is a slip.";
const lateAdvice = "Nothing is shredded here.";

/** pi asks nobody's leave; who wants that has an extension for it. */
const guard = `export default (pi) => {
  pi.on("tool_call", async ({ input }) =>
    input.command?.includes("shred") ? { block: true, reason: "Blocked by policy: no shredding" } : undefined);
};
`;

const alone = loopbackOnly();
const { client } = pi;

describe(`pi ${client.version}`, () => {
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
    lab.write(guard, ".pi", "agent", "extensions", "guard.ts");
    expect(lab.oldhand("install", "pi")).toMatchObject({ status: 0, err: "" });
    expect(lab.oldhand("install", "pi").out).toMatch(/^Everything is already in place\.\n/);
    learnt = lab.json("learn", advice, "--command", "git psuh origin main");
    lab.json("learn", lateAdvice, "--command", "shred notes.txt");
    session = await lab.session({
      prompt: "push my branch",
      turns: [
        { calls: [working] },
        { calls: [failing] },
        { calls: [failing, working] },
        { calls: [missing, unfit] },
        { calls: [unknown] },
        { calls: [blocked] },
        { calls: [working] },
        { text: "I give up." },
      ],
    });
    left = lab.processes();
    events = await storedEvents(lab);
  });
  afterAll(() => lab.close());

  it("works as without the extension, and says nothing about it", () => {
    expect(session).toMatchObject({ status: 0, remaining: 0, stderr: "" });
    expect(session.stdout).toBe("I give up.\n");
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
      new Set([`pi ${events[0]?.session} ${lab.project} ${lab.project}`]),
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
      error: null,
      signature: null,
      model: "scripted",
      agent: null,
      durationMs: expect.any(Number),
    });
  });

  it("stores a command that failed", () => {
    expect(call("psuh")).toMatchObject({
      tool: "bash",
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

  it("stores calls that have no result of their own: unfit, unknown, and blocked ones", () => {
    expect(call("gone.txt")).toMatchObject({
      tool: "read",
      outcome: "failed",
      error: expect.stringContaining("ENOENT"),
    });
    expect(events.find((event) => event.tool === "edit")).toMatchObject({ outcome: "failed", input: unfit.input });
    expect(events.find((event) => event.tool === "no_such_tool")).toMatchObject({ outcome: "failed" });
    expect(call("shred")).toMatchObject({
      tool: "bash",
      head: "shred",
      outcome: "denied",
      error: "Blocked by policy: no shredding",
      signature: null,
    });
  });

  it("puts the rule before the model with the result of the call it warns against, once", () => {
    const [, afterWorking, afterFailing] = asked(session);
    expect(JSON.stringify(afterWorking)).not.toContain("oldhand, rule");
    expect(resultsOf(afterFailing).at(-1)).toContain(`oldhand, rule ${learnt.rule.id}: ${advice}`);
    expect(JSON.stringify(asked(session).at(-1)).split(advice).length - 1).toBe(1);
  });

  it("puts it with the next result where the call itself had none", () => {
    expect(resultsOf(asked(session).at(-1)).at(-1)).toContain(lateAdvice);
    expect(JSON.stringify(asked(session).at(-1)).split(lateAdvice).length - 1).toBe(1);
  });

  it("adds nothing when the same session is imported from its transcript", () => {
    const [file = ""] = lab.find(".pi/agent/sessions", ".jsonl");
    expect(lab.json("import", file)).toMatchObject({ events: 0 });
  });

  it("gives a mind that had no extension the same calls and prompt", () => {
    const [file = ""] = lab.find(".pi/agent/sessions", ".jsonl");
    const elsewhere = `${lab.folder}/elsewhere`;
    expect(lab.json("import", file, "--home", elsewhere)).toMatchObject({ sessions: 1, events: 10, failures: 5 });
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
    const broken = (lab.read(".pi", "agent", "extensions", "oldhand.ts") ?? "").replace("oldhand.cjs", "gone.cjs");
    lab.write(broken, ".pi", "agent", "extensions", "oldhand.ts");
    const without = await lab.session({ prompt: "again", turns: [{ calls: [working] }, { text: "All is well." }] });
    expect(without).toMatchObject({ status: 0, remaining: 0, stderr: "" });
    expect(lab.oldhand("install", "pi").status).toBe(0);
  });

  it("takes everything back", () => {
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.tree(".pi/agent/extensions")).toEqual({ ".pi/agent/extensions/guard.ts": guard });
  });

  it("wires one repository only, says that pi has to trust it, and leaves nothing behind", () => {
    const installed = lab.oldhand("install", "pi", "--project", lab.project);
    expect(installed).toMatchObject({ status: 0, out: expect.stringContaining("only if the project is trusted") });
    expect(lab.read("..", "project", ".pi", "extensions", "oldhand.ts")).toContain('"pi"');
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(existsSync(join(lab.project, ".pi"))).toBe(false);
  });
});

function resultsOf(request: ModelRequest | undefined): readonly string[] {
  const { messages } = (request?.body ?? { messages: [] }) as { readonly messages: readonly { role: string }[] };
  return messages.filter((message) => message.role === "tool").map((message) => JSON.stringify(message));
}
