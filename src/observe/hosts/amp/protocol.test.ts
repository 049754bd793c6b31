import { describe, expect, it } from "vitest";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import { defaultPolicy } from "../../../domain/policy.ts";
import type { Reply, HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import fixtures from "./fixtures/payloads.json" with { type: "json" };
import { ampProtocol } from "./protocol.ts";

/** Written from the output of `amp plugins show-docs`; no real Amp thread was observed. */
const { payloads } = fixtures;
const common = { host: "amp", session: "T-5f1c", cwd: "/home/kim/shop", model: null, agent: null, transcript: null };

describe("what Amp tells through our plugin", () => {
  it("a session begins, is asked something, stops and ends", () => {
    expect(decode(payloads.sessionStart)).toEqual([{ ...common, moment: "session-start", source: null }]);
    expect(decode(payloads.agentStart)).toEqual([
      { ...common, moment: "prompt", prompt: "push my branch", promptId: "7" },
    ]);
    expect(decode(payloads.agentEnd)).toEqual([{ ...common, moment: "stop", again: false }]);
    expect(decode(payloads.dispose)).toEqual([{ ...common, moment: "session-end", reason: null }]);
  });

  it("a message of a newer thread has a name", () => {
    expect(decode({ ...payloads.agentStart, id: "M-2" })).toMatchObject([{ promptId: "M-2" }]);
  });

  it("a call is about to run, and only a decision would be heard", () => {
    expect(decode(payloads.toolCall)).toEqual([
      {
        ...common,
        moment: "before-call",
        tool: "Bash",
        input: { cmd: "git psuh origin main" },
        callId: "toolu_1",
        takes: "decision",
      },
    ]);
  });

  it("a result takes what was not heard before", () => {
    expect(decode(payloads.done)).toMatchObject([
      { moment: "after-call", ok: true, exitCode: 0, text: "all is well\n", durationMs: 12 },
      { moment: "before-call", takes: "context" },
    ]);
    expect(decode(payloads.blocks)).toMatchObject([{ text: "one\ntwo" }, {}]);
  });

  it("what a call came to", () => {
    expect(readingOf(payloads.done)).toMatchObject({ outcome: "ok", head: "echo" });
    expect(readingOf(payloads.exit1)).toMatchObject({ outcome: "failed", exitCode: 1, head: "git psuh" });
    expect(readingOf(payloads.error)).toMatchObject({ outcome: "failed", error: expect.stringContaining("ENOENT") });
    expect(readingOf(payloads.cancelled).outcome).toBe("interrupted");
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("what our plugin in Amp is told", () => {
  it("a refusal before a call, and context with its result", () => {
    expect(said(payloads.toolCall, { decision: { kind: "deny", reason: "never" } })).toEqual({
      deny: "Blocked by a rule: never",
    });
    expect(said(payloads.toolCall, { context: "careful" })).toBeNull();
    expect(said(payloads.done, { context: "careful" })).toEqual({ context: "careful" });
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return ampProtocol.decode(payload, {});
}

function said(payload: unknown, reply: Reply): unknown {
  const [first] = decode(payload);
  if (first === undefined) throw new Error("nothing was seen");
  const text = ampProtocol.encode(first, reply);
  return text === "" ? null : JSON.parse(text);
}

function readingOf(payload: unknown) {
  const [after] = decode(payload);
  const event = after && toEvent(after, { policy: defaultPolicy.observe, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}
