import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { tryParseJson } from "../../../lib/json.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { codexProtocol } from "./protocol.ts";

type Payload = Readonly<Record<string, unknown>>;

const fixtures = new URL("fixtures/", import.meta.url);
const payloads = JSON.parse(readFileSync(new URL("payloads.json", fixtures), "utf8")) as readonly Payload[];
const rollout = readFileSync(new URL("rollout.jsonl", fixtures), "utf8");

const folder = mkdtempSync(join(tmpdir(), "oldhand-codex-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const decode = (payload: unknown) => codexProtocol.decode(payload, {});
const named = (event: string, tool?: string) =>
  payloads.filter((one) => one["hook_event_name"] === event && (tool === undefined || one["tool_name"] === tool));
const [before] = named("PreToolUse");
const [after] = named("PostToolUse");

describe("what Codex tells", () => {
  it("is a session from its start to its end", () => {
    const session = before?.["session_id"];
    const moments = payloads.filter((one) => one["session_id"] === session).flatMap(decode);
    expect([...new Set(moments.map((seen) => seen.moment))]).toEqual([
      "session-start",
      "prompt",
      "before-call",
      "after-call",
      "stop",
      "session-end",
    ]);
    expect(new Set(moments.map((seen) => seen.cwd))).toEqual(new Set(["/home/ada/shop"]));
  });

  it("is a call with the id it has in the transcript", () => {
    expect(decode(after)).toEqual([
      {
        host: "codex",
        session: "01a1e083-34dd-7633-a1ff-5e93172d65c8",
        cwd: "/home/ada/shop",
        model: "fake-model",
        agent: null,
        transcript: expect.stringMatching(/rollout-.*\.jsonl$/),
        moment: "after-call",
        tool: "Bash",
        input: { command: "echo hello-ok" },
        callId: "call_1",
        ok: true,
        text: "hello-ok\n",
        exitCode: null,
        durationMs: null,
      },
    ]);
  });

  it("is an edit by its patch", () => {
    const [edit] = named("PostToolUse", "apply_patch");
    expect(decode(edit)).toMatchObject([
      { tool: "apply_patch", input: { command: expect.stringMatching(/^\*\*\* Begin Patch/) }, ok: true },
    ]);
  });

  it("is a prompt that the transcript can name too, and none where an agent asks another", () => {
    const [prompt] = named("UserPromptSubmit");
    expect(decode(prompt)).toMatchObject([{ promptId: expect.stringMatching(/^01a1e083-352e-[\w-]+:[0-9a-f]{16}$/) }]);
    expect(decode({ ...prompt, agent_id: "a1" })).toEqual([]);
  });

  it("is nothing where the event is unknown", () => {
    expect(decode({ ...before, hook_event_name: "PreCompact" })).toEqual([]);
    expect(decode(null)).toEqual([]);
    expect(decode([])).toEqual([]);
  });
});

describe("how a command ended", () => {
  const ended = (text: string, callId: string): HookEvent | undefined => {
    const transcript_path = join(folder, "rollout.jsonl");
    writeFileSync(transcript_path, text);
    return decode({ ...after, transcript_path, tool_use_id: callId })[0];
  };

  it("is read off the transcript", () => {
    expect(ended(rollout, "call_2")).toMatchObject({ ok: false, exitCode: 3, durationMs: 0 });
    expect(ended(rollout, "call_7")).toMatchObject({ ok: false, exitCode: 137 });
    expect(ended(rollout, "call_9")).toMatchObject({ ok: true, exitCode: null });
  });

  it("is read off the last 256 KB only", () => {
    const filler = `{"type":"response_item","payload":{"text":"${"x".repeat(1_000)}"}}\n`;
    expect(ended(filler.repeat(500) + rollout, "call_2")).toMatchObject({ exitCode: 3 });
    expect(ended(rollout + filler.repeat(500), "call_2")).toMatchObject({ ok: true, exitCode: null });
  });

  it("is not known where the transcript is gone, cut off or a folder", () => {
    const unknown = { ok: true, exitCode: null, durationMs: null };
    expect(ended(rollout, "call_99")).toMatchObject(unknown);
    expect(ended(rollout.slice(0, rollout.indexOf('"exit_code":3')), "call_2")).toMatchObject(unknown);
    expect(decode({ ...after, transcript_path: folder })).toMatchObject([unknown]);
    expect(decode({ ...after, transcript_path: join(folder, "gone.jsonl") })).toMatchObject([unknown]);
    expect(decode({ ...after, transcript_path: null })).toMatchObject([unknown]);
  });
});

describe("what Codex is told", () => {
  const encodeAll = (payload: unknown, reply: Parameters<typeof codexProtocol.encode>[1]) =>
    decode(payload).map((seen) => JSON.parse(codexProtocol.encode(seen, reply) || "null") as unknown);

  it("is an envelope that names the event and nothing else", () => {
    for (const event of ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"])
      expect(encodeAll(named(event)[0], { context: "Use pnpm." })).toEqual([
        { hookSpecificOutput: { hookEventName: event, additionalContext: "Use pnpm." } },
      ]);
  });

  it("is nothing at moments when it does not listen, or when there is nothing to say", () => {
    expect(encodeAll(named("SessionEnd")[0], { context: "Use pnpm." })).toEqual([null]);
    expect(encodeAll(named("Stop")[0], {})).toEqual([null]);
    expect(encodeAll(before, {})).toEqual([null]);
  });

  it("is a reason to go on when it would stop", () => {
    const said = { decision: "block", reason: "Use pnpm." };
    expect(encodeAll(named("Stop")[0], { context: "Use pnpm." })).toEqual([said]);
  });

  it("is a denial with its reason, the context within it", () => {
    const decision = { kind: "deny", reason: "Never." } as const;
    expect(encodeAll(before, { decision, context: "Use pnpm." })).toEqual([
      {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "Never.\nUse pnpm.",
        },
      },
    ]);
    expect(encodeAll(after, { decision })).toEqual([null]);
  });

  it("is told to the model where its user should be asked, which it cannot be made to do", () => {
    expect(encodeAll(before, { decision: { kind: "ask", reason: "Are you sure?" } })).toEqual([
      { hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "Are you sure?" } },
    ]);
    const both = { decision: { kind: "ask", reason: "Are you sure?" }, context: "Are you sure?\nUse pnpm." } as const;
    expect(encodeAll(before, both)).toEqual([
      { hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: both.context } },
    ]);
  });

  it("is never so long that it would be put into a file", () => {
    const [said] = encodeAll(before, { context: "x".repeat(50_000) }) as { hookSpecificOutput: Payload }[];
    expect(String(said?.hookSpecificOutput["additionalContext"]).length).toBe(9_000);
  });
});

describe("payloads that are broken", () => {
  it("never throw, and what is seen of them is well-formed", () => {
    for (const payload of malformed(payloads, 10_000)) expect(decode(payload).every(isWellFormed)).toBe(true);
  });

  it("never throw where the transcript is broken too", () => {
    const lines = rollout.split("\n").flatMap((line) => tryParseJson(line) ?? []);
    const transcript_path = join(folder, "broken.jsonl");
    for (const line of malformed(lines, 500, 2)) {
      writeFileSync(transcript_path, `${JSON.stringify(line)}\n`);
      for (const call of ["call_2", "call_7", "call_9"])
        expect(decode({ ...after, transcript_path, tool_use_id: call }).every(isWellFormed)).toBe(true);
    }
  });
});
