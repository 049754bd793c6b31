import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import payloads from "./fixtures/payloads.json" with { type: "json" };
import { readTranscript } from "./transcript.ts";
import { droidProtocol } from "./protocol.ts";

const policy = defaultPolicy.observe;
const session = fileURLToPath(new URL("fixtures/session.jsonl", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "oldhand-droid-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const common = {
  host: "droid",
  session: "53267fd5-1279-4037-8968-a4bfa6071991",
  cwd: "/home/kim/shop",
  model: null,
  agent: null,
  transcript: "/home/kim/.factory/sessions/-home-kim-shop/53267fd5-1279-4037-8968-a4bfa6071991.jsonl",
};

describe("what droid's hooks tell", () => {
  it("a session begins, stops and ends", () => {
    expect(decode(payloads.SessionStart[0])).toEqual([{ ...common, moment: "session-start", source: "startup" }]);
    expect(decode(payloads.Stop[0])).toEqual([{ ...common, moment: "stop", again: false }]);
    expect(decode(payloads.Stop[1])).toEqual([{ ...common, moment: "stop", again: true }]);
    expect(decode(payloads.SessionEnd[0])).toEqual([{ ...common, moment: "session-end", reason: "other" }]);
  });

  it("a call is about to run, and only a decision would be heard", () => {
    expect(decode(payloads.PreToolUse[0])).toMatchObject([
      { moment: "before-call", tool: "Execute", takes: "decision" },
    ]);
  });

  it("a command went well; that is all a hook after a call is told", () => {
    expect(decode(payloads.PostToolUse[0])).toMatchObject([
      { moment: "after-call", ok: true, exitCode: 0, callId: null },
      { moment: "before-call", takes: "context", eventName: "PostToolUse" },
    ]);
    expect(readingOf(payloads.PostToolUse[0])).toMatchObject({ outcome: "ok", exitCode: 0, head: "echo" });
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads).flat(), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("the hook after a call, with the transcript as it is then", () => {
  const lines = readFileSync(session, "utf8").trim().split("\n");
  const cut = join(folder, "cut.jsonl");
  const input = (command: string) => ({ command, summary: "x", riskLevel: "low", riskLevelReason: "x", timeout: 60 });
  const after = (command: string, id: string) => {
    const end = lines.findIndex((line) => line.includes('"hookEventName":"PostToolUse"') && line.includes(id));
    writeFileSync(cut, lines.slice(0, end).join("\n"));
    return decode({ ...payloads.PostToolUse[0], transcript_path: cut, tool_input: input(command) });
  };

  it("names the call as the transcript does", () => {
    expect(after("echo all is well", "call_7c5c7074b6ac4ed1bf04fc1b")).toMatchObject([
      { moment: "after-call", callId: "call_7c5c7074b6ac4ed1bf04fc1b" },
      { moment: "before-call" },
    ]);
  });

  it("speaks of the calls too that failed since the last one, which fired none", () => {
    expect(after("echo all is well", "call_342d2465513842d78614a286")).toMatchObject([
      { moment: "after-call", callId: "call_342d2465513842d78614a286" },
      { moment: "before-call", input: input("git psuh origin main"), takes: "context" },
      { moment: "before-call", input: input("echo all is well"), takes: "context" },
    ]);
  });

  it("leaves a call to the transcript that is not to be found in it", () => {
    expect(after("ls", "call_7c5c7074b6ac4ed1bf04fc1b")).toMatchObject([{ moment: "before-call" }]);
  });
});

describe("what droid is told", () => {
  it("context comes with a result", () => {
    const [, late] = decode(payloads.PostToolUse[0]);
    expect(JSON.parse(encode(late, { context: "careful" }))).toEqual({
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "careful" },
    });
  });

  it("before a call only a decision is said", () => {
    const [before] = decode(payloads.PreToolUse[0]);
    expect(encode(before, { context: "careful" })).toBe("");
    expect(JSON.parse(encode(before, { decision: { kind: "deny", reason: "never" } }))).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "never",
      },
    });
  });
});

describe("droid's transcript", () => {
  it("tells every call, also those that fired no hook", async () => {
    const items = await itemsOf(session);
    expect(items.map((item) => [item.kind, item.tool, readCall(item).outcome, readCall(item).exitCode])).toEqual([
      ["prompt", null, "ok", null],
      ["call", "Execute", "ok", 0],
      ["call", "Execute", "failed", 1],
      ["call", "Execute", "failed", 1],
      ["call", "Execute", "ok", 0],
      ["call", "Execute", "ok", 0],
      ["call", "Execute", "ok", 0],
      ["call", "Read", "failed", null],
      ["call", "Edit", "failed", null],
      ["call", "Execute", "denied", null],
      ["call", "no_such_tool", "failed", null],
    ]);
    expect(items[0]).toMatchObject({ text: "push my branch" });
    expect(items[2]).toMatchObject({
      host: "droid",
      session: "e77ce359-28a1-46e7-817c-678c899e895c",
      cwd: "/home/kim/shop",
      uid: "call_214fd15b2c594e02b35f319f",
      model: "custom:Fake-0",
    });
    const failed = items[2];
    expect(failed && readCall(failed).error).toMatch(/^git: 'psuh' is not a git command\.[^[]*push$/);
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return droidProtocol.decode(payload, {});
}

function encode(seen: HookEvent | undefined, reply: Parameters<typeof droidProtocol.encode>[1]): string {
  if (seen === undefined) throw new Error("nothing was seen");
  return droidProtocol.encode(seen, reply);
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
