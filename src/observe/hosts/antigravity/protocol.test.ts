import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { Reply, HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import fixtures from "./fixtures/payloads.json" with { type: "json" };
import { antigravityProtocol } from "./protocol.ts";

/** Written from the host's documentation; no real payload was observed. */
const { payloads } = fixtures;

describe("what Antigravity's hooks tell", () => {
  const common = { host: "antigravity", session: "8f2c6a1e", cwd: "/home/kim/shop", model: "gemini-3-pro" };

  it("a call, before and after, by the number of its step", () => {
    expect(decode(payloads.PreToolUse)).toMatchObject([
      { ...common, moment: "before-call", tool: "run_command", callId: "8f2c6a1e:4", takes: "decision" },
    ]);
    expect(decode(payloads.PostToolUse)).toMatchObject([
      { ...common, moment: "after-call", tool: "run_command", callId: "8f2c6a1e:4", ok: false },
    ]);
    expect(readingOf(payloads.PostToolUse)).toMatchObject({ outcome: "failed", head: "git psuh" });
    expect(readingOf(payloads.well)).toMatchObject({ outcome: "ok" });
  });

  it("a stop; and nothing of a model that is about to be asked", () => {
    expect(decode(payloads.Stop)).toMatchObject([{ ...common, moment: "stop" }]);
    expect(decode(payloads.PreInvocation)).toEqual([]);
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("what Antigravity is told", () => {
  it("a call that nothing is said of is allowed in so many words", () => {
    expect(silence(payloads.PreToolUse)).toEqual({ decision: "allow" });
    expect(said(payloads.PreToolUse, { context: "careful" })).toEqual({ decision: "allow" });
  });

  it("so is one that could not be understood, or read at all", () => {
    expect(silence({ toolCall: 1 })).toEqual({ decision: "allow" });
    expect(silence(undefined)).toEqual({ decision: "allow" });
  });

  it("no word that another event does not know", () => {
    expect([payloads.PostToolUse, payloads.Stop, payloads.PreInvocation, null].map(silence)).toEqual([{}, {}, {}, {}]);
  });

  it("a decision, with its reason", () => {
    expect(said(payloads.PreToolUse, { decision: { kind: "deny", reason: "never" } })).toEqual({
      decision: "deny",
      reason: "never",
    });
    expect(said(payloads.PreToolUse, { decision: { kind: "ask", reason: "really?" } })).toEqual({
      decision: "ask",
      reason: "really?",
    });
    expect(
      said(payloads.PreToolUse, { decision: { kind: "ask", reason: "really?" }, context: "really?\nmore" }),
    ).toEqual({
      decision: "ask",
      reason: "really?\nmore",
    });
  });

  it("10,000 malformed payloads are answered, and none of them with a no", () => {
    for (const payload of malformed(Object.values(payloads), 10_000))
      expect(['{"decision":"allow"}', "{}"]).toContain(antigravityProtocol.defaultReply?.(payload));
  });
});

function silence(payload: unknown): unknown {
  return JSON.parse(antigravityProtocol.defaultReply?.(payload) ?? "");
}

function decode(payload: unknown): readonly HookEvent[] {
  return antigravityProtocol.decode(payload, {});
}

function said(payload: unknown, reply: Reply): unknown {
  const [first] = decode(payload);
  if (first === undefined) throw new Error("nothing was seen");
  const text = antigravityProtocol.encode(first, reply);
  return text === "" ? null : JSON.parse(text);
}

function readingOf(payload: unknown) {
  const [after] = decode(payload);
  const event = after && toEvent(after, { policy: defaultPolicy.observe, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}
