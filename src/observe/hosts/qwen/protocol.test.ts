import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import payloads from "./fixtures/payloads.json" with { type: "json" };
import { readTranscript } from "./transcript.ts";
import { qwenProtocol } from "./protocol.ts";

const policy = defaultPolicy.observe;
const session = fileURLToPath(new URL("fixtures/session.jsonl", import.meta.url));

const common = {
  host: "qwen",
  session: "01f9a935-e8d9-44a8-b077-3cfd6b2415bc",
  cwd: "/home/kim/shop",
  model: null,
  agent: null,
  transcript: "/home/kim/.qwen/projects/-home-kim-shop/chats/01f9a935-e8d9-44a8-b077-3cfd6b2415bc.jsonl",
};

describe("what Qwen Code's hooks tell", () => {
  it("a session begins and stops", () => {
    expect(decode(payloads.SessionStart[0])).toEqual([
      { ...common, model: "fake-model", moment: "session-start", source: "startup" },
    ]);
    expect(decode(payloads.Stop[0])).toEqual([{ ...common, moment: "stop", again: false }]);
  });

  it("a prompt is one prompt, though it is told again without words after every round of tools", () => {
    expect(decode(payloads.UserPromptSubmit[0])).toMatchObject([{ moment: "prompt", prompt: "please work" }]);
    expect(decode(payloads.UserPromptSubmit[1])).toEqual([]);
    expect(decode(payloads.UserPromptSubmit[2])).toEqual([]);
  });

  it("a call is about to run, and only a decision would be heard", () => {
    expect(decode(payloads.PreToolUse[0])).toMatchObject([
      { moment: "before-call", tool: "run_shell_command", callId: "call_1", takes: "decision" },
    ]);
  });

  it("a command that went well, and one that did not", () => {
    expect(decode(payloads.PostToolUse[0])).toMatchObject([
      { moment: "after-call", callId: "call_1", ok: true, durationMs: 19 },
      { moment: "before-call", takes: "context", eventName: "PostToolUse" },
    ]);
    expect(decode(payloads.PostToolUseFailure[0])).toMatchObject([
      { moment: "after-call", callId: "call_2", ok: false, durationMs: 24 },
      { moment: "before-call", takes: "context", eventName: "PostToolUseFailure" },
    ]);
    expect(readingOf(payloads.PostToolUse[0])).toMatchObject({ outcome: "ok", exitCode: 0 });
    expect(readingOf(payloads.PostToolUseFailure[0])).toMatchObject({
      outcome: "failed",
      exitCode: 3,
      error: "cat: nope.txt: No such file or directory",
    });
    expect(readingOf(payloads.PostToolUseFailure[1])).toMatchObject({
      outcome: "failed",
      error: "File not found: /nope/doesnotexist.txt",
    });
  });

  it("a call that its user stopped is no failure", () => {
    expect(readingOf({ ...payloads.PostToolUseFailure[0], is_interrupt: true })).toMatchObject({
      outcome: "interrupted",
    });
  });

  it("what is not known, or is Gemini CLI's, is nothing", () => {
    expect(decode(payloads.Notification[0])).toEqual([]);
    expect(decode("{}")).toEqual([]);
    expect(qwenProtocol.decode(payloads.SessionStart[0], { GEMINI_SESSION_ID: common.session })).toEqual([]);
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads).flat(), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("what Qwen Code is told", () => {
  it("context comes with the result, under the name the result came with", () => {
    const [, late] = decode(payloads.PostToolUseFailure[0]);
    expect(JSON.parse(encode(late, { context: "careful" }))).toEqual({
      hookSpecificOutput: { hookEventName: "PostToolUseFailure", additionalContext: "careful" },
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

describe("Qwen Code's transcript", () => {
  it("tells every call, also those that fired no hook", async () => {
    const items = await itemsOf(session);
    expect(items.map((item) => [item.kind, item.tool, readCall(item).outcome, readCall(item).exitCode])).toEqual([
      ["prompt", null, "ok", null],
      ["call", "run_shell_command", "ok", 0],
      ["call", "run_shell_command", "failed", 3],
      ["call", "run_shell_command", "ok", 0],
      ["call", "write_file", "failed", null],
      ["call", "read_file", "failed", null],
      ["call", "edit", "failed", null],
      ["call", "no_such_tool", "failed", null],
      ["call", "run_shell_command", "failed", null],
    ]);
    expect(items[2]).toMatchObject({
      host: "qwen",
      session: "8a46f092-4091-4d3b-a025-f4c324312bfe",
      cwd: "/home/kim/shop",
      uid: "call_2",
      model: "fake-model",
      error: "cat: nope.txt: No such file or directory",
    });
  });

  it("names a prompt as the hook does", async () => {
    const [prompt] = await itemsOf(session);
    const id = "8a46f092-4091-4d3b-a025-f4c324312bfe########0";
    const [seen] = decode({ ...payloads.UserPromptSubmit[0], prompt_id: id });
    expect(prompt?.uid).toBe(seen && toEvent(seen, { policy, workspace: null, at: 0 })?.uid);
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return qwenProtocol.decode(payload, {});
}

function encode(seen: HookEvent | undefined, reply: Parameters<typeof qwenProtocol.encode>[1]): string {
  if (seen === undefined) throw new Error("nothing was seen");
  return qwenProtocol.encode(seen, reply);
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
