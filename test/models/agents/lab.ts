import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { newHttpApp } from "../../../src/entrypoints/http/app.ts";
import { newOpenChats } from "../../../src/entrypoints/http/open-chats.ts";
import { fixedClock } from "../../../src/lib/clock.ts";
import { openContext, type OpenMind } from "../../../src/mind.ts";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import { fakeEmbedder, type FakeEmbedder } from "../../../src/testing/fake-embedder.ts";
import { fakeOpenAi } from "../../../src/testing/fake-openai.ts";
import type { ModelRequest, Script, ScriptedServer } from "../../../src/testing/scripted-server.ts";
import type { TestStore } from "../../stores.ts";

export const CLAUDE = "anthropic/claude-sonnet-4-5";
export const GPT = "openai/gpt-5";
export const TOKEN = "t".repeat(32);
export const START = Date.parse("2026-11-17T12:00:00Z");

export interface AgentLab {
  readonly mind: OpenMind;
  readonly port: number;
  readonly clock: ReturnType<typeof fixedClock>;
  readonly claude: ScriptedServer;
  readonly gpt: ScriptedServer;
  readonly embedder: FakeEmbedder;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
  get(path: string, headers?: Record<string, string>): Promise<Answered>;
  /** A task for an agent, which must be answered. */
  complete(agent: string, body: object): Promise<Completion>;
  /** Closes the mind and the server, and opens them again on the same database. */
  restart(): Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  // The answer differs by endpoint; each test reads its own part.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface Completion {
  readonly response: string;
  readonly provider: string;
  readonly model: string;
  readonly cost: number;
  readonly cached: boolean;
  readonly healed: boolean;
  readonly route: readonly string[];
  readonly memory: readonly { readonly tier: string; readonly id: string; readonly text: string }[];
  readonly call: string;
  readonly session: string;
}

export interface LabOptions {
  readonly claude?: Script;
  readonly gpt?: Script;
  readonly use?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly same?: Readonly<Record<string, string>>;
}

/**
 * Agents over real HTTP, with two providers and an embedder on loopback. With options, they have their own home and database.
 * Without options, all tests of a file share one; each test then uses its own agent names and sees only its own requests.
 */
export async function withAgents(
  kind: TestStore,
  options: LabOptions | null,
  act: (lab: AgentLab) => Promise<void>,
): Promise<void> {
  if (options !== null) {
    const lab = await openAgents(kind, options);
    try {
      await act(lab);
    } finally {
      await lab.close();
    }
    return;
  }
  const opening = shared.get(kind.name) ?? openAgents(kind, {});
  shared.set(kind.name, opening);
  const lab = await opening;
  await act({ ...lab, port: lab.port, mind: lab.mind, claude: fromNowOn(lab.claude), gpt: fromNowOn(lab.gpt) });
}

const shared = new Map<string, Promise<OpenLab>>();

/** For `afterAll` of each file that uses them. A hook in this module would run only after the first file of its process. */
export async function closeSharedAgents(): Promise<void> {
  const labs = [...shared.values()];
  shared.clear();
  for (const lab of labs) await (await lab).close();
}

function fromNowOn(server: ScriptedServer): ScriptedServer {
  const before = server.requests.length;
  return {
    ...server,
    get requests() {
      return server.requests.slice(before);
    },
  };
}

type OpenLab = AgentLab & { close(): Promise<void> };

async function openAgents(kind: TestStore, options: LabOptions): Promise<OpenLab> {
  const { use = [CLAUDE], settings = {} } = options;
  const claude = await fakeAnthropic(options.claude ?? echo, { everyRequest: true });
  const gpt = await fakeOpenAi(options.gpt ?? echo, { everyRequest: true });
  const embedder = await fakeEmbedder({ ...(options.same === undefined ? {} : { same: options.same }), dims: 256 });
  const place = await kind.migrated();
  const dir = mkdtempSync(join(tmpdir(), "oldhand-agents-"));
  const home = join(dir, "mind");
  mkdirSync(home, { recursive: true });
  const { models = {}, ...others } = settings as { models?: object };
  writeFileSync(
    join(home, "config.json"),
    JSON.stringify({ ...others, models: { use, exploreShare: 0, retryMs: 1, ...models } }),
  );
  const env = {
    ANTHROPIC_BASE_URL: claude.url,
    ANTHROPIC_API_KEY: "plain-first-key-4711",
    OPENAI_BASE_URL: gpt.url,
    OPENAI_API_KEY: "plain-second-key-4712",
    OLDHAND_EMBEDDER: `${embedder.url}/v1#words`,
  };
  const clock = fixedClock(START);
  const open = async () => {
    const mind = await openContext({ home, database: place.database, env, clock });
    const app = newHttpApp({
      mind,
      token: TOKEN,
      assets: { find: () => null },
      chats: newOpenChats(mind),
      onChange: () => () => {},
    });
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    await new Promise((resolve) => server.once("listening", resolve));
    return { mind, server, port: (server.address() as AddressInfo).port };
  };
  let opened = await open();
  const close = async () => {
    if ("closeAllConnections" in opened.server) opened.server.closeAllConnections();
    await new Promise((resolve) => opened.server.close(resolve));
    await opened.mind.close();
  };
  const ask = async (path: string, init: RequestInit): Promise<Answered> => {
    const answer = await fetch(`http://127.0.0.1:${opened.port}${path}`, init);
    const text = await answer.text();
    const type = answer.headers.get("content-type") ?? "";
    return { status: answer.status, type, text, body: type.includes("json") ? JSON.parse(text) : null };
  };
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const post: AgentLab["post"] = (path, body, headers = {}) =>
    ask(path, {
      method: "POST",
      headers: { ...bearer, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return {
    get mind() {
      return opened.mind;
    },
    get port() {
      return opened.port;
    },
    clock,
    claude,
    gpt,
    embedder,
    post,
    get: (path, headers = {}) => ask(path, { headers: { ...bearer, ...headers } }),
    complete: async (agent, body) => {
      const answer = await post(`/agents/${agent}/complete`, body);
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
      return answer.body as Completion;
    },
    restart: async () => {
      await close();
      opened = await open();
    },
    close: async () => {
      await close();
      await Promise.all([claude.close(), gpt.close(), embedder.close()]);
      await place.remove();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Answers with the number of the request. */
const echo: Script = (_request, at) => ({ text: `answer ${at + 1}` });

/** The last request to a provider, as one text. */
export function lastSent({ requests }: ScriptedServer): string {
  return JSON.stringify(requests.at(-1)?.body ?? null);
}

/** The messages of a request to the Messages API: who spoke, and what. */
export function messagesOf({ body }: ModelRequest): readonly (readonly [role: string, text: string])[] {
  const { messages } = body as {
    messages: readonly { role: string; content: string | readonly { text?: string }[] }[];
  };
  return messages.map(({ role, content }) => [
    role,
    typeof content === "string" ? content : content.map((part) => part.text ?? "").join(""),
  ]);
}
