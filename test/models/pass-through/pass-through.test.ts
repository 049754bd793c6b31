import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../src/domain/policy.ts";
import { openPrices } from "../../../src/models/prices/prices.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { type FakeAnthropic, fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import { fakeOpenAi } from "../../../src/testing/fake-openai.ts";
import type { ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import { stores, withStore } from "../../stores.ts";
import {
  awaitRows,
  heldAmount,
  newPassingServer,
  newProvider,
  type PassingServer,
  send,
  setDayCap,
  storedRows,
  TOKEN,
} from "./passing.ts";
import { messagesStream, responsesStream } from "./wire-samples.ts";

const model = "claude-sonnet-4-5";
const ask = (more: object = {}) => ({ model, max_tokens: 1_000, messages: [{ role: "user", content: "hi" }], ...more });
const streamed = ask({ stream: true });

/** Dollars per million tokens of that model: 3 in, 15 out. */
const COST = 100 * 3_000 + 20 * 15_000;

async function withAnthropic(
  db: Db,
  turns: readonly ScriptedTurn[],
  act: (server: PassingServer, provider: FakeAnthropic) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const provider = await fakeAnthropic(turns, { everyRequest: true });
  const server = await newPassingServer(db, { ANTHROPIC_BASE_URL: provider.url, ...env });
  try {
    await act(server, provider);
    expect(await heldAmount(db)).toBe(0);
    expect(server.said).toEqual([]);
  } finally {
    await server.close();
    await provider.close();
  }
}

/** Only tests about rows and money need both databases. */
const [sqlite] = stores;
if (sqlite === undefined) throw new Error("there is no store");

describe("a server on this machine", () => {
  it("is called without a key if the variable of its key is not set, as oldhand's own calls are", () =>
    withStore(sqlite, async ({ db }) => {
      const provider = await fakeOpenAi([{ text: "Hello." }]);
      const endpoint = { name: "shed", kind: "openai-compatible", url: provider.url, keyEnv: ["SHED_KEY"] } as const;
      const settings = (isLoopback: boolean) => ({
        prices: () => openPrices({ isLoopback: () => isLoopback }),
        config: () => ({
          providers: { env: {}, endpoints: [{ ...endpoint, isLoopback }], models: [], defaultModel: null },
          policy: defaultPolicy,
        }),
      });
      for (const isLoopback of [true, false]) {
        const server = await newPassingServer(db, {}, settings(isLoopback));
        const headers = { "x-oldhand-provider": "shed", authorization: `Bearer ${TOKEN}`, "x-api-key": "" };
        const body = { model: "m", messages: [{ role: "user", content: "hi" }] };
        const answer = await send(`${server.url}/v1/chat/completions`, { headers, body });
        expect([isLoopback, answer.status]).toEqual([isLoopback, isLoopback ? 200 : 401]);
        await server.close();
      }
      await provider.close();
    }));
});

describe.each(stores)("a call through oldhand, on $name", (kind) => {
  it("is answered as by the provider, and stored as one row with its cost", () =>
    withStore(kind, ({ db }) =>
      withAnthropic(db, [{ text: "Hello." }, { text: "Hello." }], async (server) => {
        const headers = { "x-claude-code-session-id": "12fbc982-87ff-4854" };
        const whole = await send(`${server.url}/v1/messages`, { body: ask(), headers });
        expect(JSON.parse(whole.body.toString())).toMatchObject({ content: [{ text: "Hello." }] });
        const stream = await send(`${server.url}/v1/messages?beta=true`, { body: streamed, headers });
        expect(stream.body.toString()).toMatch(/^event: message_start\n[^]*event: message_stop\ndata: .*\n\n$/);
        const row = {
          agent: "claude-code",
          session: "12fbc982-87ff-4854",
          provider: "anthropic",
          model,
          outcome: "ok",
          failure: null,
          tokens_in: 100,
          tokens_out: 20,
          cost_nanos: COST,
          price_known: 1,
          list_price: 0,
          healed: 0,
          route: JSON.stringify(["the client chose the model"]),
          attempts: 1,
        };
        // No wait: a call is settled before its client has the last byte.
        expect(await storedRows(db)).toEqual([row, row]);
        expect(await heldAmount(db)).toBe(0);
      }),
    ));

  it("is stopped at the cap with 402 in the API's error format, and the command that extends the cap", () =>
    withStore(kind, async ({ db }) => {
      await setDayCap(db, 0.02);
      await withAnthropic(db, [{ text: "One." }, { text: "Two." }], async (server, provider) => {
        expect((await send(`${server.url}/v1/messages`, { body: streamed })).status).toBe(200);
        const refused = await send(`${server.url}/v1/messages`, { body: ask({ max_tokens: 2_000 }) });
        expect([refused.status, refused.headers["x-should-retry"]]).toEqual([402, "false"]);
        expect(JSON.parse(refused.body.toString())).toEqual({
          type: "error",
          error: {
            type: "billing_error",
            message: expect.stringMatching(
              /^oldhand: the cap day is \$0\.020?: .* oldhand models caps extend day [\d.]+$/,
            ),
          },
        });
        const openAi = await send(`${server.url}/v1/responses`, { body: { model: "gpt-5", input: "hi" } });
        expect(openAi.status).toBe(402);
        expect(JSON.parse(openAi.body.toString())).toMatchObject({
          error: { type: "insufficient_quota", message: expect.stringContaining("oldhand models caps extend day") },
        });
        const strange = await send(`${server.url}/v1/responses`, { body: { model: "no-such-model", input: "hi" } });
        expect(strange.body.toString()).toContain("the price of openai/no-such-model is unknown");
        expect(provider.requests).toHaveLength(1);
        expect(
          (await storedRows(db)).map(({ outcome, failure, cost_nanos }) => [outcome, failure, cost_nanos]),
        ).toEqual([
          ["ok", null, COST],
          ["capped", "cap", 0],
          ["capped", "cap", 0],
          ["capped", "cap", 0],
        ]);
      });
    }));

  it("with a subscription counts at list price, marked, and not against a cap for paid calls only", () =>
    withStore(kind, async ({ db }) => {
      await setDayCap(db, 0.001);
      await withAnthropic(db, [{ text: "One." }], async (server, provider) => {
        const authorization = "Bearer sk-ant-oat01-secret-of-the-subscription";
        const headers = { authorization, "anthropic-beta": "oauth-2025-04-20,new-thing-2027-01-01", "x-api-key": "" };
        expect((await send(`${server.url}/v1/messages`, { body: ask(), headers })).status).toBe(200);
        expect(provider.requests[0]?.headers).toMatchObject({
          authorization,
          "anthropic-beta": "oauth-2025-04-20,new-thing-2027-01-01",
        });
        expect(await storedRows(db)).toMatchObject([{ outcome: "ok", list_price: 1, cost_nanos: COST }]);
      });
      const everything = JSON.stringify(await dump(db));
      expect(everything).toContain("claude-code");
      expect(everything).not.toContain("sk-ant-oat01");
    }));

  it("whose client hangs up is stopped at the provider, and settled by what had arrived, marked as an estimate", () =>
    withStore(kind, ({ db }) =>
      withAnthropic(db, [{ text: "word ".repeat(400), pieces: 200, pauseMs: 20 }], async (server) => {
        const answer = await send(`${server.url}/v1/messages`, {
          body: streamed,
          onChunk: (chunk, stop) => {
            if (chunk.includes("text_delta")) stop();
          },
        });
        expect(answer.isBroken).toBe(true);
        const [row] = await awaitRows(db, 1);
        expect(row).toMatchObject({ outcome: "aborted", failure: "aborted", tokens_in: 100 });
        expect(row?.tokens_out).toBeGreaterThan(0);
        expect(row?.tokens_out).toBeLessThan(400);
        expect(row?.route).toContain("estimated");
      }),
    ));
});

async function dump(db: Db): Promise<unknown> {
  const tables = ["model_calls", "model_attempts", "model_reservations", "model_days", "journal", "kv"];
  return Promise.all(tables.map((table) => db.all(`select * from ${table}`)));
}

const onSqlite = (act: (db: Db) => Promise<void>) => () => withStore(sqlite, ({ db }) => act(db));

describe("healing", () => {
  const busy: ScriptedTurn = { error: { status: 529, type: "overloaded_error", message: "Overloaded" } };
  const limited: ScriptedTurn = {
    error: { status: 429, type: "rate_limit_error", message: "slow down", retryAfter: 0 },
  };

  it(
    "retries before the first byte, and records that in the row",
    onSqlite((db) =>
      withAnthropic(db, [busy, limited, { text: "Here." }], async (server) => {
        const answer = await send(`${server.url}/v1/messages`, { body: ask() });
        expect([answer.status, answer.body.includes("Here.")]).toEqual([200, true]);
        expect(await storedRows(db)).toMatchObject([{ outcome: "ok", healed: 1, attempts: 3, cost_nanos: COST }]);
      }),
    ),
  );

  it(
    "heals a stream that begins with its error, or whose connection breaks before its first event",
    onSqlite((db) => {
      const overloaded = { kind: "error-event", after: 0, type: "overloaded_error", message: "later" } as const;
      const turns: readonly ScriptedTurn[] = [
        { text: "a", fault: overloaded },
        { text: "a", fault: { kind: "reset", after: 0 } },
        { text: "Here." },
      ];
      return withAnthropic(db, turns, async (server) => {
        const answer = await send(`${server.url}/v1/messages`, { body: streamed });
        expect(answer.body.toString()).toContain("Here.");
        expect(answer.body.toString()).not.toContain("overloaded");
        expect(await storedRows(db)).toMatchObject([{ outcome: "ok", healed: 1, attempts: 3 }]);
      });
    }),
  );

  it(
    "passes on the provider's own error when retries did not help, and charges nothing",
    onSqlite((db) =>
      withAnthropic(db, [busy, busy, busy, { text: "never asked" }], async (server, provider) => {
        const answer = await send(`${server.url}/v1/messages`, { body: ask() });
        expect([answer.status, answer.body.toString()]).toEqual([
          529,
          '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
        ]);
        expect(provider.remaining()).toBe(1);
        expect(await storedRows(db)).toMatchObject([
          { outcome: "failed", failure: "overloaded", healed: 0, attempts: 3, cost_nanos: 0 },
        ]);
      }),
    ),
  );

  it.each([
    [400, "invalid_request_error", "bad-request"],
    [401, "authentication_error", "auth"],
    [404, "not_found_error", "bad-request"],
  ] as const)("does not ask again after %i", (status, type, failure) =>
    onSqlite((db) =>
      withAnthropic(db, [{ error: { status, type, message: "no" } }, { text: "never" }], async (server, provider) => {
        expect((await send(`${server.url}/v1/messages`, { body: ask() })).status).toBe(status);
        expect(provider.remaining()).toBe(1);
        expect(await storedRows(db)).toMatchObject([{ outcome: "failed", failure, attempts: 1, cost_nanos: 0 }]);
      }),
    )(),
  );

  it(
    "waits no longer than allowed: if the provider asks for more, its answer is passed on at once",
    onSqlite((db) => {
      const full = { error: { status: 429, type: "rate_limit_error", message: "tomorrow", retryAfter: 3_600 } };
      return withAnthropic(db, [full, { text: "never" }], async (server, provider) => {
        const answer = await send(`${server.url}/v1/messages`, { body: ask() });
        expect([answer.status, answer.headers["retry-after"], provider.remaining()]).toEqual([429, "3600", 1]);
      });
    }),
  );

  it(
    "reports in the API's error format that the provider cannot be reached",
    onSqlite(async (db) => {
      const server = await newPassingServer(db, { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" });
      const answer = await send(`${server.url}/v1/messages`, { body: ask() });
      expect(answer.status).toBe(502);
      expect(JSON.parse(answer.body.toString())).toMatchObject({
        error: {
          type: "api_error",
          message: expect.stringMatching(/anthropic at http:\/\/127\.0\.0\.1:9 cannot be reached/),
        },
      });
      expect(await storedRows(db)).toMatchObject([{ failure: "unreachable", attempts: 3, cost_nanos: 0 }]);
      await server.close();
    }),
  );

  it.each([ask(), streamed])(
    "costs nothing if a web page comes in place of the answer, and passes the page on",
    (body) =>
      onSqlite(async (db) => {
        const page = "<html><body>Sign in to this network.</body></html>";
        const provider = await newProvider((_request, response) => {
          response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
        });
        const server = await newPassingServer(db, { ANTHROPIC_BASE_URL: provider.url });
        const answer = await send(`${server.url}/v1/messages`, { body });
        expect([answer.status, answer.body.toString()]).toEqual([200, page]);
        expect(await awaitRows(db, 1)).toMatchObject([
          { outcome: "failed", failure: "malformed", cost_nanos: 0, tokens_in: 0, tokens_out: 0 },
        ]);
        expect(await heldAmount(db)).toBe(0);
        await server.close();
        await provider.close();
      })(),
  );

  it.each([
    ["ends as if it were complete", { kind: "half-closed", after: 3 }, false],
    ["is torn down", { kind: "reset", after: 3 }, true],
  ] as const)("does not start over once a byte was handed on: a stream that %s", (_what, fault, isBroken) =>
    onSqlite((db) =>
      withAnthropic(db, [{ text: "beginning", fault }, { text: "never" }], async (server, provider) => {
        const answer = await send(`${server.url}/v1/messages`, { body: streamed });
        expect([answer.status, answer.isBroken, provider.remaining()]).toEqual([200, isBroken, 1]);
        expect(answer.body.toString()).toContain("message_start");
        const [row] = await awaitRows(db, 1);
        expect(row).toMatchObject({ outcome: "failed", failure: "cut-off", tokens_in: 100, healed: 0 });
        expect(row?.cost_nanos).toBeGreaterThanOrEqual(100 * 3_000);
        expect(row?.route).toContain("estimated");
      }),
    )(),
  );

  it(
    "ends a call whose provider falls silent",
    onSqlite(async (db) => {
      const provider = await fakeAnthropic([{ text: "a", fault: { kind: "silence", after: 2 } }], {
        everyRequest: true,
      });
      const server = await newPassingServer(db, { ANTHROPIC_BASE_URL: provider.url }, { idleMs: 50 });
      expect((await send(`${server.url}/v1/messages`, { body: streamed })).isBroken).toBe(true);
      expect(await awaitRows(db, 1)).toMatchObject([{ outcome: "failed", failure: "cut-off" }]);
      await server.close();
      await provider.close();
    }),
  );
});

describe("a forwarded request", () => {
  it(
    "keeps every byte and every header in both directions, except our own",
    onSqlite(async (db) => {
      const seen: { headers: readonly string[]; body: Buffer; url: string }[] = [];
      const bytes = gzipSync(messagesStream);
      const provider = await newProvider((request, response, body) => {
        seen.push({ headers: request.rawHeaders, body, url: request.url ?? "" });
        response.writeHead(200, [
          "Content-Type",
          "text/event-stream",
          "content-encoding",
          "gzip",
          "Request-Id",
          "req_1",
          "anthropic-ratelimit-unified-status",
          "allowed",
          "Set-Cookie",
          "a=1",
          "Set-Cookie",
          "b=2",
        ]);
        response.write(bytes.subarray(0, 70));
        setTimeout(() => response.end(bytes.subarray(70)), 5);
      });
      const server = await newPassingServer(db, { ANTHROPIC_BASE_URL: provider.url });
      const body = Buffer.from(
        `{ "model" : "${model}",\n "max_tokens":5, "unknown_field": [1.50, "\\u00e9"], "stream":true }`,
      );
      const headers = {
        "X-Unknown": "kept",
        "anthropic-beta": "a,b",
        "accept-encoding": "gzip, br;q=0.5, zstd, snappy",
        "x-oldhand-agent": "me",
        connection: "keep-alive, x-gone",
      };
      const answer = await send(`${server.url}/v1/messages?beta=true&x=%20`, { body, headers });
      expect(answer.body.equals(bytes)).toBe(true);
      expect(answer.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
      expect(answer.rawHeaders.join("\n")).toContain("Request-Id\nreq_1\nanthropic-ratelimit-unified-status\nallowed");
      expect(answer.headers["x-oldhand-call"]).toMatch(/^call_/);
      const [asked] = seen;
      expect(asked?.body.equals(body)).toBe(true);
      expect(asked?.url).toBe("/v1/messages?beta=true&x=%20");
      const sent = asked?.headers.join("\n") ?? "";
      expect(sent).toContain("X-Unknown\nkept");
      expect(sent).toContain("x-api-key\nsk-ant-api03-of-the-client");
      expect(sent).toMatch(/accept-encoding\ngzip, br;q=0\.5(, zstd)?\n/);
      expect(sent).not.toContain(TOKEN);
      expect(sent.replace(/x-oldhand-via\n.*/, "")).not.toMatch(/x-oldhand/i);
      expect(await storedRows(db)).toMatchObject([{ agent: "me", tokens_in: 1_992, tokens_out: 89, outcome: "ok" }]);
      await server.close();
      await provider.close();
    }),
  );

  it(
    "may be Codex's Responses, a chat without usage (estimated), or one that providers do not charge for",
    onSqlite(async (db) => {
      const provider = await newProvider((request, response) => {
        const answers: Readonly<Record<string, string>> = {
          "/v1/responses": responsesStream("response.completed"),
          "/v1/chat/completions": 'data: {"choices":[{"delta":{"content":"Hello, world"}}]}\n\ndata: [DONE]\n\n',
        };
        const events = answers[request.url ?? ""];
        response.writeHead(200, { "content-type": events === undefined ? "application/json" : "text/event-stream" });
        response.end(events ?? JSON.stringify({ seen: request.url }));
      });
      const server = await newPassingServer(db, {
        ANTHROPIC_BASE_URL: provider.url,
        OPENAI_BASE_URL: `${provider.url}/v1`,
      });
      const headers = { authorization: "Bearer sk-proj-1", "user-agent": "codex_exec/0.166.0", "session-id": "s-1" };
      await send(`${server.url}/v1/responses`, { body: { model: "gpt-5", input: "hi", stream: true }, headers });
      await send(`${server.url}/v1/chat/completions`, {
        body: { model: "gpt-5", messages: [], stream: true },
        headers,
      });
      for (const path of ["/v1/models", "/v1/models/gpt-5?a=1"]) {
        const { body } = await send(`${server.url}${path}`, { method: "GET", headers });
        expect(JSON.parse(body.toString())).toEqual({ seen: path });
      }
      const counted = await send(`${server.url}/v1/messages/count_tokens`, { body: ask() });
      expect(JSON.parse(counted.body.toString())).toEqual({ seen: "/v1/messages/count_tokens" });
      const rows = await storedRows(db);
      expect(rows).toMatchObject([
        { agent: "codex", session: "s-1", provider: "openai", tokens_in: 3_170, tokens_out: 512, outcome: "ok" },
        { outcome: "ok", provider: "openai", route: expect.stringContaining("estimated") },
      ]);
      expect(rows[1]?.tokens_out).toBeGreaterThanOrEqual(4);
      await server.close();
      await provider.close();
    }),
  );

  it(
    "may have 32 MB; a longer one is refused before it is read",
    onSqlite((db) =>
      withAnthropic(db, [{ text: "Long." }], async (server, provider) => {
        await setDayCap(db, 1_000);
        const body = (size: number) => ask({ messages: [{ role: "user", content: "x".repeat(size) }] });
        const mega = 1024 * 1024;
        expect((await send(`${server.url}/v1/messages`, { body: body(32 * mega - 200) })).status).toBe(200);
        const refused = await send(`${server.url}/v1/messages`, { body: body(32 * mega) });
        expect([refused.status, JSON.parse(refused.body.toString())]).toMatchObject([
          413,
          { error: { type: "request_too_large" } },
        ]);
        expect(provider.requests).toHaveLength(1);
      }),
    ),
  );

  it(
    "may be compressed: its model is read, and its bytes are passed on unchanged",
    onSqlite(async (db) => {
      const bodies: Buffer[] = [];
      const provider = await newProvider((_request, response, body) => {
        bodies.push(body);
        response
          .writeHead(200, { "content-type": "application/json" })
          .end('{"usage":{"input_tokens":1,"output_tokens":1}}');
      });
      const server = await newPassingServer(db, { ANTHROPIC_BASE_URL: provider.url });
      const body = gzipSync(JSON.stringify(ask()));
      const sent = { body, headers: { "content-encoding": "gzip" } };
      expect((await send(`${server.url}/v1/messages`, sent)).status).toBe(200);
      expect(bodies[0]?.equals(body)).toBe(true);
      expect(await storedRows(db)).toMatchObject([{ model, tokens_in: 1 }]);
      const bomb = { body: gzipSync(Buffer.alloc(40 * 1024 * 1024)), headers: { "content-encoding": "gzip" } };
      expect((await send(`${server.url}/v1/messages`, bomb)).status).toBe(400);
      expect((await send(`${server.url}/v1/messages`, { body, headers: { "content-encoding": "zip" } })).status).toBe(
        400,
      );
      expect((await send(`${server.url}/v1/messages`, { body: Buffer.from("{}") })).status).toBe(400);
      expect(bodies).toHaveLength(1);
      await server.close();
      await provider.close();
    }),
  );
});

describe("a client", () => {
  const url = (server: PassingServer) => `${server.url}/v1/messages`;

  it(
    "is answered if it sends the token: next to its credential, or as its credential, and then our key is used",
    onSqlite((db) => {
      const turns = [{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }];
      const env = { ANTHROPIC_API_KEY: "sk-ant-api03-of-the-server" };
      return withAnthropic(
        db,
        turns,
        async (server, provider) => {
          const none = { "x-oldhand-token": "", "x-api-key": "" };
          const ways = [
            { ...none, "x-api-key": TOKEN },
            { ...none, authorization: `Bearer ${TOKEN}` },
            { ...none, "x-oldhand-token": TOKEN },
            { ...none, "x-oldhand-token": TOKEN, "x-api-key": "sk-ant-own" },
          ];
          for (const headers of ways) expect((await send(url(server), { body: ask(), headers })).status).toBe(200);
          expect(provider.requests.map(({ headers }) => [headers["x-api-key"], headers.authorization])).toEqual([
            ["sk-ant-api03-of-the-server", undefined],
            ["sk-ant-api03-of-the-server", undefined],
            ["sk-ant-api03-of-the-server", undefined],
            ["sk-ant-own", undefined],
          ]);
        },
        env,
      );
    }),
  );

  it(
    "is told which variables are read if there is no key",
    onSqlite((db) =>
      withAnthropic(db, [], async (server, provider) => {
        const answer = await send(url(server), { body: ask(), headers: { "x-api-key": TOKEN } });
        expect([answer.status, answer.body.toString()]).toEqual([401, expect.stringContaining("ANTHROPIC_API_KEY")]);
        expect(provider.requests).toEqual([]);
      }),
    ),
  );

  it(
    "is refused with a wrong token, from another site, or under another host name",
    onSqlite((db) =>
      withAnthropic(db, [], async (server, provider) => {
        const refused = async (headers: Record<string, string>, path = "/v1/messages", method = "POST") => {
          const body = method === "GET" ? undefined : ask();
          const answer = await send(`${server.url}${path}`, { method, body, headers });
          expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { message: expect.any(String) } });
          expect(answer.body.toString()).not.toContain(TOKEN);
          return answer.status;
        };
        expect(await refused({ "x-oldhand-token": "" })).toBe(401);
        expect(await refused({ "x-oldhand-token": `${TOKEN}x` })).toBe(401);
        expect(await refused({ "x-oldhand-token": "", authorization: `Basic ${TOKEN}` })).toBe(401);
        expect(await refused({ "x-oldhand-token": "" }, `/v1/models?token=${TOKEN}`, "GET")).toBe(401);
        expect(await refused({ origin: "https://example.org" })).toBe(403);
        expect(await refused({ origin: "null" })).toBe(403);
        expect(await refused({ host: "rebound.example:80" })).toBe(421);
        expect(await refused({}, "/v1/files")).toBe(404);
        expect(await refused({}, "/v1/messages/batches")).toBe(404);
        expect(provider.requests).toEqual([]);
        expect(await storedRows(db)).toEqual([]);
      }),
    ),
  );
});

describe("an address that leads back to oldhand", () => {
  it(
    "is refused, directly and through another oldhand",
    onSqlite(async (db) => {
      const env: Record<string, string> = {};
      const first = await newPassingServer(db, env);
      for (const name of ["127.0.0.1", "localhost"]) {
        env["ANTHROPIC_BASE_URL"] = `http://${name}:${first.port}`;
        const answer = await send(`${first.url}/v1/messages`, { body: ask() });
        expect([answer.status, answer.body.toString()]).toEqual([508, expect.stringContaining("ANTHROPIC_BASE_URL")]);
      }
      // A proxy in between knows the token, as a user could set it up.
      const proxy = await newProvider(async (request, response, body) => {
        const via = request.headers["x-oldhand-via"];
        const answer = await send(`${first.url}/v1/messages`, { body, headers: { "x-oldhand-via": String(via) } });
        response.writeHead(answer.status).end(answer.body);
      });
      env["ANTHROPIC_BASE_URL"] = proxy.url;
      expect((await send(`${first.url}/v1/messages`, { body: ask() })).status).toBe(508);
      await first.close();
      await proxy.close();
    }),
  );
});

describe("other providers", () => {
  it(
    "are chosen by the client's header alone",
    onSqlite(async (db) => {
      const [openAi, vllm] = [await fakeOpenAi([{ text: "a" }]), await fakeOpenAi([{ text: "b" }])];
      const server = await newPassingServer(db, { OPENAI_BASE_URL: openAi.url, VLLM_BASE_URL: vllm.url });
      const body = { model: "qwen3", messages: [] };
      await send(`${server.url}/v1/chat/completions`, { body, headers: { "x-oldhand-provider": "vllm" } });
      expect([openAi.requests.length, vllm.requests.length]).toEqual([0, 1]);
      expect(await storedRows(db)).toMatchObject([{ provider: "vllm", model: "qwen3", outcome: "ok" }]);
      const unknown = await send(`${server.url}/v1/messages`, { body, headers: { "x-oldhand-provider": "nobody" } });
      expect([unknown.status, unknown.body.toString()]).toEqual([400, expect.stringContaining("oldhand models list")]);
      await Promise.all([server.close(), openAi.close(), vllm.close()]);
    }),
  );
});
