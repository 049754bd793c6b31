import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { owner } from "../../../src/domain/actor.ts";
import { type Cap, defaultDayCap } from "../../../src/domain/model/caps.ts";
import { defaultPolicy, type Policy } from "../../../src/domain/policy.ts";
import { answerModelRequest, isModelPath } from "../../../src/entrypoints/http/model-requests.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { openPassThrough, type PassThroughOptions } from "../../../src/models/pass-through/pass-through.ts";
import { openPrices } from "../../../src/models/prices/prices.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { applyChange, makeProvenance } from "../../../src/store/journal/journal.ts";
import { capNoun } from "../../../src/store/nouns/caps.ts";

export const TOKEN = "the-token-of-this-server-0123456789abcdef";

/** `oldhand serve` with a database, in this process. */
export interface PassingServer {
  readonly port: number;
  readonly url: string;
  readonly said: readonly string[];
  close(): Promise<void>;
}

const prices = openPrices({ isLoopback: (name) => name === "ollama" || name === "vllm" });

/** `env` holds the addresses of the providers: ANTHROPIC_BASE_URL, OPENAI_BASE_URL. */
export async function newPassingServer(
  db: Db,
  env: Readonly<Record<string, string>>,
  { models, ...options }: Partial<PassThroughOptions> & { readonly models?: Partial<Policy["models"]> } = {},
): Promise<PassingServer> {
  const said: string[] = [];
  const own = { port: 0, tokens: [TOKEN], id: randomUUID() };
  const passThrough = openPassThrough({
    db,
    clock: systemClock,
    config: () => ({
      providers: { env, endpoints: [], models: [], defaultModel: null },
      policy: { ...defaultPolicy, models: { ...defaultPolicy.models, retryMs: 5, retrySeconds: 1, ...models } },
    }),
    prices: () => prices,
    own: () => own,
    isOff: () => false,
    say: (line) => said.push(line),
    ...options,
  });
  const server = createServer((incoming, response) => {
    if (isModelPath(incoming.url)) void answerModelRequest(passThrough, [TOKEN], incoming, response);
    else response.writeHead(404).end();
  });
  const port = await listen(server);
  own.port = port;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    said,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await passThrough.close();
    },
  };
}

/** A provider whose answers the test writes. */
export async function newProvider(
  answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void | Promise<void>,
): Promise<{ readonly url: string; readonly port: number; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    response.on("error", () => {});
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => void answer(incoming, response, Buffer.concat(chunks)));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** The connection broke before the end. */
  readonly isBroken: boolean;
}

export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sees each chunk; `stop` hangs up. */
  readonly onChunk?: (chunk: Buffer, stop: () => void) => void;
}

/** A client that records everything as it arrived. */
export function send(url: string, { method = "POST", headers = {}, body, onChunk }: Sending = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      {
        method,
        agent: false,
        headers: {
          "content-type": "application/json",
          "x-oldhand-token": TOKEN,
          "x-api-key": "sk-ant-api03-of-the-client",
          "user-agent": "claude-cli/2.1.325 (external, sdk-cli)",
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        const done = (isBroken: boolean) =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            rawHeaders: answer.rawHeaders,
            body: Buffer.concat(chunks),
            isBroken,
          });
        answer.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          onChunk?.(chunk, () => asked.destroy());
        });
        answer.on("end", () => done(false));
        answer.on("error", () => done(true));
      },
    );
    asked.on("error", reject);
    asked.end(body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
}

export interface StoredRow {
  readonly agent: string;
  readonly session: string | null;
  readonly provider: string;
  readonly model: string;
  readonly outcome: string;
  readonly failure: string | null;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost_nanos: number;
  readonly price_known: number;
  readonly list_price: number;
  readonly healed: number;
  readonly route: string;
  readonly attempts: number;
}

export function storedRows(db: Db): Promise<StoredRow[]> {
  return db.all<StoredRow>(
    `select agent, session, provider, model, outcome, failure, tokens_in, tokens_out, cost_nanos, price_known, list_price,
      healed, route, (select count(*) from model_attempts where call = model_calls.id) as attempts
     from model_calls where way = 'pass-through' order by at, id`,
  );
}

/** Waits until there are this many rows, because a client that hangs up does not wait for its row. */
export async function awaitRows(db: Db, count: number): Promise<StoredRow[]> {
  for (;;) {
    const rows = await storedRows(db);
    if (rows.length >= count) return rows;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What is still reserved, in billionths of a dollar. */
export async function heldAmount(db: Db): Promise<number> {
  const row = await db.get<{ held: number | null }>(
    "select sum(amount_nanos) as held from model_reservations where state = 'held'",
  );
  return Number(row?.held ?? 0);
}

/** The owner's cap of the day, in dollars. */
export async function setDayCap(db: Db, dollars: number, counts: Cap["counts"] = "paid"): Promise<void> {
  const by = makeProvenance({ actor: owner, clock: systemClock }, "models caps set");
  await applyChange(db, { noun: capNoun, id: "day" }, by, () => ({
    ...defaultDayCap,
    limit: dollars,
    counts,
  }));
}
