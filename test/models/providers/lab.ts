import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import { fakeGemini } from "../../../src/testing/fake-gemini.ts";
import { fakeOllama } from "../../../src/testing/fake-ollama.ts";
import { fakeOpenAi } from "../../../src/testing/fake-openai.ts";
import type { Script, ScriptedServer, ScriptOptions } from "../../../src/testing/scripted-server.ts";
import type { ChatEvent, ChatProvider, ChatRequest } from "../../../src/models/chat/chat.ts";
import { ModelCallError } from "../../../src/models/chat/chat.ts";
import { openProvider, type OpenProviderOptions } from "../../../src/models/providers/open-provider.ts";
import type { Endpoint, ProviderSettings } from "../../../src/domain/model/endpoint.ts";

/** No redaction rule recognises this key, so only the code under test keeps it out of texts. */
export const KEY = "plain-secret-value-4711";

export interface ProviderUnderTest {
  readonly name: string;
  readonly model: string;
  readonly serve: (script: Script, options?: ScriptOptions) => Promise<ScriptedServer>;
  readonly settings: (url: string) => ProviderSettings;
  /** Tests that do not apply to this provider, each with the reason. */
  readonly skips: Partial<Readonly<Record<Law, string>>>;
}

/** Features that not every API has. */
export type Law =
  | "signature"
  | "reasoning tokens"
  | "cached tokens"
  | "cache writes"
  | "cache marks"
  | "raw input"
  | "refusal"
  | "named error"
  | "embeddings"
  | "key";

const noMarks = "the provider's cache needs no marks";
const noWrites = "the provider does not report writes to its cache";
const wholeInput = "the API sends the input as an object, not as text";
const compatibleSkips = {
  signature: "Chat Completions have no signatures: the reasoning's text goes back",
  "cache writes": noWrites,
  "cache marks": noMarks,
};

export const providersUnderTest: readonly ProviderUnderTest[] = [
  {
    name: "anthropic",
    model: "claude-sonnet-4-5",
    serve: fakeAnthropic,
    settings: (url) => settingsWith({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY }),
    skips: { embeddings: "Anthropic has no embeddings" },
  },
  {
    name: "openai",
    model: "gpt-5",
    serve: fakeOpenAi,
    settings: (url) => settingsWith({ OPENAI_BASE_URL: url, OPENAI_API_KEY: KEY }),
    skips: { "cache marks": noMarks },
  },
  {
    name: "google",
    model: "gemini-2.5-flash",
    serve: fakeGemini,
    settings: (url) => settingsWith({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: KEY }),
    skips: { "cache marks": noMarks, "cache writes": noWrites, "raw input": wholeInput },
  },
  {
    name: "ollama",
    model: "qwen3:8b",
    serve: fakeOllama,
    settings: (url) => settingsWith({ OLLAMA_HOST: url }),
    skips: {
      signature: "Ollama has no signatures: the thinking's text goes back",
      "reasoning tokens": "Ollama counts thinking as output",
      "cached tokens": "Ollama does not report them",
      "cache writes": noWrites,
      "cache marks": noMarks,
      "raw input": wholeInput,
      refusal: "Ollama has no reason to stop for it",
      key: "Ollama needs no key",
      "named error": "errors of Ollama have a text and no name",
    },
  },
  {
    name: "workshop",
    model: "local/llama-4",
    serve: fakeOpenAi,
    settings: (url) =>
      settingsWith({ WORKSHOP_API_KEY: KEY }, [
        { name: "workshop", kind: "openai-compatible", url, keyEnv: ["WORKSHOP_API_KEY"], isLoopback: true },
      ]),
    skips: compatibleSkips,
  },
  ...[
    { name: "openrouter", at: "OPENROUTER_BASE_URL", key: "OPENROUTER_API_KEY" },
    { name: "huggingface", at: "HF_BASE_URL", key: "HF_TOKEN" },
    { name: "workersai", at: "WORKERS_AI_BASE_URL", key: "CLOUDFLARE_API_TOKEN" },
    { name: "vllm", at: "VLLM_BASE_URL", key: "VLLM_API_KEY" },
    { name: "lmstudio", at: "LMSTUDIO_BASE_URL", key: "LMSTUDIO_API_KEY" },
  ].map(({ name, at, key }) => ({
    name,
    model: "meta-llama/llama-4",
    serve: fakeOpenAi,
    settings: (url: string) => settingsWith({ [at]: url, [key]: KEY }),
    skips: compatibleSkips,
  })),
];

export function settingsWith(
  env: Readonly<Record<string, string>>,
  endpoints: readonly Endpoint[] = [],
): ProviderSettings {
  return { env, endpoints, models: [], defaultModel: null };
}

export interface OpenedProvider extends AsyncDisposable {
  readonly provider: ChatProvider;
  readonly server: ScriptedServer;
}

/** A provider and the scripted server that it talks to. Every request takes a turn. */
export async function openUnderTest(
  tested: ProviderUnderTest,
  script: Script,
  options: OpenProviderOptions = {},
): Promise<OpenedProvider> {
  const server = await tested.serve(script, { everyRequest: true });
  const provider = await openProvider(tested.name, tested.settings(server.url), options);
  return { provider, server, [Symbol.asyncDispose]: () => server.close() };
}

export function ask(text: string, more: Partial<ChatRequest> = {}): Omit<ChatRequest, "model"> {
  return { messages: [{ role: "user", parts: [{ kind: "text", text }] }], maxTokens: 1_000, ...more };
}

export interface Heard {
  readonly events: readonly ChatEvent[];
  readonly text: string;
  readonly reasoning: string;
  readonly finish: Extract<ChatEvent, { kind: "finish" }>;
}

export async function hear(
  provider: ChatProvider,
  request: ChatRequest,
  signal = new AbortController().signal,
): Promise<Heard> {
  const events: ChatEvent[] = [];
  for await (const event of provider.chat(request, signal)) events.push(event);
  const finish = events.at(-1);
  if (finish?.kind !== "finish") throw new Error("the last event is not `finish`");
  const join = (kind: "text" | "reasoning") =>
    events.flatMap((event) => (event.kind === kind ? [event.text] : [])).join("");
  return { events, text: join("text"), reasoning: join("reasoning"), finish };
}

/** The error of a call that must fail, and the events that came before it. */
export async function hearFailure(
  provider: ChatProvider,
  request: ChatRequest,
  signal = new AbortController().signal,
): Promise<{ readonly error: ModelCallError; readonly events: readonly ChatEvent[] }> {
  const events: ChatEvent[] = [];
  try {
    for await (const event of provider.chat(request, signal)) events.push(event);
  } catch (error) {
    if (error instanceof ModelCallError) return { error, events };
    throw error;
  }
  throw new Error("the call did not fail");
}
