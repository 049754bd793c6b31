import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { loadConfig } from "../src/config.ts";
import { systemClock } from "../src/lib/clock.ts";
import type { Gateway, GatewayRequest } from "../src/models/gateway/gateway.ts";
import { gatewayOf } from "../src/models/gateway/gateway-of.ts";
import { openStoreInHome } from "../src/store/open.ts";
import { type Contender, computeTimeRatio, interleave, median, roundTo } from "./floor.ts";
import { type AgentReport, benchAgents } from "./gateway-agents.ts";
import { expectedText, startLoopbackProvider } from "./gateway-provider.ts";

export interface GatewayReport {
  readonly rounds: number;
  /** Milliseconds in the median, and at best: on a busy machine the best tells more. */
  readonly ms: Readonly<Record<string, { readonly p50: number; readonly best: number }>>;
  /** Medians over rounds of the ratio to another of the same round, and what it may be. */
  readonly gatewayToAi: number;
  readonly gatewayToAnthropicSdk: number | null;
  readonly cachedToUncached: number;
  /** A named agent over HTTP, by store. */
  readonly agents: AgentReport;
  readonly streams: StreamsReport;
}

export interface StreamsReport {
  readonly atOnce: number;
  readonly piecesEach: number;
  /** Streams that were not complete, over all rounds. */
  readonly broken: number;
  /** Megabytes of heap in use after each round, garbage collected. */
  readonly heapAfterRound: readonly number[];
}

const MODEL = "claude-haiku-4-5";
const KEY = "bench-key";

/** The gateway against the same call with nothing around it, and answers of the response cache against others. All interleaved. */
export async function benchGateway(options: {
  readonly rounds: number;
  readonly streams: number;
  /** The address of a server; null if there is none. */
  readonly postgres: string | null;
  readonly say: (line: string) => void;
}): Promise<GatewayReport> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-bench-gateway-"));
  const provider = await startLoopbackProvider();
  const env = { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: KEY };
  const loaded = loadConfig({ home, env });
  const config = { ...loaded, providers: { ...loaded.providers, models: [{ provider: "anthropic", model: MODEL }] } };
  const store = await openStoreInHome(home, { database: join(home, "mind.db"), busyMs: 10_000 });
  try {
    const gateway = gatewayOf({ db: store.db, clock: systemClock, config });
    options.say("one call at a time");
    const times = await measureCalls(gateway, provider.url, options.rounds);
    options.say("a named agent over HTTP");
    const { rounds, postgres } = options;
    const agents = await benchAgents({ rounds, dir: home, env, model: `anthropic/${MODEL}`, postgres });
    options.say(`${options.streams} streams at once`);
    const of = (name: string) => times.get(name) ?? [];
    const sdk = of("@anthropic-ai/sdk");
    return {
      rounds: options.rounds,
      ms: Object.fromEntries(
        [...times].map(([name, some]) => [name, { p50: roundTo(median(some)), best: roundTo(Math.min(...some)) }]),
      ),
      gatewayToAi: roundTo(computeTimeRatio(of("gateway"), of("ai"))),
      gatewayToAnthropicSdk: sdk.length === 0 ? null : roundTo(computeTimeRatio(of("gateway"), sdk)),
      cachedToUncached: roundTo(computeTimeRatio(of("gateway, cached"), of("gateway"))),
      agents,
      streams: await measureStreams(gateway, options.streams),
    };
  } finally {
    await store.close();
    provider.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

function request(text: string, more: Partial<GatewayRequest> = {}): GatewayRequest {
  const messages = [{ role: "user", parts: [{ kind: "text", text }] }] as const;
  return { agent: "bench", taskType: "triage", chat: { messages, maxTokens: 1_000 }, ...more };
}

async function measureCalls(gateway: Gateway, url: string, rounds: number) {
  let asked = 0;
  const cached = request("the same question pieces=20", { useResponseCache: true });
  await gateway.complete(cached);
  const contenders: Contender[] = [
    { name: "gateway", act: () => answered(gateway, request(`question ${asked++} pieces=20`)) },
    { name: "gateway, cached", act: () => answered(gateway, cached) },
    { name: "ai", act: await bareCall(url) },
  ];
  const sdk = await sdkCall(url);
  if (sdk !== null) contenders.push({ name: "@anthropic-ai/sdk", act: sdk });
  return interleave(contenders, { rounds, seconds: 0 });
}

async function answered(gateway: Gateway, asked: GatewayRequest): Promise<void> {
  const { text, outcome, failure } = await gateway.complete(asked);
  if (text !== expectedText(20)) throw new Error(`a call ended as ${outcome}: ${failure?.message ?? text}`);
}

/** The same call with the library under the gateway, and nothing else. */
async function bareCall(url: string): Promise<() => Promise<void>> {
  const { streamText } = await import("ai");
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey: KEY });
  return async () => {
    const result = streamText({
      model: anthropic(MODEL),
      messages: [{ role: "user", content: "question pieces=20" }],
      maxOutputTokens: 1_000,
      maxRetries: 0,
    });
    if ((await result.text) !== expectedText(20)) throw new Error("the bare call did not get the whole answer");
    await result.usage;
  };
}

/** Null where it is not installed. */
async function sdkCall(url: string): Promise<(() => Promise<void>) | null> {
  const found = await import("@anthropic-ai/sdk").catch(() => null);
  if (found === null) return null;
  const client = new found.Anthropic({ baseURL: url, apiKey: KEY, maxRetries: 0 });
  return async () => {
    const messages = [{ role: "user" as const, content: "question pieces=20" }];
    const stream = client.messages.stream({ model: MODEL, max_tokens: 1_000, messages });
    if ((await stream.finalText()) === "") throw new Error("the SDK did not get an answer");
  };
}

const STREAM_ROUNDS = 6;
const PIECES = 100;

async function measureStreams(gateway: Gateway, atOnce: number): Promise<StreamsReport> {
  const heapAfterRound: number[] = [];
  let broken = 0;
  for (let round = 0; round < STREAM_ROUNDS; round++) {
    const all = Array.from({ length: atOnce }, (_, n) =>
      listen(gateway, `stream ${round} ${n} pieces=${PIECES} pause=2`),
    );
    for (const text of await Promise.all(all)) broken += text === expectedText(PIECES) ? 0 : 1;
    collectGarbage();
    heapAfterRound.push(roundTo(process.memoryUsage().heapUsed / 1_000_000));
  }
  return { atOnce, piecesEach: PIECES, broken, heapAfterRound };
}

async function listen(gateway: Gateway, text: string): Promise<string> {
  let heard = "";
  for await (const event of gateway.stream(request(text))) if (event.kind === "text") heard += event.text;
  return heard;
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
