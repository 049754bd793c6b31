import { describe, expect, it } from "vitest";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import { defaultPolicy } from "../../../domain/policy.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import fixtures from "./fixtures/payloads.json" with { type: "json" };
import { openclawProtocol } from "./protocol.ts";

const { payloads } = fixtures;
const common = {
  host: "openclaw",
  session: "44953083",
  cwd: "/home/kim/shop",
  model: "scripted",
  agent: null,
  transcript: null,
};

describe("what OpenClaw tells through our plugin", () => {
  it("a session begins, is asked something, stops and ends", () => {
    expect(decode(payloads.sessionStart)).toEqual([{ ...common, moment: "session-start", source: null }]);
    expect(decode(payloads.prompt)).toEqual([
      { ...common, moment: "prompt", prompt: "push my branch", promptId: "13a71441" },
    ]);
    expect(decode(payloads.agentEnd)).toEqual([{ ...common, moment: "stop", again: false }]);
    expect(decode(payloads.sessionEnd)).toEqual([{ ...common, moment: "session-end", reason: "reset" }]);
  });

  it("what a timer or another session asks is answered, and not kept as its user's words", () => {
    expect(decode({ ...payloads.prompt, askedBy: "heartbeat" })).toMatchObject([{ only: "heard" }]);
    expect(decode({ ...payloads.prompt, provenance: "inter_session" })).toMatchObject([{ only: "heard" }]);
    expect(decode({ ...payloads.prompt, provenance: "external_user" })[0]).not.toHaveProperty("only");
  });

  it("of a sub-agent, its calls", () => {
    const sessionKey = "agent:main:subagent:5b1d";
    expect(decode({ ...payloads.before, sessionKey })).toMatchObject([{ agent: "44953083", moment: "before-call" }]);
    expect(decode({ ...payloads.prompt, sessionKey })).toEqual([]);
    expect(decode({ ...payloads.agentEnd, sessionKey })).toEqual([]);
  });

  it("a call is about to run, and only a decision would be heard; its result takes the rest", () => {
    expect(decode(payloads.before)).toMatchObject([
      { moment: "before-call", tool: "exec", callId: "call_7f06", takes: "decision" },
    ]);
    expect(decode(payloads.well)).toMatchObject([
      { moment: "after-call", ok: true, exitCode: 0, text: "all is well", durationMs: 963 },
      { moment: "before-call", takes: "context" },
    ]);
  });

  it("what a call came to", () => {
    expect(readingOf(payloads.well)).toMatchObject({ outcome: "ok", head: "echo" });
    expect(readingOf(payloads.exit1)).toMatchObject({ outcome: "failed", exitCode: 1, head: "git psuh" });
    expect(readingOf(payloads.missing)).toMatchObject({ outcome: "failed" });
    expect(readingOf(payloads.unknown)).toMatchObject({ outcome: "failed", error: "Tool no_such_tool not found" });
    expect(readingOf(payloads.blocked)).toMatchObject({ outcome: "denied", signature: null });
  });

  it("what our plugin added to a result is no part of it", () => {
    const content = [...payloads.well.content, { type: "text", text: "<oldhand>\ncareful\n</oldhand>" }];
    expect(decode({ ...payloads.well, content })).toMatchObject([{ text: "all is well" }, {}]);
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return openclawProtocol.decode(payload, {});
}

function readingOf(payload: unknown) {
  const [after] = decode(payload);
  const event = after && toEvent(after, { policy: defaultPolicy.observe, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}
