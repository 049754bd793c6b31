import type { ProviderSettings } from "../../../src/domain/model/endpoint.ts";
import { parseModelRef, type ModelRef } from "../../../src/domain/model/model-ref.ts";
import { defaultPolicy, type Policy } from "../../../src/domain/policy.ts";
import { fixedClock } from "../../../src/lib/clock.ts";
import type { ChatProvider, ChatRequest } from "../../../src/models/chat/chat.ts";
import type { Gateway, GatewayEvent, GatewayRequest } from "../../../src/models/gateway/gateway.ts";
import { openGateway } from "../../../src/models/gateway/open-gateway.ts";
import { openPrices } from "../../../src/models/prices/prices.ts";
import { openProvider } from "../../../src/models/providers/open-provider.ts";
import { findEndpoint } from "../../../src/models/providers/registry.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import { fakeOpenAi } from "../../../src/testing/fake-openai.ts";
import type { Script, ScriptedServer } from "../../../src/testing/scripted-server.ts";
import { type TestStore, withStore } from "../../stores.ts";

/** Keys that no redaction rule recognises, so only the code under test keeps them out of what is stored. */
export const KEYS = { anthropic: "plain-first-key-4711", openai: "plain-second-key-4712" };
export const CLAUDE = "anthropic/claude-sonnet-4-5";
export const GPT = "openai/gpt-5";
export const START = Date.parse("2026-11-17T12:00:00Z");

export interface Lab {
  readonly gateway: Gateway;
  readonly db: Db;
  readonly database: string;
  readonly clock: ReturnType<typeof fixedClock>;
  readonly claude: ScriptedServer;
  readonly gpt: ScriptedServer;
  /** Another process would have its own. */
  reopen(): Gateway;
}

export interface LabOptions {
  readonly claude?: Script;
  readonly gpt?: Script;
  readonly models?: Partial<Policy["models"]>;
  readonly use?: readonly string[];
  readonly idleMs?: number;
}

/** A gateway over a store, and two providers on loopback that are treated as remote ones. */
export async function withGateway(
  kind: TestStore,
  { claude: claudeScript = [], gpt: gptScript = [], models = {}, use = [CLAUDE, GPT], idleMs }: LabOptions,
  act: (lab: Lab) => Promise<void>,
): Promise<void> {
  const claude = await fakeAnthropic(claudeScript, { everyRequest: true });
  const gpt = await fakeOpenAi(gptScript, { everyRequest: true });
  try {
    await withStore(kind, async ({ db }, database) => {
      const clock = fixedClock(START);
      const providers: ProviderSettings = {
        env: {
          ANTHROPIC_BASE_URL: claude.url,
          ANTHROPIC_API_KEY: KEYS.anthropic,
          OPENAI_BASE_URL: gpt.url,
          OPENAI_API_KEY: KEYS.openai,
        },
        endpoints: [],
        models: use.map(ref),
        defaultModel: null,
      };
      const policy = { models: { ...defaultPolicy.models, exploreShare: 0, retryMs: 1, ...models } };
      const reopen = () => {
        const opened = new Map<string, Promise<ChatProvider>>();
        const prices = openPrices({ isLoopback: (name) => findEndpoint(name, providers)?.isLoopback ?? false });
        return openGateway({
          db,
          clock,
          config: { policy, providers },
          provider: (name) => {
            const limits = idleMs === undefined ? {} : { idleMs };
            const known = opened.get(name) ?? openProvider(name, providers, limits);
            opened.set(name, known);
            return known;
          },
          prices: () => prices,
          random: () => 0.5,
        });
      };
      await act({ gateway: reopen(), db, database, clock, claude, gpt, reopen });
    });
  } finally {
    await claude.close();
    await gpt.close();
  }
}

export function ref(text: string): ModelRef {
  const parsed = parseModelRef(text);
  if (parsed === null) throw new Error(text);
  return parsed;
}

/** A request for the first model, so that the order of attempts is known. */
export function requestTo(model: string | null, text = "hello", more: Partial<GatewayRequest> = {}): GatewayRequest {
  return {
    agent: "tester",
    taskType: "triage",
    chat: says(text),
    ...(model === null ? {} : { model: ref(model), mayUseOthers: true }),
    ...more,
  };
}

export function says(text: string, more: Partial<ChatRequest> = {}): Omit<ChatRequest, "model"> {
  return { messages: [{ role: "user", parts: [{ kind: "text", text }] }], maxTokens: 500, ...more };
}

export async function hearAll(events: AsyncIterable<GatewayEvent>): Promise<readonly GatewayEvent[]> {
  const all: GatewayEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export function textOf(events: readonly GatewayEvent[]): string {
  return events.map((event) => (event.kind === "text" ? event.text : "")).join("");
}

export function listRows(db: Db): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return db.all(
    "select id, provider, model, outcome, failure, healed, cost_nanos, tokens_in, tokens_out, route from model_calls order by at, id",
  );
}

export function listAttempts(db: Db): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return db.all("select provider, failure, cost_nanos, price from model_attempts order by call, number");
}

export function listHeld(db: Db): Promise<readonly unknown[]> {
  return db.all("select id from model_reservations");
}
