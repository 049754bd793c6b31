import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import type { ModelRequest } from "../../src/testing/scripted-server.ts";
import { openclaw } from "./lab/hosts/openclaw.ts";
import { Lab, type SessionRecord } from "./lab/lab.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { asked } from "./lab/wire.ts";

const { client, shell } = openclaw;
const working = shell("echo all is well");
const failing = shell("git psuh origin main");
const missing = { tool: "read", input: { path: "gone.txt" } };
const unknown = { tool: "no_such_tool", input: { a: 1 } };

const advice = "Push with `git push`; psuh is a slip.";
const alone = loopbackOnly();

describe(`OpenClaw ${client.version}`, () => {
  if (alone === null || client.kind === "absent") {
    const why = client.kind === "absent" ? client.why : "no network namespace can be made here";
    it.skip(`is driven offline (skipped: ${why})`, () => {});
    return;
  }

  const lab = new Lab(client, alone);
  let session: SessionRecord;
  let left: readonly string[] = [];
  let settings: string | null = null;
  let learnt: { readonly rule: { readonly id: string } };
  let events: readonly Event[] = [];
  const call = (name: string) => events.find((event) => JSON.stringify(event.input)?.includes(name));

  beforeAll(async () => {
    openclaw.prepare(lab);
    settings = lab.read(".openclaw", "openclaw.json");
    expect(lab.oldhand("install", "openclaw")).toMatchObject({ status: 0, err: "" });
    expect(lab.oldhand("install", "openclaw").out).toMatch(/^Everything is already in place\.\n/);
    learnt = lab.json("learn", advice, "--command", "git psuh origin main");
    lab.json("learn", "Never touch the lock.", "--command", "touch lock", "--level", "deny");
    lab.json("learn", "Ask before the key is touched.", "--command", "touch key", "--level", "ask");
    session = await lab.session({
      prompt: "push my branch",
      turns: [
        { calls: [working] },
        { calls: [failing] },
        { calls: [failing, working] },
        { calls: [missing] },
        { calls: [unknown] },
        { calls: [shell("touch lock")] },
        { calls: [shell("touch key")] },
        { text: "I give up." },
      ],
    });
    left = lab.processes();
    events = await storedEvents(lab);
  });
  afterAll(() => lab.close());

  it("works as without the plugin", () => {
    expect(session).toMatchObject({ status: 0, remaining: 0, stdout: expect.stringContaining("I give up.\n") });
  });

  it("leaves no process behind", () => {
    expect(left).toEqual([]);
  });

  it("tells the session from its start to its stop, each thing once", () => {
    const kinds = events.map((event) => event.kind).toSorted();
    expect(kinds).toEqual([...Array.from({ length: 8 }, () => "call"), ...["prompt", "session-start", "stop"]]);
    expect(new Set(events.map((event) => `${event.host} ${event.session} ${event.workspace} ${event.cwd}`))).toEqual(
      new Set([`openclaw ${events[0]?.session} ${lab.project} ${lab.project}`]),
    );
    expect(events.find((event) => event.kind === "prompt")?.text).toBe("push my branch");
  });

  it("stores a call that went well, and one that failed", () => {
    expect(call("all is well")).toMatchObject({
      uid: expect.stringMatching(/^call_/),
      tool: "exec",
      head: "echo",
      input: working.input,
      ok: true,
      outcome: "ok",
      error: null,
      model: "scripted",
      agent: null,
      durationMs: expect.any(Number),
    });
    expect(call("psuh")).toMatchObject({
      head: "git psuh",
      outcome: "failed",
      benign: false,
      exitCode: 1,
      error: expect.stringMatching(/^git: 'psuh' is not a git command\./),
    });
  });

  it("stores calls that have no result of their own", () => {
    expect(call("gone.txt")).toMatchObject({ outcome: "failed", error: expect.stringContaining("File not found") });
    expect(events.find((event) => event.tool === "no_such_tool")).toMatchObject({ outcome: "failed" });
    expect(call("touch lock")).toMatchObject({ outcome: "denied", signature: null });
  });

  it("puts the rule before the model with the result of the call it warns against, once", () => {
    const [, afterWorking, afterFailing] = asked(session);
    expect(JSON.stringify(afterWorking)).not.toContain("oldhand, rule");
    expect(resultsOf(afterFailing).at(-1)).toContain(`oldhand, rule ${learnt.rule.id}: ${advice}`);
    expect(JSON.stringify(asked(session).at(-1)).split(advice).length - 1).toBe(1);
  });

  it("denies what a rule denies, and what its owner would have to be asked: nobody can be", () => {
    const results = resultsOf(asked(session).at(-1));
    expect(results.at(-2)).toMatch(/Blocked by a rule: oldhand, rule \S+: Never touch the lock\./);
    expect(results.at(-1)).toMatch(/oldhand, rule \S+: Ask before the key is touched\./);
    expect([existsSync(join(lab.project, "lock")), existsSync(join(lab.project, "key"))]).toEqual([false, false]);
  });

  it("works on when oldhand is gone", async () => {
    const broken = (lab.read(".openclaw", "extensions", "oldhand", "index.js") ?? "").replace(
      "oldhand.cjs",
      "gone.cjs",
    );
    lab.write(broken, ".openclaw", "extensions", "oldhand", "index.js");
    const without = await lab.session({ prompt: "again", turns: [{ calls: [working] }, { text: "All is well." }] });
    expect(without).toMatchObject({ status: 0, remaining: 0, stdout: expect.stringContaining("All is well.\n") });
    expect(lab.oldhand("install", "openclaw").status).toBe(0);
  });

  it("takes everything back", () => {
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.find(".openclaw/extensions", "")).toEqual([]);
    expect(lab.read(".openclaw", "openclaw.json")).toBe(settings);
  });
});

function resultsOf(request: ModelRequest | undefined): readonly string[] {
  const { messages } = (request?.body ?? { messages: [] }) as { readonly messages: readonly { role: string }[] };
  return messages.filter((message) => message.role === "tool").map((message) => JSON.stringify(message));
}
