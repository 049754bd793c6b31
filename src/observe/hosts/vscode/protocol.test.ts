import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { Reply, HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import fixtures from "./fixtures/payloads.json" with { type: "json" };
import { vscodeProtocol } from "./protocol.ts";

/** Written from the host's documentation; no real payload was observed. */
const { payloads } = fixtures;

describe("what VS Code's hooks tell", () => {
  const common = { host: "vscode", session: "vs-1", cwd: "/home/kim/shop" };

  it("a session with a prompt, in either spelling", () => {
    expect(decode(payloads.SessionStart)).toMatchObject([{ ...common, moment: "session-start", source: "new" }]);
    expect(decode(payloads.UserPromptSubmit)).toMatchObject([
      { ...common, moment: "prompt", prompt: "push my branch" },
    ]);
    expect(decode(payloads.camelCase)).toEqual(decode(payloads.UserPromptSubmit));
    expect(decode(payloads.Stop)).toMatchObject([{ ...common, moment: "stop", again: true }]);
  });

  it("calls, by their ids", () => {
    expect(decode(payloads.PreToolUse)).toMatchObject([
      { ...common, moment: "before-call", tool: "run_in_terminal", callId: "tool-1" },
    ]);
    expect(readingOf(payloads.PostToolUse)).toMatchObject({ outcome: "ok", text: "File edited successfully" });
  });

  it("nothing where it is Copilot CLI that runs them", () => {
    expect(vscodeProtocol.decode(payloads.PreToolUse, { COPILOT_CLI: "1" })).toEqual([]);
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("what VS Code is told", () => {
  it("context and decisions before a call", () => {
    expect(said(payloads.PreToolUse, { context: "careful", decision: { kind: "ask", reason: "really?" } })).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "ask",
        permissionDecisionReason: "really?",
        additionalContext: "careful",
      },
    });
  });

  it("nothing with a prompt or a stop", () => {
    expect(said(payloads.UserPromptSubmit, { context: "careful" })).toBeNull();
    expect(said(payloads.Stop, { context: "careful" })).toBeNull();
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return vscodeProtocol.decode(payload, {});
}

function said(payload: unknown, reply: Reply): unknown {
  const [first] = decode(payload);
  if (first === undefined) throw new Error("nothing was seen");
  const text = vscodeProtocol.encode(first, reply);
  return text === "" ? null : JSON.parse(text);
}

function readingOf(payload: unknown) {
  const [after] = decode(payload);
  const event = after && toEvent(after, { policy: defaultPolicy.observe, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}
