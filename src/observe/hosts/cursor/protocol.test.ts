import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { Reply, HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import fixtures from "./fixtures/payloads.json" with { type: "json" };
import { cursorProtocol } from "./protocol.ts";

/** Written from the host's documentation; no real payload was observed. */
const { payloads } = fixtures;

describe("what Cursor's hooks tell", () => {
  const common = { host: "cursor", session: "6130c625-1b9e-4f7a-a1a2-0c9d2c1f4e11", model: "gpt-5", transcript: null };

  it("a session begins, stops and ends", () => {
    expect(decode(payloads.sessionStart)).toMatchObject([
      { ...common, moment: "session-start", cwd: "/home/kim/shop" },
    ]);
    expect(decode(payloads.stop)).toMatchObject([{ ...common, moment: "stop", again: false }]);
    expect(decode({ ...payloads.stop, loop_count: 1 })).toMatchObject([{ moment: "stop", again: true }]);
    expect(decode(payloads.sessionEnd)).toMatchObject([{ ...common, moment: "session-end", reason: "completed" }]);
  });

  it("a prompt is known by its generation, a call by its id", () => {
    expect(decode(payloads.beforeSubmitPrompt)).toMatchObject([
      { ...common, moment: "prompt", prompt: "push my branch", promptId: "b0f7d2e4" },
    ]);
    expect(decode(payloads.preToolUse)).toMatchObject([
      { ...common, moment: "before-call", tool: "Shell", callId: "toolu_1", cwd: "/home/kim/shop/web" },
    ]);
  });

  it("a command that failed is told like one that did not, with its exit code in the text", () => {
    expect(decode(payloads.postToolUse)).toMatchObject([
      { moment: "after-call", ok: true, exitCode: 0, text: "On branch main", durationMs: 31 },
    ]);
    expect(readingOf(payloads.postToolUse)).toMatchObject({ outcome: "ok", head: "git status" });
    expect(readingOf(payloads.exit1)).toMatchObject({ outcome: "failed", exitCode: 1, head: "git psuh" });
  });

  it("a file that speaks of exit codes is no failure", () => {
    expect(readingOf(payloads.read)).toMatchObject({ outcome: "ok", exitCode: null });
  });

  it("what a failure came from is told beside it", () => {
    expect(readingOf(payloads.postToolUseFailure).outcome).toBe("failed");
    expect(readingOf(payloads.denied).outcome).toBe("denied");
    expect(readingOf(payloads.interrupted).outcome).toBe("interrupted");
  });

  it("a call that its own event tells again is not seen twice", () => {
    expect(decode(payloads.afterShellExecution)).toEqual([]);
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("what Cursor is told", () => {
  it("context in its own words", () => {
    expect(said(payloads.preToolUse, { context: "careful" })).toEqual({ additional_context: "careful" });
  });

  it("a refusal, with its reason for both who read it", () => {
    expect(said(payloads.preToolUse, { context: "careful", decision: { kind: "deny", reason: "never" } })).toEqual({
      permission: "deny",
      user_message: "never",
      agent_message: "never\ncareful",
    });
  });

  it("a question becomes a context, and at a stop nothing is said", () => {
    expect(said(payloads.preToolUse, { decision: { kind: "ask", reason: "really?" } })).toEqual({
      additional_context: "really?",
    });
    expect(
      said(payloads.preToolUse, { decision: { kind: "ask", reason: "really?" }, context: "really?\nmore" }),
    ).toEqual({
      additional_context: "really?\nmore",
    });
    expect(said(payloads.stop, { context: "careful" })).toBeNull();
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return cursorProtocol.decode(payload, {});
}

function said(payload: unknown, reply: Reply): unknown {
  const [first] = decode(payload);
  if (first === undefined) throw new Error("nothing was seen");
  const text = cursorProtocol.encode(first, reply);
  return text === "" ? null : JSON.parse(text);
}

function readingOf(payload: unknown) {
  const [after] = decode(payload);
  const event = after && toEvent(after, { policy: defaultPolicy.observe, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}
