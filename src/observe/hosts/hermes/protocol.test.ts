import { describe, expect, it } from "vitest";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import { defaultPolicy } from "../../../domain/policy.ts";
import type { Reply, HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import fixtures from "./fixtures/payloads.json" with { type: "json" };
import { hermesProtocol } from "./protocol.ts";

/** Written from the host's documentation; no real payload was observed. */
const { payloads } = fixtures;
const common = { host: "hermes", session: "sess_abc123", cwd: "/home/kim/shop", agent: null, transcript: null };
const model = "anthropic/claude-sonnet-4.6";

describe("what Hermes' hooks tell", () => {
  it("its first turn begins a session, and the next does not", () => {
    expect(decode(payloads.firstTurn)).toEqual([
      { ...common, model, moment: "session-start", source: "startup" },
      { ...common, model, moment: "prompt", prompt: "push my branch", promptId: "turn_1" },
    ]);
    expect(decode(payloads.nextTurn)).toEqual([
      { ...common, model, moment: "prompt", prompt: "and this", promptId: "turn_2" },
    ]);
  });

  it("what a timer asks is answered, and not kept as its user's words", () => {
    const { extra } = payloads.nextTurn;
    expect(decode({ ...payloads.nextTurn, extra: { ...extra, platform: "cron" } })).toMatchObject([{ only: "heard" }]);
  });

  it("a turn ends, and a session", () => {
    expect(decode(payloads.turnEnd)).toEqual([{ ...common, model, moment: "stop", again: false }]);
    expect(decode(payloads.finalize)).toMatchObject([{ ...common, moment: "session-end", reason: "exit" }]);
  });

  it("a call, before and after, under one name", () => {
    expect(decode(payloads.before)).toMatchObject([
      { ...common, moment: "before-call", tool: "terminal", callId: "call_1", takes: "decision" },
    ]);
    expect(decode(payloads.exit1)).toMatchObject([{ moment: "after-call", callId: "call_1", durationMs: 31 }]);
  });

  it("what a call came to", () => {
    expect(readingOf(payloads.well)).toMatchObject({ outcome: "ok", head: "echo" });
    expect(readingOf(payloads.exit1)).toMatchObject({ outcome: "failed", exitCode: 1, head: "git psuh" });
    expect(readingOf(payloads.error)).toMatchObject({ outcome: "failed", error: "File not found: gone.txt" });
    expect(readingOf(payloads.blocked)).toMatchObject({ outcome: "denied", signature: null });
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("what Hermes is told", () => {
  it("context with a prompt, a refusal before a call, and nothing where nobody listens", () => {
    expect(said(payloads.nextTurn, { context: "careful" })).toEqual({ context: "careful" });
    expect(said(payloads.before, { decision: { kind: "deny", reason: "never" }, context: "careful" })).toEqual({
      action: "block",
      message: "Blocked by a rule: never\ncareful",
    });
    expect(said(payloads.before, { context: "careful" })).toBeNull();
    expect(said(payloads.exit1, { context: "careful" })).toBeNull();
    expect(said(payloads.turnEnd, { context: "careful" })).toBeNull();
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return hermesProtocol.decode(payload, {});
}

function said(payload: unknown, reply: Reply): unknown {
  const [first] = decode(payload);
  if (first === undefined) throw new Error("nothing was seen");
  const text = hermesProtocol.encode(first, reply);
  return text === "" ? null : JSON.parse(text);
}

function readingOf(payload: unknown) {
  const [after] = decode(payload);
  const event = after && toEvent(after, { policy: defaultPolicy.observe, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}
