import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import payloads from "./fixtures/payloads.json" with { type: "json" };
import { readTranscript } from "./transcript.ts";
import { piProtocol } from "./protocol.ts";

const policy = defaultPolicy.observe;
const session = fileURLToPath(new URL("fixtures/session.jsonl", import.meta.url));
const [start] = payloads.session_start;

const common = {
  host: "pi",
  session: start?.session,
  cwd: "/home/kim/shop",
  model: "scripted",
  agent: null,
  hasScreen: false,
  transcript: start?.transcript,
};
const withoutScreen = { ...common, hasScreen: false };

describe("what pi tells through our extension", () => {
  it("a session begins, is asked something, stops and ends", () => {
    expect(decode(start)).toEqual([{ ...withoutScreen, moment: "session-start", source: "startup" }]);
    expect(decode(payloads.message_end[0])).toMatchObject([
      { ...common, moment: "prompt", prompt: "push my branch", only: "stored" },
    ]);
    expect(decode(payloads.agent_settled[0])).toEqual([
      { ...withoutScreen, moment: "stop", again: false, only: "stored" },
    ]);
    expect(decode(payloads.session_shutdown[0])).toEqual([{ ...withoutScreen, moment: "session-end", reason: "quit" }]);
  });

  it("a prompt and a stop are told once more, to be answered", () => {
    const payload = { ...start, prompt: "push my branch", again: true };
    expect(decode({ ...payload, hook: "before_agent_start" })).toMatchObject([
      { ...common, moment: "prompt", prompt: "push my branch", only: "heard" },
    ]);
    expect(decode({ ...payload, hook: "agent_before_settle" })).toEqual([
      { ...withoutScreen, moment: "stop", again: true, only: "heard" },
    ]);
  });

  it("a call is about to run, and only a decision would be heard", () => {
    expect(decode(payloads.tool_call[0])).toMatchObject([
      { moment: "before-call", tool: "bash", input: { command: "echo all is well" }, takes: "decision" },
    ]);
  });

  it("a result takes what was not heard before", () => {
    expect(decode(payloads.tool_result[0])).toMatchObject([
      { moment: "after-call", tool: "bash", ok: true, text: "all is well\n" },
      { moment: "before-call", takes: "context" },
    ]);
  });

  it("a command that failed, with its exit code", () => {
    expect(readingOf(payloads.tool_result[1])).toMatchObject({
      outcome: "failed",
      exitCode: 1,
      error: expect.stringMatching(/^git: 'psuh' is not a git command[^]*push$/),
    });
  });

  it("calls that never ran: unfit, blocked, of a tool that is none", () => {
    const [unfit, blocked, none] = payloads.tool_execution_end;
    expect(readingOf(unfit)).toMatchObject({ outcome: "failed", error: expect.stringMatching(/^Validation failed/) });
    expect(readingOf(blocked)).toMatchObject({ outcome: "denied", head: "shred" });
    expect(readingOf(none)).toMatchObject({ outcome: "failed", error: "Tool no_such_tool not found" });
  });

  it("what is not known is nothing", () => {
    expect(decode({ hook: "turn_end", session: "1" })).toEqual([]);
    expect(decode("{}")).toEqual([]);
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads).flat(), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("what our extension is told", () => {
  it("context with the result, and before a call a decision alone", () => {
    const [, late] = decode(payloads.tool_result[0]);
    expect(JSON.parse(encode(late, { context: "careful" }))).toEqual({ context: "careful" });
    const [before] = decode(payloads.tool_call[0]);
    expect(encode(before, { context: "careful" })).toBe("");
    expect(JSON.parse(encode(before, { decision: { kind: "deny", reason: "never" } }))).toEqual({
      deny: "Blocked by a rule: never",
    });
    expect(JSON.parse(encode(before, { decision: { kind: "ask", reason: "sure?" } }))).toEqual({ context: "sure?" });
  });
});

describe("pi's transcript", () => {
  it("tells every call and the prompt under the names that the extension gave them", async () => {
    const items = await itemsOf(session);
    expect(items.map((item) => [item.kind, item.tool, readCall(item).outcome, readCall(item).exitCode])).toEqual([
      ["prompt", null, "ok", null],
      ["call", "bash", "ok", null],
      ["call", "bash", "failed", 1],
      ["call", "read", "failed", null],
      ["call", "edit", "failed", null],
      ["call", "bash", "denied", null],
      ["call", "no_such_tool", "failed", null],
    ]);
    const uids = [payloads.message_end, payloads.tool_result, payloads.tool_execution_end].flat().map(uidOf);
    expect(new Set(items.map((item) => item.uid))).toEqual(new Set(uids));
    expect(new Set(items.map((item) => `${item.session} ${item.cwd}`))).toEqual(
      new Set([`${common.session} ${common.cwd}`]),
    );
  });
});

function uidOf(payload: unknown): string | undefined {
  const [first] = decode(payload);
  return (first && toEvent(first, { policy, workspace: null, at: 0 }))?.uid;
}

function decode(payload: unknown): readonly HookEvent[] {
  return piProtocol.decode(payload, {});
}

function encode(seen: HookEvent | undefined, reply: Parameters<typeof piProtocol.encode>[1]): string {
  if (seen === undefined) throw new Error("nothing was seen");
  return piProtocol.encode(seen, reply);
}

function readingOf(payload: unknown) {
  const [first] = decode(payload);
  const event = first && toEvent(first, { policy, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}

async function itemsOf(path: string): Promise<readonly TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for await (const item of readTranscript(path, policy)) items.push(item);
  return items;
}
