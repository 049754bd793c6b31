import { describe, expect, it } from "vitest";
import type { ChatMessage, ChatTool } from "../../models/chat/chat.ts";
import type { Gateway, GatewayRequest } from "../../models/gateway/gateway.ts";
import { type CacheBreak, type CachedRequest, findCacheBreak } from "./find-cache-break.ts";
import { watchPromptCache } from "./watch-prompt-cache.ts";

const text = (role: "user" | "assistant", ...texts: readonly string[]): ChatMessage => ({
  role,
  parts: texts.map((one) => ({ kind: "text", text: one })),
});
const call = (input: object): ChatMessage => ({
  role: "assistant",
  parts: [{ kind: "tool-call", id: "c1", name: "read", input }],
});
const result = (output: string): ChatMessage => ({
  role: "tool",
  parts: [{ kind: "tool-result", id: "c1", name: "read", text: output, isError: false }],
});
const tool = (name: string, description = `Does ${name}.`): ChatTool => ({
  name,
  description,
  input: { type: "object", properties: { path: { type: "string" } } },
});

const system = [
  "You are oldhand.",
  "What is known:\n<<<oldhand 1\n| The shop runs on port 4317\noldhand 1>>>",
  "Today is Tuesday, 2026-11-17 (UTC).",
].join("\n\n");
const messages = [
  text("user", "Read cart.ts"),
  call({ path: "cart.ts", limit: 5 }),
  result("export {}"),
  text("assistant", "It is empty."),
  text("user", "And now?"),
];
const request: CachedRequest = {
  model: { provider: "anthropic", model: "claude-sonnet-4-5" },
  chat: { system, tools: [tool("edit"), tool("read")], messages },
};
const next = [...messages, text("assistant", "Nothing."), text("user", "Thanks")];

/** The next request, with something changed in what came before. */
function changed(chat: Partial<CachedRequest["chat"]>, model = request.model): CachedRequest {
  return { model, chat: { ...request.chat, messages: next, ...chat } };
}

const breakers: readonly (readonly [string, CachedRequest, Pick<CacheBreak, "kind" | "place">])[] = [
  [
    "a changed date",
    changed({ system: system.replace("Tuesday, 2026-11-17", "Wednesday, 2026-11-18") }),
    { kind: "date", place: "the date in the system prompt" },
  ],
  [
    "another order of tools",
    changed({ tools: [tool("read"), tool("edit")] }),
    { kind: "tool order", place: "the tools, at read" },
  ],
  [
    "another description of a tool",
    changed({ tools: [tool("edit"), tool("read", "Reads.")] }),
    { kind: "tool description", place: "the tool read" },
  ],
  [
    "memories that were read again",
    changed({ system: system.replace("4317", "4318") }),
    { kind: "memory", place: 'the system prompt, under "What is known:"' },
  ],
  [
    "an earlier message that was rewritten",
    changed({ messages: next.with(3, text("assistant", "It has nothing.")) }),
    { kind: "earlier message", place: "message 4, of the assistant" },
  ],
  [
    "another model",
    changed({}, { provider: "anthropic", model: "claude-haiku-4-5" }),
    { kind: "model", place: "the model: anthropic/claude-sonnet-4-5, then anthropic/claude-haiku-4-5" },
  ],
  [
    "a note in the middle",
    changed({ messages: next.with(0, text("user", "[oldhand] Mind the gap.", "Read cart.ts")) }),
    { kind: "inserted text", place: "message 1, of the user" },
  ],
  [
    "other keys first in the input of a call",
    changed({ messages: next.with(1, call({ limit: 5, path: "cart.ts" })) }),
    { kind: "key order", place: "message 2, of the assistant" },
  ],
  [
    "a message in between",
    changed({ messages: next.toSpliced(1, 0, text("assistant", "Hm.")) }),
    { kind: "inserted text", place: "message 2, of the assistant" },
  ],
  [
    "a tool result that was cut",
    changed({ messages: next.with(2, result("export…")) }),
    { kind: "tool result", place: "message 3, of the tool: the result of read (c1)" },
  ],
  [
    "one tool more",
    changed({ tools: [tool("edit"), tool("list"), tool("read")] }),
    { kind: "tool list", place: "the tools, at list" },
  ],
  [
    "another system prompt",
    changed({ system: `Be brief. ${system}` }),
    { kind: "system prompt", place: "the system prompt" },
  ],
];

describe("a request that the prompt cache does not know", () => {
  it.each(breakers)("because of %s is found by name", (_, after, expected) => {
    expect(findCacheBreak(request, after)).toMatchObject(expected);
  });

  it("is shown from its first differing byte", () => {
    const found = findCacheBreak(request, changed({ system: system.replace("4317", "é318") }));
    expect(found).toMatchObject({ before: expect.stringMatching(/^4317/), after: expect.stringMatching(/^é318/) });
    const all = ["anthropic/claude-sonnet-4-5", JSON.stringify(request.chat.tools), JSON.stringify(system)].join("\n");
    expect(found?.byte).toBe(Buffer.byteLength(all.slice(0, all.indexOf("4317"))));
  });

  it("is none that goes on, adds a part to its last message, or leaves out the last messages", () => {
    expect(findCacheBreak(request, request)).toBeNull();
    expect(findCacheBreak(request, changed({}))).toBeNull();
    expect(
      findCacheBreak(request, changed({ messages: messages.with(4, text("user", "And now?", "Steer")) })),
    ).toBeNull();
    const undone = changed({ messages: [...messages.slice(0, 4), text("user", "Another question")] });
    expect(findCacheBreak(request, undone)).toBeNull();
  });

  it("is reported once, before it is sent; a compaction is not reported", async () => {
    const reports: string[] = [];
    const gateway = { stream: async function* () {} } as unknown as Gateway;
    const watched = watchPromptCache(gateway, (session, { kind }) => reports.push(`${session} ${kind}`));
    const send = async (one: CachedRequest, session: string) => {
      for await (const _ of watched.stream({ ...one, session } as GatewayRequest));
    };
    await send(request, "a");
    await send(request, "b");
    await send(changed({ tools: [tool("read"), tool("edit")] }), "a");
    await send(changed({ tools: [tool("read"), tool("edit")] }), "a");
    await send(changed({}), "b");
    await send(
      {
        ...request,
        chat: {
          ...request.chat,
          system: "New.",
          messages: [text("user", "[oldhand] summary of this session so far", "Go on")],
        },
      },
      "b",
    );
    expect(reports).toEqual(["a tool order"]);
  });
});
