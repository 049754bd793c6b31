import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import payloads from "./fixtures/payloads.json" with { type: "json" };
import { readTranscript } from "./transcript.ts";
import { geminiProtocol } from "./protocol.ts";

const policy = defaultPolicy.observe;
const session = fileURLToPath(new URL("fixtures/session.jsonl", import.meta.url));

const common = {
  host: "gemini",
  session: "40398405-6110-4b0d-92c0-ddd8439c4d3a",
  cwd: "/home/kim/shop",
  model: null,
  agent: null,
  transcript: "/home/kim/.gemini/tmp/work/chats/session-2026-11-15T18-46-40398405.jsonl",
};

describe("what Gemini CLI's hooks tell", () => {
  it("a session begins, is asked something, stops and ends", () => {
    expect(decode(payloads.SessionStart[0])).toEqual([{ ...common, moment: "session-start", source: "startup" }]);
    expect(decode(payloads.BeforeAgent[0])).toEqual([
      { ...common, moment: "prompt", prompt: "please work", promptId: null },
    ]);
    expect(decode(payloads.AfterAgent[0])).toEqual([{ ...common, moment: "stop", again: false }]);
    expect(decode(payloads.SessionEnd[0])).toEqual([{ ...common, moment: "session-end", reason: "exit" }]);
  });

  it("a call is about to run, and only a decision would be heard", () => {
    const input = { command: "echo hello-ok", description: "fake run", is_background: false };
    expect(decode(payloads.BeforeTool[0])).toEqual([
      { ...common, moment: "before-call", tool: "run_shell_command", input, callId: null, takes: "decision" },
    ]);
  });

  it("a command's exit code is read off its text, and its result takes what was not heard before", () => {
    expect(decode(payloads.AfterTool[0])).toMatchObject([
      { moment: "after-call", ok: true, exitCode: null },
      { moment: "before-call", takes: "context", eventName: "AfterTool" },
    ]);
    expect(decode(payloads.AfterTool[1])).toMatchObject([
      { moment: "after-call", ok: true, exitCode: 3 },
      { moment: "before-call", takes: "context", eventName: "AfterTool" },
    ]);
  });

  it("a tool's error comes with its message; such a result takes nothing", () => {
    expect(decode(payloads.AfterTool[3])).toMatchObject([
      { moment: "after-call", tool: "read_file", ok: false, text: "File not found: /home/kim/shop/gone.txt" },
    ]);
  });

  it("a command that was cancelled or killed did not go well, though no error is told", () => {
    const cancelled =
      "Command was cancelled by user before it could complete. There was no output before it was cancelled.";
    expect(readShell(cancelled)).toMatchObject({ outcome: "interrupted" });
    expect(readShell(`<untrusted_context>\n${cancelled}\n</untrusted_context>`)).toMatchObject({
      outcome: "interrupted",
    });
    expect(readShell("Output: \nSignal: 9\nProcess Group PGID: 12")).toMatchObject({ outcome: "failed" });
    expect(readShell("Output: Exit Code: 3\nProcess Group PGID: 12")).toMatchObject({ outcome: "ok" });
    expect(readShell("Output: no\nExit Code: 3\nProcess Group PGID: 12")).toMatchObject({
      outcome: "failed",
      exitCode: 3,
      error: "no",
    });
  });

  it("compression that is none, and what is not known, is nothing", () => {
    expect(decode(payloads.PreCompress[0])).toEqual([]);
    expect(decode({ ...payloads.SessionStart[0], hook_event_name: "BeforeModel" })).toEqual([]);
    expect(decode(null)).toEqual([]);
  });

  it("what Qwen Code says under the same names is not Gemini's", () => {
    expect(geminiProtocol.decode(payloads.SessionStart[0], { QWEN_CODE_SESSION_ID: common.session })).toEqual([]);
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads).flat(), 10_000))
      for (const seen of geminiProtocol.decode(payload, {}))
        expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("what Gemini CLI is told", () => {
  const [before] = decode(payloads.BeforeTool[0]);
  const [after, late] = decode(payloads.AfterTool[0]);
  const [prompt] = decode(payloads.BeforeAgent[0]);
  const [stop] = decode(payloads.AfterAgent[0]);

  it("context goes where it is heard, in its own words", () => {
    const said = { hookSpecificOutput: { hookEventName: "AfterTool", additionalContext: "careful" } };
    expect(JSON.parse(encode(late, { context: "careful" }))).toEqual(said);
    expect(JSON.parse(encode(after, { context: "careful" }))).toEqual(said);
    expect(JSON.parse(encode(prompt, { context: "careful" }))).toMatchObject({
      hookSpecificOutput: { hookEventName: "BeforeAgent" },
    });
  });

  it("before a call only a decision is said, and with a result never one", () => {
    const decision = { kind: "deny", reason: "never" } as const;
    expect(encode(before, { context: "careful" })).toBe("");
    expect(JSON.parse(encode(before, { decision, context: "careful" }))).toEqual({ decision: "deny", reason: "never" });
    expect(encode(late, { decision })).toBe("");
  });

  it("a stop becomes a turn of its own only where there is a reason", () => {
    expect(encode(stop, {})).toBe("");
    expect(JSON.parse(encode(stop, { context: "careful" }))).toEqual({ decision: "deny", reason: "careful" });
  });
});

describe("Gemini CLI's transcript", () => {
  it("tells every call, also those that fired no hook", async () => {
    const items = await itemsOf(session);
    expect(items.map((item) => [item.kind, item.tool, readCall(item).outcome, readCall(item).exitCode])).toEqual([
      ["prompt", null, "ok", null],
      ["call", "run_shell_command", "ok", null],
      ["call", "run_shell_command", "failed", 3],
      ["call", "run_shell_command", "ok", null],
      ["call", "write_file", "ok", null],
      ["call", "read_file", "failed", null],
      ["call", "replace", "failed", null],
      ["call", "no_such_tool", "failed", null],
      ["call", "run_shell_command", "failed", null],
    ]);
    expect(items[2]).toMatchObject({
      host: "gemini",
      session: "2f716f52-cfb4-4b67-b2b0-57f36758f68e",
      model: "gemini-2.5-flash",
      exitCode: 3,
      at: Date.parse("2026-11-15T21:53:30.945Z"),
    });
    expect(readCall(items[2] as TranscriptItem).error).toBe("cat: nope.txt: No such file or directory");
    expect(new Set(items.map((item) => item.uid)).size).toBe(items.length);
  });

  describe("as it grows", () => {
    const root = mkdtempSync(join(tmpdir(), "oldhand-gemini-"));
    afterAll(() => rmSync(root, { recursive: true, force: true }));
    const path = join(root, "shop", "chats", "session-1.jsonl");
    mkdirSync(join(root, "shop", "chats"), { recursive: true });
    writeFileSync(join(root, "shop", ".project_root"), "/home/kim/shop");
    const lines = readFileSync(session, "utf8").split(/(?<=\n)/);

    it("gives what a hook saw the name it has in the transcript", async () => {
      // As when each hook ran: before the prompt's line, and after the model's message that has no call yet.
      writeFileSync(path, lines.slice(0, 2).join(""));
      const [prompt] = decode({ ...payloads.BeforeAgent[0], transcript_path: path });
      appendFileSync(path, lines.slice(2, 6).join(""));
      const [call] = decode({ ...payloads.AfterTool[0], transcript_path: path });
      appendFileSync(path, lines.slice(6).join(""));
      const items = await itemsOf(path);
      expect([prompt, call].map(uidOf)).toEqual(items.slice(0, 2).map((item) => item.uid));
    });

    it("is attributed to the folder that is noted beside it", async () => {
      expect(new Set((await itemsOf(path)).map((item) => item.cwd))).toEqual(new Set(["/home/kim/shop"]));
    });

    it("is read whole from the older form, one object", async () => {
      const [head = "", ...rest] = lines;
      const messages = rest.map((line) => JSON.parse(line) as Record<string, unknown>).filter((one) => "id" in one);
      const old = join(root, "shop", "chats", "session-0.json");
      writeFileSync(old, JSON.stringify({ ...(JSON.parse(head) as object), messages }, null, 2));
      expect((await itemsOf(old)).length).toBe(9);
    });
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return geminiProtocol.decode(payload, {});
}

function encode(seen: HookEvent | undefined, reply: Parameters<typeof geminiProtocol.encode>[1]): string {
  if (seen === undefined) throw new Error("nothing was seen");
  return geminiProtocol.encode(seen, reply);
}

function readShell(llmContent: string) {
  const [after] = decode({ ...payloads.AfterTool[0], tool_response: { llmContent } });
  const event = after && toEvent(after, { policy, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}

function uidOf(seen: HookEvent | undefined): string | undefined {
  return seen && toEvent(seen, { policy, workspace: null, at: 0 })?.uid;
}

async function itemsOf(path: string): Promise<readonly TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for await (const item of readTranscript(path, policy)) items.push(item);
  return items;
}
