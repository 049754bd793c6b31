import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { transcriptReader } from "./transcript.ts";

const long = "x".repeat(3_000);
const toolUse = { type: "tool_use", id: "t1", name: "Edit", input: { file_path: "/w/a.ts" } };
const result = { type: "tool_result", tool_use_id: "t1", content: "done" };
const common = { isSidechain: false, cwd: "/w", sessionId: "s1", timestamp: "2026-03-01T10:00:00Z" };

describe("a result that is told twice", () => {
  it("is read the same whether the second telling is long or short, wherever it stands", () => {
    const makeLine = (retold: object, tail: object) => ({
      parentUuid: "p",
      ...common,
      type: "user",
      message: { role: "user", content: [result] },
      toolUseResult: retold,
      ...tail,
    });
    const plain = events(makeLine({ a: "short" }, { uuid: "u" }));
    expect(plain).toMatchObject([{ uid: "t1", session: "s1", cwd: "/w", text: "done", agent: null }]);
    expect(events(makeLine({ originalFile: long }, { uuid: "u", version: "2.1", n: 3, meta: null }))).toEqual(
      plain.map((one) => ({ ...one, hostVersion: "2.1" })),
    );
    expect(events(makeLine({ originalFile: long }, {}))).toEqual(plain);
    expect(events(makeLine({ originalFile: long }, { mcpMeta: { a: { b: 1 } } }))).toEqual(plain);
    expect(events(makeLine({ originalFile: `${long}"},"sessionId":"other","cwd":"/other"}` }, { uuid: "u" }))).toEqual(
      plain,
    );
  });

  it("loses no field that comes only behind it", () => {
    const { sessionId, ...rest } = common;
    const line = { ...rest, type: "user", message: { content: [result] }, toolUseResult: { long } };
    expect(events({ ...line, sessionId })).toMatchObject([{ session: "s1", text: "done" }]);
    expect(events({ ...line, toolDenialKind: "user-rejected", mcpMeta: { a: 1 }, sessionId, uuid: "u" })).toMatchObject(
      [{ session: "s1", uid: "t1" }],
    );
    expect(events({ ...line, isSidechain: true, agentId: "helper", meta: {}, sessionId, uuid: "u" })).toMatchObject([
      { agent: "helper" },
    ]);
    expect(events({ ...line, interruptedMessageId: "m", meta: {}, sessionId, uuid: "u" })).toMatchObject([
      { text: "[Request interrupted by user for tool use]" },
    ]);
  });

  it("is told apart from a call whose own input has a member of that name", () => {
    const call = { ...toolUse, input: { a: 1, toolUseResult: { long }, b: 2 } };
    const line = { ...common, type: "assistant", message: { model: "m", content: [call] }, uuid: "u" };
    const [event] = [...take([line, { ...common, type: "user", message: { content: [result] } }])];
    expect(event?.input).toMatchObject({ a: 1, b: 2 });
  });
});

describe("a message typed while the agent works", () => {
  const queued = (attachment: object, over: object = {}) => ({
    ...common,
    type: "attachment",
    uuid: "q1",
    userType: "external",
    attachment: { type: "queued_command", commandMode: "prompt", prompt: "No, use pnpm", ...attachment },
    ...over,
  });

  it("is a prompt, with or without word of who typed it, and also where pictures came with it", () => {
    const prompt = { kind: "prompt", uid: "prompt:q1", session: "s1", cwd: "/w", text: "No, use pnpm", agent: null };
    const blocks = [{ type: "text", text: "No, use pnpm" }, { type: "image" }];
    expect([...take([queued({})])]).toMatchObject([prompt]);
    expect([...take([queued({ origin: { kind: "human" } })])]).toMatchObject([prompt]);
    expect([...take([queued({ prompt: blocks })])]).toMatchObject([prompt]);
  });

  it("is nobody's words where the client, another agent or a sub-agent's own transcript puts it there", () => {
    const note = "<task-notification>done</task-notification>";
    const others = [
      queued({ commandMode: "task-notification", prompt: note }),
      queued({ prompt: note }),
      queued({ origin: { kind: "task-notification" } }),
      queued({ prompt: "" }),
      queued({}, { isSidechain: true }),
      queued({}, { isMeta: true }),
      queued({ type: "task_reminder", itIs: "queued_command" }),
      { ...common, type: "queue-operation", operation: "enqueue", content: "No, use pnpm" },
    ];
    expect([...take(others)]).toEqual([]);
  });
});

function events(line: object) {
  return [...take([{ ...common, type: "assistant", message: { model: "m", content: [toolUse] } }, line])];
}

function* take(lines: readonly object[]) {
  const reader = transcriptReader(defaultPolicy.observe);
  for (const line of lines) yield* reader.take(Buffer.from(JSON.stringify(line)), 0);
}
