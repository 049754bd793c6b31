import { describe, expect, it } from "vitest";
import { newPlaceholders } from "../../../src/domain/model/placeholders.ts";
import { newRestore } from "../../../src/models/pass-through/restore-answer.ts";
import { hideInRequest } from "../../../src/models/pass-through/secret-texts.ts";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import { fakeOpenAi } from "../../../src/testing/fake-openai.ts";
import type { ModelRequest, ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import { stores, withStore } from "../../stores.ts";
import { newPassingServer, newProvider, send, storedRows } from "./passing.ts";
import { chatStream, messagesStream, responsesStream } from "./wire-samples.ts";

const [sqlite] = stores;
if (sqlite === undefined) throw new Error("there is no store");

const SECRET = "ghp_x7Kq2mVb9RtYwZ4nLs8JcDf3GhPa6Eu1oTiB";
const LINES = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(6)}-----END PRIVATE KEY-----`;
const PLACEHOLDER = /oldhand-secret-[0-9a-z]{10}/;

const use = { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: `curl -H 'token: ${SECRET}'`, n: 1 } };
const messages = [
  { role: "user", content: `The token is ${SECRET}.` },
  {
    role: "assistant",
    content: [{ type: "thinking", thinking: `I see ${SECRET}`, signature: `sig-${SECRET}` }, use],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: SECRET }] }],
  },
];
const tools = [{ name: "Bash", input_schema: { type: "object", maximum: 1 } }];

describe("a request while oldhand is off", () => {
  it("passes byte for byte, and still has a row with its cost", () =>
    withStore(sqlite, async ({ db }) => {
      const provider = await fakeAnthropic(() => ({ text: "ok" }), { everyRequest: true });
      const server = await newPassingServer(db, { ANTHROPIC_BASE_URL: provider.url }, { isOff: () => true });
      const body = { model: "claude-sonnet-4-5", max_tokens: 10, messages: [{ role: "user", content: SECRET }] };
      expect((await send(`${server.url}/v1/messages`, { body })).status).toBe(200);
      expect(provider.requests[0]?.body).toEqual(body);
      const [row] = await storedRows(db);
      expect(row).toMatchObject({ outcome: "ok", tokens_in: 100 });
      expect(row?.cost_nanos).toBeGreaterThan(0);
      await server.close();
      await provider.close();
    }));
});

describe("secrets in a request", () => {
  const hide = (body: object) => {
    const placeholders = newPlaceholders({ session: "s", key: "k" });
    const text = JSON.stringify(body).replace('"maximum":1', '"maximum": 9223372036854775807');
    return { text, hidden: hideInRequest("messages", text, JSON.parse(text), placeholders), placeholders };
  };

  it("become placeholders in texts, inputs and results, the same one everywhere; all other bytes stay", () => {
    const { text, hidden } = hide({ model: "m", tools, messages, metadata: { user_id: `x-${SECRET}` } });
    const [placeholder = ""] = PLACEHOLDER.exec(hidden) ?? [];
    expect(hidden.split(placeholder)).toHaveLength(4);
    const thinking = JSON.stringify(messages[1]?.content[0]);
    expect(hidden).toContain(thinking);
    expect(hidden).toContain(`"user_id":"x-${SECRET}"`);
    expect(hidden.replaceAll(placeholder, SECRET)).toBe(text);
  });

  it("leave the text unchanged if there are none", () => {
    const { text, hidden } = hide({ model: "m", tools, messages: [{ role: "user", content: "hello" }] });
    expect(hidden).toBe(text);
  });

  it("are hidden in JSON inside a string", () => {
    const placeholders = newPlaceholders({ session: "s", key: "k" });
    const args = JSON.stringify({ cmd: LINES });
    const body = { model: "m", input: [{ type: "function_call", call_id: "c", name: "sh", arguments: args }] };
    const text = JSON.stringify(body);
    const hidden = JSON.parse(hideInRequest("responses", text, body, placeholders)) as typeof body;
    expect(hidden.input[0]?.arguments).not.toContain("MIIE");
    expect(placeholders.restore(JSON.parse(hidden.input[0]?.arguments ?? ""))).toEqual({ cmd: LINES });
  });
});

describe("an answer without placeholders", () => {
  it.each([
    ["messages", messagesStream],
    // A piece that ends with the beginning of a placeholder waits for the next one.
    ["chat", chatStream({ includeUsage: true }).replace("Hello", "Good day")],
    ["responses", responsesStream("response.completed")],
  ] as const)("of %s keeps its bytes, wherever its chunks are cut", async (api, stream) => {
    const placeholders = newPlaceholders({ session: "s", key: "k" });
    placeholders.hide(`token ${SECRET}`);
    expect(placeholders.count).toBe(1);
    const bytes = Buffer.from(stream);
    for (const size of [1, 7, 100, bytes.length]) {
      const out: Buffer[] = [];
      for await (const chunk of newRestore(api, "text/event-stream", placeholders)(cut(bytes, size))) out.push(chunk);
      expect(Buffer.concat(out).toString()).toBe(stream);
    }
  });
});

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A model that repeats a placeholder in its text, its thinking and a tool's input. */
function echo(pieces: number, tool: string): (request: ModelRequest) => ScriptedTurn {
  return ({ body }) => {
    const [placeholder = "none"] = PLACEHOLDER.exec(JSON.stringify(body)) ?? [];
    return {
      text: `I use ${placeholder} now, and ${placeholder}`,
      reasoning: { text: `think ${placeholder}`, signature: "sig" },
      calls: [{ tool, input: { cmd: `echo ${placeholder}` } }],
      pieces,
    };
  };
}

describe("secrets through oldhand", () => {
  const url = { messages: "/v1/messages", chat: "/v1/chat/completions", responses: "/v1/responses" } as const;
  const prompt = `The token is ${SECRET}.`;
  const bodies = {
    messages: { model: "claude-sonnet-4-5", max_tokens: 9, tools, messages: [{ role: "user", content: prompt }] },
    chat: {
      model: "gpt-5",
      max_tokens: 9,
      tools: [{ type: "function", function: { name: "sh" } }],
      messages: [{ role: "user", content: prompt }],
    },
    responses: {
      model: "gpt-5",
      max_output_tokens: 9,
      tools: [{ type: "function", name: "sh" }],
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: prompt }] }],
    },
  } as const;

  it.each([
    ["messages", false],
    ["messages", true],
    ["chat", false],
    ["chat", true],
    ["responses", false],
    ["responses", true],
  ] as const)(
    "do not reach the provider of %s (stream: %s), and come back whole in text and tool calls",
    (api, stream) =>
      withStore(sqlite, async ({ db }) => {
        const isAnthropic = api === "messages";
        const script = echo(stream ? 40 : 1, isAnthropic ? "Bash" : "sh");
        const provider = await (isAnthropic ? fakeAnthropic(script) : fakeOpenAi(script));
        const server = await newPassingServer(db, { ANTHROPIC_BASE_URL: provider.url, OPENAI_BASE_URL: provider.url });
        const headers = { "session-id": "one", "accept-encoding": "gzip" };
        const answer = await send(`${server.url}${url[api]}`, { body: { ...bodies[api], stream }, headers });
        expect(answer.status).toBe(200);
        expect(JSON.stringify(provider.requests)).not.toContain(SECRET);
        expect(JSON.stringify(provider.requests)).toMatch(PLACEHOLDER);
        const said = stream ? joinStream(api, answer.body.toString()) : readWhole(api, answer.body.toString());
        expect(said.text).toBe(`I use ${SECRET} now, and ${SECRET}`);
        expect(JSON.parse(said.input)).toEqual({ cmd: `echo ${SECRET}` });
        if (isAnthropic) expect(said.thinking).toMatch(/^think oldhand-secret-[0-9a-z]{10}$/);
        await server.close();
        await provider.close();
      }),
  );

  it("are sent unchanged to a provider that the owner names", () =>
    withStore(sqlite, async ({ db }) => {
      const seen: string[] = [];
      const provider = await newProvider((_request, response, body) => {
        seen.push(body.toString());
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
      const env = { ANTHROPIC_BASE_URL: provider.url };
      const trusting = await newPassingServer(db, env, { models: { secretsTo: "loopback,anthropic" } });
      await send(`${trusting.url}/v1/messages`, { body: bodies.messages });
      expect(seen[0]).toBe(JSON.stringify(bodies.messages));
      const usual = await newPassingServer(db, env);
      await send(`${usual.url}/v1/messages/count_tokens`, { body: bodies.messages });
      expect(seen[1]).not.toContain(SECRET);
      await Promise.all([trusting.close(), usual.close()]);
      await provider.close();
    }));
});

interface Said {
  text: string;
  input: string;
  thinking: string;
}

interface Wire {
  readonly type?: string;
  readonly delta?: { readonly text?: string; readonly partial_json?: string; readonly thinking?: string } & string;
  readonly item?: { readonly type: string; readonly arguments?: string };
  readonly content?: readonly { readonly text?: string; readonly input?: unknown; readonly thinking?: string }[];
  readonly output?: readonly {
    readonly arguments?: string;
    readonly content?: readonly { readonly text?: string }[];
  }[];
  readonly choices?: readonly { readonly delta?: ChatPart; readonly message?: ChatPart }[];
}

interface ChatPart {
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
}

function joinStream(api: keyof typeof events, stream: string): Said {
  const said: Said = { text: "", input: "", thinking: "" };
  for (const block of stream.split("\n\n")) {
    const [, name] = /^event: (.*)$/m.exec(block) ?? [];
    const [, data = "[DONE]"] = /^data: (.*)$/m.exec(block) ?? [];
    if (data === "[DONE]") continue;
    const event = JSON.parse(data) as Wire;
    if (name !== undefined) expect(event.type).toBe(name);
    events[api](said, event);
  }
  return said;
}

const events = {
  messages: (said: Said, { delta }: Wire) => {
    said.text += delta?.text ?? "";
    said.input += delta?.partial_json ?? "";
    said.thinking += delta?.thinking ?? "";
  },
  chat: (said: Said, { choices = [] }: Wire) => {
    for (const { delta } of choices) {
      said.text += delta?.content ?? "";
      said.input += delta?.tool_calls?.[0]?.function.arguments ?? "";
    }
  },
  responses: (said: Said, { type, delta, item }: Wire) => {
    if (type === "response.output_text.delta") said.text += delta;
    if (type === "response.function_call_arguments.delta") said.input += delta;
    // The event that repeats the whole text agrees.
    if (type === "response.output_item.done" && item?.type === "function_call") expect(item.arguments).toBe(said.input);
  },
};

function readWhole(api: string, text: string): Said {
  const body = JSON.parse(text) as Wire;
  if (api === "messages") {
    const find = <K extends "text" | "input" | "thinking">(key: K) => body.content?.find((one) => key in one)?.[key];
    return { text: find("text") ?? "", input: JSON.stringify(find("input")), thinking: find("thinking") ?? "" };
  }
  if (api === "chat") {
    const message = body.choices?.[0]?.message;
    return { text: message?.content ?? "", input: message?.tool_calls?.[0]?.function.arguments ?? "", thinking: "" };
  }
  const texts = body.output?.flatMap(({ content = [] }) => content.flatMap(({ text: inner }) => inner ?? [])) ?? [];
  return { text: texts.join(""), input: body.output?.find((one) => one.arguments)?.arguments ?? "", thinking: "" };
}
