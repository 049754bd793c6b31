import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { Reply, HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import fixtures from "./fixtures/payloads.json" with { type: "json" };
import { devinProtocol } from "./protocol.ts";

/** Written from the host's documentation; no real payload was observed. */
const { payloads } = fixtures;

describe("what Devin's hooks tell", () => {
  const common = { host: "devin", session: "dev-1", cwd: "/home/kim/shop" };

  it("a session with a prompt", () => {
    expect(decode(payloads.SessionStart)).toMatchObject([{ ...common, moment: "session-start", source: "startup" }]);
    expect(decode(payloads.UserPromptSubmit)).toMatchObject([
      { ...common, moment: "prompt", prompt: "push my branch" },
    ]);
    expect(decode(payloads.Stop)).toMatchObject([{ ...common, moment: "stop", again: false }]);
    expect(decode(payloads.SessionEnd)).toMatchObject([{ ...common, moment: "session-end", reason: "exit" }]);
    expect(decode(payloads.PostCompaction)).toEqual([]);
  });

  it("calls, by their ids", () => {
    expect(decode(payloads.PreToolUse)).toMatchObject([{ ...common, moment: "before-call", callId: "call_1" }]);
    expect(readingOf(payloads.PostToolUse)).toMatchObject({
      outcome: "ok",
      head: "git status",
      text: "On branch main",
    });
    expect(readingOf(payloads.failed)).toMatchObject({ outcome: "failed", head: "git psuh" });
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("what Devin is told", () => {
  it("context in the envelope of Claude Code", () => {
    expect(said(payloads.PreToolUse, { context: "careful" })).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "careful" },
    });
  });

  it("a refusal blocks; a question becomes a context", () => {
    expect(said(payloads.PreToolUse, { context: "careful", decision: { kind: "deny", reason: "never" } })).toEqual({
      decision: "block",
      reason: "never\ncareful",
    });
    expect(said(payloads.PreToolUse, { decision: { kind: "ask", reason: "really?" } })).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "really?" },
    });
    expect(
      said(payloads.PreToolUse, { decision: { kind: "ask", reason: "really?" }, context: "really?\nmore" }),
    ).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "really?\nmore" },
    });
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return devinProtocol.decode(payload, {});
}

function said(payload: unknown, reply: Reply): unknown {
  const [first] = decode(payload);
  if (first === undefined) throw new Error("nothing was seen");
  const text = devinProtocol.encode(first, reply);
  return text === "" ? null : JSON.parse(text);
}

function readingOf(payload: unknown) {
  const [after] = decode(payload);
  const event = after && toEvent(after, { policy: defaultPolicy.observe, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}
