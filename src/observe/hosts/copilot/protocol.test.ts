import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import payloads from "./fixtures/payloads.json" with { type: "json" };
import { findOpenCall } from "./open-call.ts";
import { readTranscript } from "./transcript.ts";
import { copilotProtocol } from "./protocol.ts";

const policy = defaultPolicy.observe;
const session = fileURLToPath(new URL("fixtures/session.jsonl", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "oldhand-copilot-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const id = "e88fc1c1-aea7-4f1f-a8b2-ad031c319069";
const common = {
  host: "copilot",
  session: id,
  cwd: "/home/kim/shop",
  model: null,
  agent: null,
  transcript: join(home, ".copilot", "session-state", id, "events.jsonl"),
};

describe("what Copilot CLI's hooks tell", () => {
  it("a session begins, stops and ends, though no payload says which it is", () => {
    expect(decode(payloads.sessionStart[0])).toEqual([{ ...common, moment: "session-start", source: "new" }]);
    expect(decode(payloads.agentStop[0])).toEqual([
      {
        ...common,
        transcript: `/home/kim/.copilot/session-state/${id}/events.jsonl`,
        moment: "stop",
        again: false,
      },
    ]);
    expect(decode(payloads.sessionEnd[0])).toEqual([{ ...common, moment: "session-end", reason: "complete" }]);
  });

  it("a prompt, once: the beginning of a session repeats it", () => {
    expect(decode(payloads.userPromptSubmitted[0])).toMatchObject([{ moment: "prompt", prompt: "please work" }]);
  });

  it("a call is about to run, also where its input is JSON in a text", () => {
    const [before] = decode(payloads.preToolUse[0]);
    expect(before).toMatchObject({ moment: "before-call", tool: "bash", input: { command: "echo hello-ok" } });
    expect(before).not.toHaveProperty("takes");
    expect(decode({ ...payloads.preToolUse[0], toolArgs: '{"command":"ls"}' })).toMatchObject([
      { input: { command: "ls" } },
    ]);
  });

  it("a command that went well, one that did not though the host says so, and a tool's error", () => {
    expect(readingOf(payloads.postToolUse[0])).toMatchObject({ outcome: "ok", exitCode: 0, head: "echo" });
    expect(readingOf(payloads.postToolUse[1])).toMatchObject({
      outcome: "failed",
      exitCode: 3,
      error: "cat: nope.txt: No such file or directory",
    });
    expect(readingOf(payloads.postToolUseFailure[0])).toMatchObject({
      outcome: "failed",
      exitCode: null,
      error: "Path does not exist",
    });
  });

  it("a file that quotes the end of a command is no command that ended", () => {
    const toolResult = { resultType: "success", textResultForLlm: "<shellId: 1 completed with exit code 3>" };
    expect(decode({ ...payloads.postToolUse[2], toolResult })).toMatchObject([{ ok: true, exitCode: null }]);
  });

  it("what is asked of its user, and what hooks for Claude Code are told, is nothing", () => {
    expect(decode(payloads.permissionRequest[0])).toEqual([]);
    for (const payload of [...payloads.PreToolUse, ...payloads.PostToolUse, ...payloads.Stop])
      expect(decode(payload)).toEqual([]);
    expect(decode("{}")).toEqual([]);
  });

  it("what VS Code tells through the same file, in the spelling it once had, is nothing", () => {
    expect(decode({ ...payloads.userPromptSubmitted[0], hookEventName: "UserPromptSubmit" })).toEqual([]);
  });

  it("a sub-agent's call is of the session it works for; its prompt and its stop are nobody's", () => {
    const agent = { sessionId: "a1", agentId: "a1", agentType: "explore", parentAgentId: id };
    expect(decode({ ...payloads.preToolUse[0], ...agent })).toMatchObject([
      { session: id, agent: "a1", transcript: common.transcript },
    ]);
    expect(decode({ ...payloads.userPromptSubmitted[0], ...agent })).toEqual([]);
    expect(decode({ ...payloads.agentStop[0], ...agent })).toEqual([]);
  });

  it("a session that is named like a path leads nowhere", () => {
    expect(decode({ ...payloads.sessionStart[0], sessionId: "../../etc" })).toMatchObject([{ transcript: null }]);
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads).flat(), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("the name of a call", () => {
  const lines = readFileSync(session, "utf8").trim().split("\n");
  const cut = join(home, "cut.jsonl");
  /** Writes the transcript as it is when the hook after a call starts. */
  const upTo = (text: string, nth: number) => {
    const ends = lines.flatMap((line, at) =>
      /"hookType":"postToolUse\w*","input"/.test(line) && line.includes(text) ? [at] : [],
    );
    writeFileSync(cut, lines.slice(0, (ends[nth] ?? 0) + 1).join("\n"));
  };
  const command = (text: string) => ({ command: text, description: "x", mode: "sync" });

  it("is that of the call which has begun and not ended", () => {
    upTo("psuh", 0);
    expect(findOpenCall(cut, "bash", command("git psuh origin main"))).toBe("call_dc566a2e30494779b58cbac1");
    upTo("psuh", 1);
    expect(findOpenCall(cut, "bash", command("git psuh origin main"))).toBe("call_63b6f85e83ad4c63b0a22ae3");
  });

  it("is each its own where two are the same", () => {
    upTo("twin", 0);
    expect(findOpenCall(cut, "bash", command("echo twin"))).toBe("call_c6117031e1324f458d02091a");
    upTo("twin", 1);
    expect(findOpenCall(cut, "bash", command("echo twin"))).toBe("call_13efe5a96d4649d2bb3692ad");
  });

  it("is left to the transcript where there is one that does not show it yet", () => {
    expect(findOpenCall(cut, "bash", command("ls"))).toBe("unknown");
    mkdirSync(join(home, ".copilot", "session-state", id), { recursive: true });
    writeFileSync(common.transcript, `${lines[0]}\n`);
    expect(decode(payloads.postToolUse[0])).toEqual([]);
    // A failure gets a reply even so.
    expect(decode(payloads.postToolUse[1])).toMatchObject([{ moment: "after-call", callId: null, only: "heard" }]);
    rmSync(common.transcript);
    expect(decode(payloads.postToolUse[0])).toEqual([]);
  });

  it("is made up where Copilot keeps no transcripts at all", () => {
    rmSync(join(home, ".copilot"), { recursive: true, force: true });
    expect(decode(payloads.postToolUse[0])).toMatchObject([{ callId: null }]);
  });
});

describe("what Copilot CLI is told", () => {
  it("is flat, before a call as elsewhere", () => {
    const [before] = decode(payloads.preToolUse[0]);
    expect(encode(before, { context: "careful" })).toBe('{"additionalContext":"careful"}');
    expect(JSON.parse(encode(before, { decision: { kind: "deny", reason: "never" } }))).toEqual({
      permissionDecision: "deny",
      permissionDecisionReason: "never",
    });
    expect(encode(before, {})).toBe("");
    const stop = { decision: "block", reason: "careful" };
    expect(JSON.parse(encode(decode(payloads.agentStop[0])[0], { context: "careful" }))).toEqual(stop);
  });
});

describe("Copilot CLI's transcript", () => {
  it("tells every call, also those that fired no hook", async () => {
    const items = await itemsOf(session);
    expect(items.map((item) => [item.kind, item.tool, readCall(item).outcome, readCall(item).exitCode])).toEqual([
      ["prompt", null, "ok", null],
      ["call", "bash", "ok", 0],
      ["call", "bash", "failed", 1],
      ["call", "bash", "failed", 1],
      ["call", "bash", "ok", 0],
      ["call", "bash", "ok", 0],
      ["call", "bash", "ok", 0],
      ["call", "view", "failed", null],
      ["call", "edit", "failed", null],
      ["call", "bash", "denied", null],
      ["call", "bash", "denied", null],
      ["call", "no_such_tool", "failed", null],
    ]);
    expect(items[2]).toMatchObject({
      host: "copilot",
      session: "337a0117-4d22-4c49-b5e6-d6b80eb63f49",
      cwd: "/home/kim/shop",
      uid: "call_dc566a2e30494779b58cbac1",
      model: "scripted",
      durationMs: 300,
    });
  });

  it("names a prompt as the hook does", async () => {
    const [prompt] = await itemsOf(session);
    const payload = { sessionId: "s", timestamp: 1794781200149, cwd: "/x", prompt: "push my branch" };
    const [seen] = decode(payload);
    expect(prompt?.uid).toBe(seen && toEvent(seen, { policy, workspace: null, at: 0 })?.uid);
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return copilotProtocol.decode(payload, { HOME: home });
}

function encode(seen: HookEvent | undefined, reply: Parameters<typeof copilotProtocol.encode>[1]): string {
  if (seen === undefined) throw new Error("nothing was seen");
  return copilotProtocol.encode(seen, reply);
}

function readingOf(payload: unknown) {
  const [after] = decode(payload);
  const event = after && toEvent(after, { policy, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}

async function itemsOf(path: string): Promise<readonly TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for await (const item of readTranscript(path, policy)) items.push(item);
  return items;
}
