import { describe, expect, it } from "vitest";
import { fakeAnthropic } from "./fake-anthropic.ts";
import { fakeGemini } from "./fake-gemini.ts";
import { fakeOllama } from "./fake-ollama.ts";
import { fakeOpenAi } from "./fake-openai.ts";
import type { Script, ScriptedServer, ScriptedTurn, ScriptOptions } from "./scripted-server.ts";

interface Wire {
  readonly name: string;
  readonly serve: (script: Script, options?: ScriptOptions) => Promise<ScriptedServer>;
  readonly path: (isStream: boolean) => string;
  readonly whole: object;
  readonly end: string;
}

const turn: ScriptedTurn = {
  text: "So.",
  calls: [{ tool: "look", input: { at: "it" } }],
  reasoning: { text: "Hm.", signature: "c2ln" },
  usage: { in: 200, out: 50, cached: 150, cacheWrite: 20, reasoning: 30 },
};

const wires: readonly Wire[] = [
  {
    name: "Anthropic Messages",
    serve: fakeAnthropic,
    path: () => "/v1/messages",
    whole: {
      type: "message",
      stop_reason: "tool_use",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "text", text: "So." },
        { type: "tool_use", name: "look", input: { at: "it" } },
      ],
      usage: { input_tokens: 30, cache_read_input_tokens: 150, cache_creation_input_tokens: 20, output_tokens: 50 },
    },
    end: 'data: {"type":"message_stop"}\n\n',
  },
  {
    name: "OpenAI Chat Completions",
    serve: fakeOpenAi,
    path: () => "/chat/completions",
    whole: {
      object: "chat.completion",
      choices: [
        {
          finish_reason: "tool_calls",
          message: { content: "So.", reasoning_content: "Hm.", tool_calls: [{ function: { name: "look" } }] },
        },
      ],
      usage: { prompt_tokens: 200, prompt_tokens_details: { cached_tokens: 150 }, completion_tokens: 50 },
    },
    end: "data: [DONE]\n\n",
  },
  {
    name: "OpenAI Responses",
    serve: fakeOpenAi,
    path: () => "/responses",
    whole: {
      status: "completed",
      output: [{ type: "reasoning", encrypted_content: "c2ln" }, { type: "message" }, { type: "function_call" }],
      usage: {
        input_tokens: 200,
        input_tokens_details: { cached_tokens: 150 },
        output_tokens_details: { reasoning_tokens: 30 },
      },
    },
    end: "}\n\n",
  },
  {
    name: "Gemini generateContent",
    serve: fakeGemini,
    path: (isStream) => `/v1beta/models/m:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    whole: {
      candidates: [
        {
          finishReason: "STOP",
          content: {
            parts: [
              { text: "Hm.", thought: true },
              { text: "So." },
              { functionCall: { name: "look", args: { at: "it" } }, thoughtSignature: "c2ln" },
            ],
          },
        },
      ],
      usageMetadata: {
        promptTokenCount: 200,
        cachedContentTokenCount: 150,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 30,
      },
    },
    end: "}\r\n\r\n",
  },
  {
    name: "Ollama",
    serve: fakeOllama,
    path: () => "/api/chat",
    whole: {
      message: {
        content: "So.",
        thinking: "Hm.",
        tool_calls: [{ function: { name: "look", arguments: { at: "it" } } }],
      },
      done: true,
      prompt_eval_count: 200,
      eval_count: 50,
    },
    end: "}\n",
  },
];

describe.each(wires)("the scripted server in the words of $name", ({ serve, path, whole, end }) => {
  const open = async (script: Script) => {
    const server = await serve(script, { everyRequest: true });
    const post = (stream: boolean) =>
      fetch(`${server.url}${path(stream)}`, { method: "POST", body: JSON.stringify({ stream, model: "m" }) });
    return { server, post, [Symbol.asyncDispose]: () => server.close() };
  };

  it("answers whole, with text, reasoning, calls and usage", async () => {
    await using opened = await open([turn]);
    expect(await (await opened.post(false)).json()).toMatchObject(whole);
  });

  it("streams the same to its last event", async () => {
    await using opened = await open([{ ...turn, pieces: 2 }]);
    const text = await (await opened.post(true)).text();
    expect(text.endsWith(end)).toBe(true);
  });

  it("makes each turn from its request if the script is a function, and keeps headers", async () => {
    await using opened = await open(({ method }, at) => ({ text: `${method} ${at}` }));
    await opened.post(false);
    expect(await (await opened.post(false)).text()).toContain("POST 1");
    expect(opened.server.requests[0]?.headers["content-type"]).toContain("text/plain");
  });

  it("fails with a status and with the time to wait", async () => {
    const error = { status: 429, type: "rate_limit_error", message: "later", retryAfter: 3 };
    await using opened = await open([{ error }]);
    const answer = await opened.post(true);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "3"]);
    expect(await answer.text()).toContain("later");
  });

  it("ends a stream early, or in the middle of its JSON", async () => {
    const faulty = (kind: "half-closed" | "truncated") => ({ ...turn, pieces: 3, fault: { kind, after: 1 } });
    await using opened = await open([
      turn,
      faulty("half-closed"),
      faulty("truncated"),
      { ...turn, fault: { kind: "truncated", after: 0 } },
    ]);
    const [all, half, cut] = [await opened.post(true), await opened.post(true), await opened.post(true)];
    const lengths = [await all.text(), await half.text(), await cut.text()].map((text) => text.length);
    expect(lengths[1]).toBeLessThan(lengths[2] ?? 0);
    expect(lengths[2]).toBeLessThan(lengths[0] ?? 0);
    await expect((await opened.post(false)).json()).rejects.toThrow(SyntaxError);
  });

  it("breaks the connection, or answers with a page", async () => {
    await using opened = await open([
      { ...turn, fault: { kind: "reset", after: 1 } },
      { ...turn, fault: { kind: "wrong-type" } },
    ]);
    await expect((await opened.post(true)).text()).rejects.toThrow("terminated");
    expect((await opened.post(true)).headers.get("content-type")).toContain("text/html");
  });
});

it("takes a plain text as what the model thinks", async () => {
  const reasoning = "Hm." as unknown as { readonly text: string };
  const server = await fakeAnthropic([{ text: "So.", reasoning }], { everyRequest: true });
  const body = JSON.stringify({ model: "m", messages: [] });
  const answered = await fetch(`${server.url}/v1/messages`, { method: "POST", body });
  expect(await answered.json()).toMatchObject({ content: [{ type: "thinking", thinking: "Hm." }, { text: "So." }] });
  await server.close();
});
