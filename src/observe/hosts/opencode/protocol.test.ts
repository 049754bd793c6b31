import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import { connect } from "../../../store/sqlite/engine.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import payloads from "./fixtures/payloads.json" with { type: "json" };
import { readTranscript } from "./transcript.ts";
import { opencodeProtocol } from "./protocol.ts";

const policy = defaultPolicy.observe;
const folder = mkdtempSync(join(tmpdir(), "oldhand-opencode-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const common = {
  host: "opencode",
  session: "ses_e1eb20521ffekSAuNZ8jdlKxUU",
  cwd: "/home/kim/shop",
  model: "scripted",
  agent: null,
  hasScreen: false,
  transcript: null,
};
const sub = "ses_e1eb1c8b5ffeyyMm0NxRbM4JBA";
const after = payloads["tool.execute.after"];
const thrown = payloads["message.part.updated"];

describe("what opencode tells through our plugin", () => {
  it("a session begins, is asked something, stops and ends", () => {
    expect(decode(payloads["session.created"][0])).toEqual([
      { ...common, model: null, moment: "session-start", source: null },
    ]);
    expect(decode(payloads["chat.message"][0])).toEqual([
      { ...common, moment: "prompt", prompt: '"push my branch"', promptId: "msg_1e14dfc97001m7C4aJ0inJCf6q" },
    ]);
    expect(decode(payloads["session.idle"][1])).toEqual([{ ...common, moment: "stop", again: false }]);
    expect(decode(payloads.dispose[0])).toEqual([{ ...common, moment: "session-end", reason: null }]);
  });

  it("a sub-agent's session is its agent's; it begins, is asked and stops without a word", () => {
    expect(decode(payloads["session.created"][1])).toEqual([]);
    expect(decode(payloads["chat.message"][1])).toEqual([]);
    expect(decode(payloads["session.idle"][0])).toEqual([]);
    expect(decode(after[3])).toMatchObject([
      { session: common.session, agent: sub, moment: "after-call", ok: true },
      { session: common.session, agent: sub, moment: "before-call" },
    ]);
  });

  it("a call is about to run, and only a decision would be heard", () => {
    expect(decode(payloads["tool.execute.before"][0])).toMatchObject([
      { moment: "before-call", tool: "bash", callId: "call_ace862e7f5ad4947898d5865", takes: "decision" },
    ]);
  });

  it("a command's exit code comes with its result, which takes what was not heard before", () => {
    expect(decode(after[0])).toMatchObject([
      { moment: "after-call", ok: true, exitCode: 0, text: "all is well\n" },
      { moment: "before-call", takes: "context" },
    ]);
    expect(readingOf(after[1])).toMatchObject({
      outcome: "failed",
      exitCode: 1,
      error: expect.stringMatching(/^git: 'psuh' is not a git command/),
    });
  });

  it("a tool that threw, a tool that is none, and a call that a permission or we forbade", () => {
    expect(readingOf(thrown[1])).toMatchObject({ outcome: "failed", error: "File not found: /home/kim/shop/gone.txt" });
    expect(readingOf(after[2])).toMatchObject({ outcome: "failed", error: expect.stringContaining("no_such_tool") });
    expect(readingOf(thrown[2])).toMatchObject({ outcome: "denied" });
    expect(readingOf(failed("Blocked by a rule: oldhand, rule r_1: no"))).toMatchObject({ outcome: "denied" });
  });

  it("what its user rejected or stopped", () => {
    const rejected = "The user rejected permission to use this specific tool call";
    expect(readingOf(failed(`${rejected}.`))).toMatchObject({ outcome: "rejected" });
    expect(readingOf(failed(`${rejected} with the following feedback: use pnpm`))).toMatchObject({
      outcome: "rejected",
      text: "use pnpm",
    });
    expect(readingOf(failed("Tool execution aborted"))).toMatchObject({ outcome: "interrupted" });
    const note = (text: string) => result(`working\n\n<shell_metadata>\n${text}\n</shell_metadata>`, null);
    expect(readingOf(note("User aborted the command"))).toMatchObject({ outcome: "interrupted" });
    expect(readingOf(note("shell tool terminated command after exceeding timeout 5 ms."))).toMatchObject({
      outcome: "failed",
    });
  });

  it("what is not known is nothing", () => {
    expect(decode({ hook: "todo.updated", session: "ses_1" })).toEqual([]);
    expect(decode("{}")).toEqual([]);
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads).flat(), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

describe("what our plugin is told", () => {
  it("context with the result, and before a call a decision alone", () => {
    const [, late] = decode(after[0]);
    expect(JSON.parse(encode(late, { context: "careful" }))).toEqual({ context: "careful" });
    const [before] = decode(payloads["tool.execute.before"][0]);
    expect(encode(before, { context: "careful" })).toBe("");
    expect(JSON.parse(encode(before, { decision: { kind: "deny", reason: "never" } }))).toEqual({
      deny: "Blocked by a rule: never",
    });
    expect(JSON.parse(encode(before, { decision: { kind: "ask", reason: "sure?" } }))).toEqual({ context: "sure?" });
  });
});

describe("opencode's database", () => {
  it("tells every call and prompt under the names that the plugin gave them", async () => {
    const items = await itemsOf(databaseWith(parts));
    expect(items.map((item) => [item.kind, item.uid, item.agent, readCall(item).outcome, item.durationMs])).toEqual([
      ["prompt", "prompt:msg_1", null, "ok", null],
      ["call", "call_1", null, "failed", 9],
      ["call", "call_2", null, "failed", 5],
      ["call", "call_3", "ses_2", "ok", 1],
    ]);
    expect(items[0]).toMatchObject({ text: "push\nmy branch", session: "ses_1", cwd: "/home/kim/shop" });
    expect(items[1]).toMatchObject({ error: "no such thing", model: "scripted", exitCode: 3, at: 29 });
    expect(new Set(items.map((item) => item.session))).toEqual(new Set(["ses_1"]));
  });

  it("a file that is none is the user's mistake", async () => {
    const path = join(folder, "none.db");
    writeFileSync(path, "not a database, and long enough to be looked at as one".repeat(50));
    await expect(itemsOf(path)).rejects.toMatchObject({ code: "input" });
  });
});

const tool = (callID: string, state: object) => ({ type: "tool", tool: "bash", callID, state });

const parts: readonly (readonly [string, string, object])[] = [
  ["msg_1", "ses_1", { type: "text", text: "push" }],
  ["msg_1", "ses_1", { type: "text", text: "my branch" }],
  ["msg_1", "ses_1", { type: "text", text: "what others put there", synthetic: true }],
  [
    "msg_2",
    "ses_1",
    tool("call_1", {
      status: "completed",
      input: { command: "x" },
      output: "no such thing\n\n<oldhand>\nadvice\n</oldhand>",
      metadata: { exit: 3 },
      time: { start: 20, end: 29 },
    }),
  ],
  ["msg_2", "ses_1", tool("call_2", { status: "error", input: {}, error: "gone", time: { start: 30, end: 35 } })],
  ["msg_2", "ses_1", tool("call_9", { status: "running", input: {}, time: { start: 36 } })],
  ["msg_3", "ses_2", { type: "text", text: "a task for the sub-agent" }],
  ["msg_4", "ses_2", tool("call_3", { status: "completed", input: {}, output: "", time: { start: 40, end: 41 } })],
];

function databaseWith(rows: typeof parts): string {
  const path = join(folder, "opencode.db");
  const db = connect(path);
  db.exec(`create table session (id text primary key, parent_id text, directory text);
    create table message (id text primary key, session_id text, data text);
    create table part (id text primary key, message_id text, session_id text, time_created integer, data text);
    insert into session values ('ses_1', null, '/home/kim/shop'), ('ses_2', 'ses_1', '/home/kim/shop');`);
  const roles = { msg_1: "user", msg_2: "assistant", msg_3: "user", msg_4: "assistant" };
  for (const [id, role] of Object.entries(roles))
    db.prepare("insert into message values (?, ?, ?)").run(id, "", JSON.stringify({ role, modelID: "scripted" }));
  for (const [i, [message, session, data]] of rows.entries())
    db.prepare("insert into part values (?, ?, ?, ?, ?)").run(`prt_${i}`, message, session, i, JSON.stringify(data));
  db.close();
  return path;
}

function failed(error: string): unknown {
  return { ...thrown[0], part: { ...thrown[0]?.part, state: { status: "error", input: {}, error } } };
}

function result(output: string, exit: number | null): unknown {
  return { ...after[0], result: { output, exit } };
}

function decode(payload: unknown): readonly HookEvent[] {
  return opencodeProtocol.decode(payload, {});
}

function encode(seen: HookEvent | undefined, reply: Parameters<typeof opencodeProtocol.encode>[1]): string {
  if (seen === undefined) throw new Error("nothing was seen");
  return opencodeProtocol.encode(seen, reply);
}

function readingOf(payload: unknown) {
  const [first] = decode(payload);
  const event = first && toEvent(first, { policy, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}

async function itemsOf(path: string): Promise<readonly TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for await (const item of readTranscript(path, policy)) items.push(item);
  return items;
}
