import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { ChatMessage, ChatTool } from "../../../src/models/chat/chat.ts";
import {
  ask,
  hear,
  hearFailure,
  KEY,
  type Law,
  openUnderTest,
  type ProviderUnderTest,
  providersUnderTest,
} from "./lab.ts";

const text = "Hello from the scripted model, in several pieces.";
const weather: ChatTool = {
  name: "get_weather",
  description: "The weather of a city.",
  input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const clock: ChatTool = { name: "get_time", description: "The time.", input: { type: "object", properties: {} } };
const question: ChatMessage = { role: "user", parts: [{ kind: "text", text: "How is Oslo?" }] };

/** A test that does not apply to some providers; the title then says why. */
const law = (tested: ProviderUnderTest, name: Law, title: string, check: () => Promise<void>) => {
  const reason = tested.skips[name];
  if (reason === undefined) it(title, check);
  else it.skip(`${title} (not asked: ${reason})`, check);
};

describe.each(providersUnderTest)("the provider $name", (tested) => {
  const { model } = tested;

  it("streams a text in its pieces and ends with its usage and the whole message", async () => {
    await using opened = await openUnderTest(tested, [{ text, pieces: 7, usage: { in: 320, out: 45 } }]);
    const heard = await hear(opened.provider, { ...ask("Say hello."), system: "Be short.", model });
    expect(heard.text).toBe(text);
    expect(heard.events.filter((event) => event.kind === "text")).toHaveLength(7);
    expect(heard.finish).toMatchObject({ reason: "stop", model, usage: { in: 320, out: 45 } });
    expect(heard.finish.message).toEqual({ role: "assistant", parts: [{ kind: "text", text }] });
    const sent = JSON.stringify(opened.server.requests[0]?.body);
    expect(sent).toContain("Say hello.");
    expect(sent).toContain("Be short.");
    expect(sent).toContain("1000");
  });

  it("says that the answer was cut at its token limit", async () => {
    await using opened = await openUnderTest(tested, [{ text, stop: "length" }]);
    expect((await hear(opened.provider, { ...ask("Say hello."), model })).finish.reason).toBe("length");
  });

  it("calls tools, several at once, and sends the results back to the calls they belong to", async () => {
    const calls = [
      { tool: "get_weather", input: { city: "Oslo", days: 3 } },
      { tool: "get_time", input: {} },
    ];
    await using opened = await openUnderTest(tested, [{ text: "Let me see.", calls, pieces: 3 }, { text: "Sunny." }]);
    const tools = [weather, clock];
    const request = { ...ask(""), messages: [question], tools, model };
    const first = await hear(opened.provider, request);
    expect(first.finish.reason).toBe("tool-calls");
    const made = first.events.flatMap((event) => (event.kind === "tool-call" ? [event] : []));
    expect(made.map(({ name, input }) => ({ tool: name, input }))).toEqual(calls);
    expect(new Set(made.map(({ id }) => id)).size).toBe(2);
    const results: ChatMessage = {
      role: "tool",
      parts: made.map(({ id, name }) => ({ kind: "tool-result", id, name, text: `result of ${name}`, isError: false })),
    };
    const second = await hear(opened.provider, { ...request, messages: [question, first.finish.message, results] });
    expect(second.text).toBe("Sunny.");
    const sent = JSON.stringify(opened.server.requests[1]?.body);
    for (const part of ["Let me see.", "Oslo", "result of get_weather", "result of get_time"])
      expect(sent).toContain(part);
    expect(sent.indexOf("result of get_weather")).toBeLessThan(sent.indexOf("result of get_time"));
  });

  it("says which tools there are, and whether one must be used", async () => {
    await using opened = await openUnderTest(tested, [{ text }, { text }]);
    await hear(opened.provider, { ...ask("Hi"), tools: [weather], toolChoice: "required", model });
    expect(JSON.stringify(opened.server.requests[0]?.body)).toContain("The weather of a city.");
    await hear(opened.provider, { ...ask("Hi"), model });
    expect(JSON.stringify(opened.server.requests[1]?.body)).not.toContain("tool_choice");
  });

  it.each([500, 8_000])("never asks for more than the allowed %i tokens, even if it reasons", async (maxTokens) => {
    await using opened = await openUnderTest(tested, () => ({ text }));
    for (const reasoning of ["off", "low", "high"] as const)
      await hear(opened.provider, { ...ask("Think."), reasoning, maxTokens, model });
    const limits = opened.server.requests.map(
      ({ body }) =>
        /"(?:max_tokens|max_output_tokens|maxOutputTokens|num_predict)":(\d+)/.exec(JSON.stringify(body))?.[1],
    );
    expect(limits).toEqual([String(maxTokens), String(maxTokens), String(maxTokens)]);
  });

  it("streams reasoning apart from the text, and keeps it in the message", async () => {
    const reasoning = { text: "First I think about it.", signature: "c2lnbmVk" };
    await using opened = await openUnderTest(tested, [{ text, reasoning, pieces: 3 }]);
    const heard = await hear(opened.provider, { ...ask("Think."), reasoning: "high", maxTokens: 8_000, model });
    expect([heard.reasoning, heard.text]).toEqual([reasoning.text, text]);
    expect(heard.finish.message.parts).toMatchObject([
      { kind: "reasoning", text: reasoning.text },
      { kind: "text", text },
    ]);
  });

  law(tested, "signature", "sends the signature of its reasoning back unchanged", async () => {
    const reasoning = { text: "First I look.", signature: "c2lnbmVkLWFuZC1zZWFsZWQ=" };
    const calls = [{ tool: "get_time", input: {} }];
    await using opened = await openUnderTest(tested, [{ calls, reasoning }, { text }]);
    const request = {
      ...ask(""),
      messages: [question],
      tools: [clock],
      reasoning: "high" as const,
      maxTokens: 8_000,
      model,
    };
    const { finish } = await hear(opened.provider, request);
    const [call] = finish.message.parts.filter((part) => part.kind === "tool-call");
    const results: ChatMessage = {
      role: "tool",
      parts: [{ kind: "tool-result", id: call?.id ?? "", name: "get_time", text: "noon", isError: false }],
    };
    // A journal or another process may hold the message in between.
    const kept = JSON.parse(JSON.stringify(finish.message)) as ChatMessage;
    await hear(opened.provider, { ...request, messages: [question, kept, results] });
    expect(JSON.stringify(opened.server.requests[1]?.body)).toContain(reasoning.signature);
  });

  law(tested, "reasoning tokens", "includes reasoning tokens in the output tokens", async () => {
    const usage = { in: 100, out: 90, reasoning: 70 };
    await using opened = await openUnderTest(tested, [{ text, reasoning: { text: "Hm." }, usage }]);
    expect((await hear(opened.provider, { ...ask("Think."), model })).finish.usage).toMatchObject(usage);
  });

  law(tested, "cached tokens", "includes cached tokens in the input tokens", async () => {
    const usage = { in: 2_000, out: 10, cached: 1_800 };
    await using opened = await openUnderTest(tested, [{ text, usage }]);
    expect((await hear(opened.provider, { ...ask("Again."), model })).finish.usage).toMatchObject(usage);
  });

  law(tested, "cache writes", "counts the tokens that were written to the prompt cache", async () => {
    const usage = { in: 2_000, out: 10, cached: 1_500, cacheWrite: 180 };
    await using opened = await openUnderTest(tested, [{ text, usage }]);
    expect((await hear(opened.provider, { ...ask("Again."), model })).finish.usage).toMatchObject(usage);
  });

  law(
    tested,
    "cache marks",
    "marks system, tools and the last message for the prompt cache, only if asked",
    async () => {
      await using opened = await openUnderTest(tested, [{ text }, { text }]);
      const request = { ...ask("Hi"), system: "Be short.", tools: [weather, clock], model };
      await hear(opened.provider, { ...request, promptCache: true });
      await hear(opened.provider, request);
      const [marked, plain] = opened.server.requests.map(({ body }) => JSON.stringify(body));
      expect(marked?.match(/"cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(3);
      expect(plain).not.toContain("cache_control");
    },
  );

  law(tested, "refusal", "says that the model refused", async () => {
    await using opened = await openUnderTest(tested, [{ text: "I cannot help with that.", stop: "refusal" }]);
    expect((await hear(opened.provider, { ...ask("Do it."), model })).finish.reason).toBe("refused");
  });

  law(tested, "raw input", "reports a tool call whose input is not JSON, and does not pass it on", async () => {
    const calls = [{ tool: "get_weather", input: {}, raw: '{"city": "Os' }];
    await using opened = await openUnderTest(tested, [{ calls }]);
    const { error, events } = await hearFailure(opened.provider, { ...ask("Hi"), tools: [weather], model });
    expect([error.failure.kind, events]).toEqual(["malformed", []]);
  });

  law(tested, "embeddings", "embeds texts in their order, one vector each", async () => {
    await using opened = await openUnderTest(tested, []);
    const texts = Array.from({ length: 150 }, (_, at) => `word${at}`);
    const signal = new AbortController().signal;
    const { vectors } = (await opened.provider.embed?.("embedder", texts, signal)) ?? { vectors: [] };
    const again = (await opened.provider.embed?.("embedder", texts.slice(149), signal)) ?? { vectors: [] };
    expect(vectors).toHaveLength(150);
    expect(vectors[149]).toEqual(again.vectors[0]);
  });

  it("lists its models", async () => {
    await using opened = await openUnderTest(tested, []);
    const names = await opened.provider.listModels?.(new AbortController().signal);
    expect(names?.map((name) => name.replace(":latest", ""))).toEqual(["scripted"]);
  });

  law(tested, "key", "shows its key to nobody but the server", async () => {
    const echo = `Incorrect API key provided: ${KEY}. See https://example.com?key=${KEY}`;
    const error = { status: 401, type: "authentication_error", message: echo };
    await using opened = await openUnderTest(tested, [{ error }]);
    const failed = await hearFailure(opened.provider, { ...ask("Hi"), model });
    expect(failed.error.failure).toMatchObject({ kind: "auth", status: 401 });
    expect(inspect([failed, failed.error.stack], { depth: 10, showHidden: true })).not.toContain(KEY);
    expect(inspect(opened.provider, { depth: 10, showHidden: true })).not.toContain(KEY);
    expect(JSON.stringify(opened.server.requests[0]?.headers)).toContain(KEY);
  });
});
