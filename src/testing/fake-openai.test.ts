import { afterEach, describe, expect, it } from "vitest";
import { type FakeOpenAi, fakeOpenAi } from "./fake-openai.ts";

const tools = [{ type: "function", name: "exec_command" }];
const call = { tool: "exec_command", input: { cmd: "ls" } };

describe("the scripted model in the words of OpenAI", () => {
  let model: FakeOpenAi | undefined;
  afterEach(() => model?.close());

  const post = async (path: string, body: object): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${model?.url}${path}`, { method: "POST", body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };

  it("takes the turns in order, through either API, and records the requests", async () => {
    model = await fakeOpenAi([{ calls: [call] }, { text: "Done it." }]);
    const first = JSON.parse((await post("/responses", { tools })).text) as object;
    expect(first).toMatchObject({
      output: [{ type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}' }],
    });
    const chat = { tools: [{ type: "function", function: { name: "exec_command" } }] };
    const second = JSON.parse((await post("/chat/completions", chat)).text) as object;
    expect(second).toMatchObject({ choices: [{ finish_reason: "stop", message: { content: "Done it." } }] });
    expect(model.remaining()).toBe(0);
    expect(model.requests.map((one) => one.path)).toEqual(["/v1/responses", "/v1/chat/completions"]);
    expect(model.requests[1]?.body).toEqual(chat);
  });

  it("streams a response from its creation to its completion", async () => {
    model = await fakeOpenAi([{ text: "So.", calls: [call] }]);
    const { text } = await post("/responses", { tools, stream: true });
    const types = [...text.matchAll(/^event: (.+)$/gm)].map((match) => match[1]);
    expect([types[0], types.at(-1)]).toEqual(["response.created", "response.completed"]);
    expect(types.filter((type) => type === "response.output_item.done").length).toBe(2);
  });

  it("streams a chat with its calls, and says when it ends", async () => {
    model = await fakeOpenAi([{ calls: [call, call] }]);
    const { text } = await post("/chat/completions", { tools, stream: true });
    const chunks = [...text.matchAll(/^data: (\{.+)$/gm)].map((match) => JSON.parse(match[1] ?? "") as Chunk);
    const calls = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    expect(calls).toMatchObject([
      { index: 0, function: { name: "exec_command", arguments: '{"cmd":"ls"}' } },
      { index: 1, function: { name: "exec_command" } },
    ]);
    expect(chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? [])).toEqual(["tool_calls"]);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("calls a tool as it was offered: with free text, or in its namespace; else where the script says", async () => {
    const unseen = { tool: "remember", namespace: "mcp__oldhand", input: {} };
    model = await fakeOpenAi([{ calls: [{ tool: "apply_patch", input: { patch: "*** Begin" } }, call, unseen] }]);
    const offered = [
      { type: "custom", name: "apply_patch" },
      { type: "namespace", name: "shells", tools },
    ];
    expect(JSON.parse((await post("/responses", { tools: offered })).text)).toMatchObject({
      output: [
        { type: "custom_tool_call", name: "apply_patch", input: "*** Begin" },
        { type: "function_call", name: "exec_command", namespace: "shells" },
        { type: "function_call", name: "remember", namespace: "mcp__oldhand" },
      ],
    });
  });

  it("gives a fixed answer to requests without tools, and fails if the script says so", async () => {
    model = await fakeOpenAi([{ error: { status: 529, type: "overloaded", message: "later" } }]);
    expect((await post("/chat/completions", { messages: [] })).status).toBe(200);
    expect(model.remaining()).toBe(1);
    const failed = await post("/chat/completions", { tools });
    expect([failed.status, JSON.parse(failed.text)]).toMatchObject([529, { error: { message: "later" } }]);
    expect((await post("/elsewhere", {})).status).toBe(404);
  });
});

interface Chunk {
  readonly choices: readonly {
    readonly delta: { tool_calls?: readonly object[] };
    readonly finish_reason: string | null;
  }[];
}
