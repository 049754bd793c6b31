import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { claudeCodeProtocol } from "./protocol.ts";

/**
 * The events of one session of a real client: a successful call, a failed one, a read, an edit that did not match, a
 * denied call and one without approval.
 */
function decodeVersion(version: string): readonly HookEvent[] {
  return payloadsOf(version).flatMap((payload) => claudeCodeProtocol.decode(payload, {}));
}

function payloadsOf(version: string): readonly unknown[] {
  const file = new URL(`fixtures/hooks-${version}.jsonl`, import.meta.url);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as unknown);
}

function summary(seen: HookEvent): string {
  if (seen.moment === "before-call")
    return `before ${seen.tool}${seen.takes === undefined ? "" : `, ${seen.takes} only`}`;
  return seen.moment === "after-call"
    ? `after ${seen.tool}: ${seen.ok ? "well" : (seen.text ?? "").slice(0, 23)}`
    : seen.moment;
}

describe("what Claude Code tells", () => {
  it("is read from 2.1.325, with the calls that never ran from the batch", () => {
    expect(decodeVersion("2.1.325").map(summary)).toEqual([
      "session-start",
      "prompt",
      "before Bash",
      "after Bash: well",
      "before Bash",
      "after Bash: Exit code 1\ngit: 'psuh'",
      "before Read",
      "after Read: well",
      "after Edit: <tool_use_error>String ",
      "before Bash",
      "after Bash: Permission to use Bash ",
      "before Bash",
      "after Bash: Permission to use Bash ",
      "stop",
      "session-end",
    ]);
  });

  it("is read from 2.1.63, whose context is kept only after a call", () => {
    expect(decodeVersion("2.1.63").map(summary)).toEqual([
      "session-start",
      "prompt",
      "before Bash, decision only",
      "after Bash: well",
      "before Bash, context only",
      "before Bash, decision only",
      "after Bash: Exit code 1\ngit: 'psuh'",
      "before Bash, context only",
      "before Read, decision only",
      "after Read: well",
      "before Read, context only",
      "before Bash, decision only",
      "before Bash, decision only",
      "stop",
      "session-end",
    ]);
  });

  it("of a sub-agent's start is heard, and nothing stored", () => {
    const payload = { session_id: "s", cwd: "/w", agent_id: "a1", hook_event_name: "SubagentStart" };
    const [seen] = claudeCodeProtocol.decode(payload, {});
    expect(seen).toMatchObject({ moment: "session-start", agent: "a1", only: "heard" });
    expect(JSON.parse(claudeCodeProtocol.encode(seen!, { context: "x" })).hookSpecificOutput).toEqual({
      hookEventName: "SubagentStart",
      additionalContext: "x",
    });
    expect(claudeCodeProtocol.decode({ ...payload, agent_id: "" }, {})).toEqual([]);
  });

  it("names session, folder, call and transcript alike in every moment", () => {
    for (const seen of decodeVersion("2.1.325")) {
      expect(seen).toMatchObject({
        host: "claude-code",
        session: "f2ce527b-c760-462f-a200-ca90ccffd69d",
        cwd: "/lab/project",
        transcript: expect.stringMatching(/^\/lab\/home\/\.claude\/projects\/.*\.jsonl$/),
        agent: null,
      });
      if (seen.moment === "after-call") expect(seen.callId).toMatch(/^toolu_/);
    }
  });

  it("is the same when a server's tool hears it: objects as text, absent fields empty", () => {
    const asTool = claudeCodeProtocol.decode(
      {
        host: "claude-code",
        hook_event_name: "PostToolUse",
        session_id: "s",
        cwd: "/lab",
        transcript_path: "",
        agent_id: "",
        effort: '{"level":"medium"}',
        tool_name: "Bash",
        tool_input: '{"command":"echo \\"hi\\""}',
        tool_use_id: "toolu_1",
        tool_response: '{"stdout":"hi","stderr":""}',
        error: "",
        duration_ms: "12",
        tool_calls: "",
      },
      {},
    );
    expect(asTool).toEqual([
      {
        host: "claude-code",
        session: "s",
        cwd: "/lab",
        model: null,
        agent: null,
        transcript: null,
        eventName: "PostToolUse",
        moment: "after-call",
        tool: "Bash",
        input: { command: 'echo "hi"' },
        callId: "toolu_1",
        ok: true,
        text: "hi",
        exitCode: null,
        durationMs: 12,
      },
    ]);
  });

  it.each([
    undefined,
    null,
    3,
    "x",
    [],
    {},
    { session_id: 5 },
    { session_id: "s" },
    { session_id: "s", hook_event_name: "New" },
  ])("is nothing when it cannot be read: %j", (payload) => {
    expect(claudeCodeProtocol.decode(payload, {})).toEqual([]);
  });

  it("is nobody's words when a background task ended", () => {
    const prompt = "<task-notification>done</task-notification>";
    expect(claudeCodeProtocol.decode({ session_id: "s", hook_event_name: "UserPromptSubmit", prompt }, {})).toEqual([]);
  });
});

describe("what Claude Code is told", () => {
  const [before] = decodeVersion("2.1.325").filter((seen) => seen.moment === "before-call");
  const late = decodeVersion("2.1.63").filter((seen) => seen.moment === "before-call" && seen.takes === "context");

  it("names the event it answers", () => {
    expect(JSON.parse(claudeCodeProtocol.encode(before!, { context: "x" }))).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "x" },
    });
    expect(
      late.map(
        (seen) => JSON.parse(claudeCodeProtocol.encode(seen, { context: "x" })).hookSpecificOutput.hookEventName,
      ),
    ).toEqual(["PostToolUse", "PostToolUseFailure", "PostToolUse"]);
  });

  it("gives a decision with its reason", () => {
    const decision = { kind: "deny", reason: "it deletes" } as const;
    expect(JSON.parse(claudeCodeProtocol.encode(before!, { decision, context: "x" }))).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "it deletes",
        additionalContext: "x",
      },
    });
  });

  it.each([
    ["2.1.325", { hookSpecificOutput: { hookEventName: "Stop", additionalContext: "x" } }],
    ["3.0.0", { hookSpecificOutput: { hookEventName: "Stop", additionalContext: "x" } }],
    ["2.1.324", { decision: "block", reason: "x" }],
    [undefined, { decision: "block", reason: "x" }],
  ])("is context at a stop where the client takes it, so that its screen shows no error: %s", (version, said) => {
    const payload = { hook_event_name: "Stop", session_id: "s1", cwd: "/w", client_version: version };
    const [stop] = claudeCodeProtocol.decode(payload, {});
    expect(JSON.parse(claudeCodeProtocol.encode(stop!, { context: "x" }))).toEqual(said);
  });

  it("is nothing when there is nothing to say, and never longer than is shown", () => {
    expect(claudeCodeProtocol.encode(before!, {})).toBe("");
    const long = JSON.parse(claudeCodeProtocol.encode(before!, { context: "x".repeat(20_000) }));
    expect(long.hookSpecificOutput.additionalContext).toHaveLength(10_000);
    const refusal = { kind: "deny", reason: "y".repeat(20_000) } as const;
    const held = JSON.parse(claudeCodeProtocol.encode(before!, { context: "x".repeat(20_000), decision: refusal }));
    expect(held.hookSpecificOutput.additionalContext).toHaveLength(10_000);
    expect(held.hookSpecificOutput.permissionDecisionReason).toHaveLength(10_000);
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed([...payloadsOf("2.1.325"), ...payloadsOf("2.1.63")], 10_000))
      expect(claudeCodeProtocol.decode(payload, {}).every(isWellFormed)).toBe(true);
  });
});
