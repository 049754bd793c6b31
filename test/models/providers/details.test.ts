import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { isLoopbackUrl } from "../../../src/domain/model/endpoint.ts";
import { readProviders } from "../../../src/domain/model/read-providers.ts";
import { OldhandError } from "../../../src/lib/errors.ts";
import { classifyError, readSaidError } from "../../../src/models/providers/classify-error.ts";
import { readOllamaHost } from "../../../src/models/providers/ollama-host.ts";
import { openProvider } from "../../../src/models/providers/open-provider.ts";
import { findEndpoint, keyOf, listEndpoints } from "../../../src/models/providers/registry.ts";
import { readRetryAfter } from "../../../src/models/providers/retry-after.ts";
import { ask, hear, KEY, openUnderTest, providersUnderTest, settingsWith } from "./lab.ts";

const named = (name: string) => providersUnderTest.find((one) => one.name === name)!;

describe("endpoints", () => {
  it.each([
    [undefined, "http://127.0.0.1:11434"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    [":8080", "http://127.0.0.1:8080"],
    ["box:1234", "http://box:1234"],
    ["http://box", "http://box:80"],
    ["https://box/", "https://box:443"],
    ["[::1]:9999", "http://[::1]:9999"],
  ])("read OLLAMA_HOST %j as Ollama does", (value, url) => {
    expect(readOllamaHost(value)).toBe(url);
  });

  it.each([
    ["http://localhost:1/v1", true],
    ["http://127.9.9.9", true],
    ["http://[::1]:8000", true],
    ["http://me@127.0.0.1/", true],
    ["http://127.0.0.1.example.com", false],
    ["http://localhost@example.com", false],
    ["https://example.com/127.0.0.1", false],
    ["http://192.168.1.2:8000", false],
  ])("know whether %s is this machine", (url, expected) => {
    expect(isLoopbackUrl(url)).toBe(expected);
  });

  it("of paid models cost money also behind a proxy on this machine; local servers are free", () => {
    const local = settingsWith({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
      VLLM_BASE_URL: "http://gpu.example.com/v1",
    });
    const free = Object.fromEntries(listEndpoints(local).map((one) => [one.name, one.isLoopback]));
    expect(free).toMatchObject({ anthropic: false, openai: false, ollama: true, lmstudio: true, vllm: false });
  });

  it("of the owner override presets of the same name, and addresses of other clients are understood", () => {
    const own = {
      name: "vllm",
      kind: "openai-compatible",
      url: "http://127.0.0.1:5/v1",
      keyEnv: [],
      isLoopback: true,
    } as const;
    expect(findEndpoint("vllm", settingsWith({}, [own]))).toBe(own);
    const env = {
      ANTHROPIC_BASE_URL: "https://proxy.example.com/",
      GOOGLE_GEMINI_BASE_URL: "https://g.example.com/v1beta",
    };
    expect(findEndpoint("anthropic", settingsWith(env))?.url).toBe("https://proxy.example.com/v1");
    expect(findEndpoint("google", settingsWith(env))?.url).toBe("https://g.example.com/v1beta");
    const account = settingsWith({ CLOUDFLARE_ACCOUNT_ID: "a/b" });
    expect(findEndpoint("workersai", account)?.url).toBe("https://api.cloudflare.com/client/v4/accounts/a%2Fb/ai/v1");
  });

  it("without their variables cannot be opened, and the error names all of them", async () => {
    const refused = async (name: string) => openProvider(name, settingsWith({})).catch((error: unknown) => error);
    expect(await refused("google")).toMatchObject({
      code: "config",
      message: "google needs the environment variable GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY or GOOGLE_API_KEY",
    });
    expect(await refused("workersai")).toMatchObject({
      message: "workersai needs the environment variable CLOUDFLARE_ACCOUNT_ID, and CLOUDFLARE_API_TOKEN",
    });
    const unknown = await refused("opnai");
    expect([unknown instanceof OldhandError, (unknown as OldhandError).hint]).toEqual([
      true,
      expect.stringContaining("did you mean openai?"),
    ]);
  });

  it("are in the settings without any key: copies of the settings have none", () => {
    const models = { use: ["anthropic/a", "no-slash"], default: "", endpoints: {} };
    const settings = readProviders(models, { ANTHROPIC_API_KEY: KEY });
    expect(settings.models).toEqual([{ provider: "anthropic", model: "a" }]);
    expect(keyOf(findEndpoint("anthropic", settings)!, settings.env)).toBe(KEY);
    expect(inspect(settings, { depth: 9 }) + JSON.stringify(structuredClone(settings))).not.toContain(KEY);
  });
});

describe("errors in the words of the providers", () => {
  const classify = (status: number | null, body: unknown) =>
    classifyError({ status, ...readSaidError(body), retryAfterMs: null });

  it.each([
    [
      400,
      {
        error: {
          code: 400,
          status: "INVALID_ARGUMENT",
          message: "API key not valid.",
          details: [{ reason: "API_KEY_INVALID" }],
        },
      },
      "auth",
    ],
    [
      400,
      { error: { message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)." } },
      "too-long",
    ],
    [
      404,
      {
        error: { code: 404, status: "NOT_FOUND", message: "models/gemini-1.0-pro is not found for API version v1beta" },
      },
      "no-such-model",
    ],
    [
      429,
      { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Resource has been exhausted" } },
      "rate-limited",
    ],
    [
      400,
      {
        error: {
          type: "invalid_request_error",
          code: "model_not_found",
          message: "The requested model 'x' does not exist.",
        },
      },
      "no-such-model",
    ],
    [
      400,
      { error: { message: "This model's maximum context length is 8192 tokens.", code: "context_length_exceeded" } },
      "too-long",
    ],
    [
      400,
      { error: { message: "The model `llama2` has been decommissioned", code: "model_decommissioned" } },
      "no-such-model",
    ],
    [
      403,
      { error: { code: 403, message: "Your chosen model requires moderation and your input was flagged" } },
      "refused",
    ],
    [402, { error: { code: 402, message: "This request requires more credits" } }, "quota"],
    [400, { success: false, errors: [{ code: 5007, message: "No such model @cf/meta/llama-9" }] }, "no-such-model"],
    [404, { error: "model 'qwen9' not found" }, "no-such-model"],
    [404, { type: "error", error: { type: "not_found_error", message: "model: claude-9" } }, "no-such-model"],
    // A mistyped address.
    [404, { detail: "Not Found" }, "bad-request"],
    [404, { type: "error", error: { type: "not_found_error", message: "Not Found" } }, "bad-request"],
    [404, { error: { message: "Invalid URL (POST /v1/nope)", type: "invalid_request_error" } }, "bad-request"],
    [500, { error: "llama runner process has terminated: the prompt context window model not found" }, "overloaded"],
    [null, { error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded"],
    [null, { error: { code: 429, message: "Rate limit" } }, "rate-limited"],
    [null, { error: "unexpected EOF" }, "overloaded"],
    [422, { detail: "nonsense" }, "bad-request"],
  ])("%s %j", (status, body, kind) => {
    expect(classify(status, body)).toBe(kind);
  });

  it.each([
    [{ "retry-after": "2" }, null, 2_000],
    [{ "retry-after": "0.5" }, null, 500],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, null, 1_500],
    [{ "retry-after": "Thu, 01 Jan 1970 00:01:40 GMT" }, null, 40_000],
    [{ "retry-after": "Thu, 01 Jan 1970 00:00:01 GMT" }, null, 0],
    [{ "retry-after": "soon" }, null, null],
    [{}, { error: { details: [{ "@type": "RetryInfo", retryDelay: "35s" }] } }, 35_000],
    [{}, null, null],
  ])("ask to wait with %j %j", (headers, body, ms) => {
    expect(readRetryAfter(new Headers(headers), body, 60_000)).toBe(ms);
  });
});

describe("requests", () => {
  it("to Ollama ask for a context that holds them, because Ollama cuts longer ones silently", async () => {
    await using opened = await openUnderTest(named("ollama"), [{ text: "ok" }, { text: "ok" }]);
    await hear(opened.provider, { ...ask("short"), model: "qwen3:8b" });
    await hear(opened.provider, { ...ask("long ".repeat(10_000)), model: "qwen3:8b" });
    const contexts = opened.server.requests.map(
      ({ body }) => (body as { options: { num_ctx?: number } }).options.num_ctx,
    );
    expect(contexts).toEqual([undefined, 32_768]);
  });

  it("for Anthropic's models through OpenRouter have marks for the cache, others have none", async () => {
    await using opened = await openUnderTest(named("openrouter"), [{ text: "ok" }, { text: "ok" }]);
    const request = { ...ask("Hi"), system: "Be short.", promptCache: true };
    await hear(opened.provider, { ...request, model: "anthropic/claude-sonnet-4.5" });
    await hear(opened.provider, { ...request, model: "meta-llama/llama-4" });
    const marked = (text: string) => [{ type: "text", text, cache_control: { type: "ephemeral" } }];
    expect(opened.server.requests.map(({ body }) => (body as { readonly messages: unknown }).messages)).toEqual([
      [
        { role: "system", content: marked("Be short.") },
        { role: "user", content: marked("Hi") },
      ],
      [
        { role: "system", content: "Be short." },
        { role: "user", content: "Hi" },
      ],
    ]);
  });

  it("to OpenAI ask it to store nothing, and to return the reasoning encrypted", async () => {
    await using opened = await openUnderTest(named("openai"), [{ text: "ok" }]);
    await hear(opened.provider, { ...ask("Hi"), reasoning: "low", model: "gpt-5" });
    expect(opened.server.requests[0]).toMatchObject({
      path: "/v1/responses",
      body: { store: false, include: ["reasoning.encrypted_content"], reasoning: { effort: "low" } },
    });
  });

  it("whose server reports no usage are estimated, never free", async () => {
    await using opened = await openUnderTest(named("workshop"), [
      { text: "A long answer.", fault: { kind: "half-closed", after: 3 } },
    ]);
    const { finish } = await hear(opened.provider, { ...ask("How are you today?"), model: "m" });
    expect(finish.usage.in).toBeGreaterThan(5);
    expect(finish.usage.out).toBeGreaterThan(3);
  });

  it("that break are billed too: the error has the usage that Anthropic reported for the prompt", async () => {
    const turn = {
      text: "Hello there.",
      usage: { in: 900, out: 50, cached: 800 },
      fault: { kind: "half-closed" as const, after: 4 },
    };
    await using opened = await openUnderTest(named("anthropic"), [turn]);
    await expect(hear(opened.provider, { ...ask("Hi"), model: "claude-sonnet-4-5" })).rejects.toMatchObject({
      failure: { kind: "cut-off" },
      usage: { in: 900, cached: 800 },
    });
  });

  it("of many callers at once keep every piece", async () => {
    await using opened = await openUnderTest(named("anthropic"), (_request, at) => ({
      text: `${at} `.repeat(200),
      pieces: 50,
    }));
    const heard = await Promise.all(
      Array.from({ length: 40 }, () => hear(opened.provider, { ...ask("Hi"), model: "claude-sonnet-4-5" })),
    );
    expect(heard.map(({ text }) => text).toSorted()).toEqual(
      Array.from({ length: 40 }, (_, at) => `${at} `.repeat(200)).toSorted(),
    );
  });
});
