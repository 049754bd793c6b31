import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import type { InstallTarget, TranscriptItem } from "../../protocol/host.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import payloads from "./fixtures/payloads.json" with { type: "json" };
import { clineSetup } from "./setup.ts";
import { readTranscript } from "./transcript.ts";
import { clineProtocol } from "./protocol.ts";

const policy = defaultPolicy.observe;
const session = fileURLToPath(new URL("fixtures/session.messages.json", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "oldhand-cline-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const id = "1794769450066_a3vms";
const common = {
  host: "cline",
  session: id,
  cwd: "/home/kim/shop",
  model: null,
  agent: null,
  transcript: join("/home/kim", ".cline", "data", "sessions", id, `${id}.messages.json`),
};

describe("what Cline's hooks tell", () => {
  it("a session begins, stops and ends", () => {
    expect(decode(payloads.TaskStart[0])).toEqual([{ ...common, moment: "session-start", source: null }]);
    expect(decode(payloads.TaskComplete[0])).toEqual([{ ...common, moment: "stop", again: false }]);
    expect(decode(payloads.SessionShutdown[0])).toMatchObject([{ moment: "session-end", reason: null }]);
  });

  it("a call is about to run, and no decision is asked for: the only one there is would end the run", () => {
    expect(decode(payloads.PreToolUse[0])).toEqual([
      {
        ...common,
        moment: "before-call",
        tool: "run_commands",
        input: { commands: ["echo hello-ok"] },
        callId: "call_1",
        takes: "context",
      },
    ]);
  });

  it("a command that went well, one that did not though the host says so, an unfit call and a denied one", () => {
    expect(decode(payloads.PostToolUse[0])).toMatchObject([{ callId: "call_1", ok: true, durationMs: 68 }]);
    expect(readingOf(payloads.PostToolUse[0])).toMatchObject({ outcome: "ok", head: "echo", text: "hello-ok\n" });
    expect(readingOf(payloads.PostToolUse[1])).toMatchObject({
      outcome: "failed",
      exitCode: 3,
      error: "cat: nope.txt: No such file or directory",
    });
    expect(readingOf(payloads.PostToolUse[2])).toMatchObject({
      outcome: "failed",
      error: expect.stringContaining("Invalid input"),
    });
    expect(readingOf(payloads.PostToolUse[3])).toMatchObject({ outcome: "denied", signature: null });
  });

  it("a sub-agent's call is its own; its beginning is not the session's", () => {
    const agent = { agent_id: "a2", parent_agent_id: "a1" };
    expect(decode({ ...payloads.PreToolUse[0], ...agent })).toMatchObject([{ session: id, agent: "a2" }]);
    expect(decode({ ...payloads.TaskStart[0], ...agent })).toEqual([]);
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads).flat(), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("what Cline is told", () => {
  it("is context around a call, and never a decision", () => {
    const [before] = decode(payloads.PreToolUse[0]);
    expect(encode(before, { context: "careful" })).toBe('{"contextModification":"careful"}');
    expect(encode(before, { decision: { kind: "deny", reason: "never" } })).toBe("");
    expect(encode(decode(payloads.TaskStart[0])[0], { context: "careful" })).toBe("");
  });
});

describe("Cline's transcript", () => {
  it("tells every call, also the one that fired no hook", async () => {
    const items = await itemsOf(session);
    expect(items.map((item) => [item.kind, item.tool, readCall(item).outcome, readCall(item).exitCode])).toEqual([
      ["prompt", null, "ok", null],
      ["call", "run_commands", "ok", null],
      ["call", "run_commands", "failed", 1],
      ["call", "run_commands", "failed", 1],
      ["call", "run_commands", "ok", null],
      ["call", "run_commands", "ok", null],
      ["call", "read_files", "failed", null],
      ["call", "editor", "failed", null],
      ["call", "no_such_tool", "failed", null],
    ]);
    expect(items[0]).toMatchObject({ text: "push my branch" });
    const [, , failed] = items;
    expect(failed).toMatchObject({
      host: "cline",
      session: "1794782077957_2ld0l",
      cwd: "/home/kim/shop",
      uid: "call_6b2853f6d96c45a984cc1f21",
      model: "scripted",
    });
    expect(failed && readCall(failed).error).toMatch(/^git: 'psuh' is not a git command\./);
  });
});

describe("a hook of Cline's", () => {
  const place: InstallTarget = {
    userHome: folder,
    home: join(folder, ".oldhand"),
    project: null,
    command: ["/usr/bin/node", "/opt/oldhand.cjs", "hook", "cline"],
    env: {},
    platform: "linux",
  };
  const names = (at: InstallTarget) => clineSetup.plan(at).map((file) => file.path.slice(folder.length + 1));

  it("takes a name that nobody has", () => {
    expect(names(place)[0]).toBe(join(".cline", "hooks", "TaskStart.bash"));
    mkdirSync(join(folder, ".cline", "hooks"), { recursive: true });
    writeFileSync(join(folder, ".cline", "hooks", "TaskStart.bash"), "echo mine\n");
    expect(names(place)[0]).toBe(join(".cline", "hooks", "TaskStart.zsh"));
    expect(names({ ...place, platform: "win32" })[0]).toBe(join(".cline", "hooks", "TaskStart.cjs"));
  });

  it("is taken out of what others added to it", () => {
    for (const platform of ["linux", "win32"] as const) {
      const [file] = clineSetup.plan({ ...place, platform });
      expect(clineSetup.without?.(file?.after ?? "")).toBe("");
      expect(clineSetup.without?.(`echo mine\n${file?.after}`)).toBe("echo mine\n");
    }
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return clineProtocol.decode(payload, { HOME: "/home/kim" });
}

function encode(seen: HookEvent | undefined, reply: Parameters<typeof clineProtocol.encode>[1]): string {
  if (seen === undefined) throw new Error("nothing was seen");
  return clineProtocol.encode(seen, reply);
}

function readingOf(payload: unknown) {
  const [after] = decode(payload);
  const event = after && toEvent(after, { policy, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}

async function itemsOf(path: string): Promise<readonly TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for await (const item of readTranscript(path, policy)) items.push(item);
  return items;
}
