import { describe, expect, it } from "vitest";
import { getBreakerState } from "../../../src/domain/model/breaker.ts";
import { fixedClock } from "../../../src/lib/clock.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { findUpstream } from "../../../src/models/pass-through/upstream.ts";
import { changeBreaker, listBreakers } from "../../../src/store/models/breakers.ts";
import { type FakeAnthropic, fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import { fakeOpenAi } from "../../../src/testing/fake-openai.ts";
import type { ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import { stores, type TestStore, withStore } from "../../stores.ts";
import { heldAmount, newPassingServer, newProvider, send, storedRows, TOKEN } from "./passing.ts";

const START = Date.parse("2026-11-17T12:00:00Z");
const ask = { model: "claude-sonnet-4-5", max_tokens: 1_000, messages: [{ role: "user", content: "hi" }] };
const busy: ScriptedTurn = { error: { status: 529, type: "overloaded_error", message: "Overloaded" } };
const ownKey = { "x-api-key": TOKEN };

interface Lab {
  readonly db: Db;
  readonly clock: ReturnType<typeof fixedClock>;
  readonly provider: FakeAnthropic;
  readonly url: string;
  /** One request, and a second later the next. */
  call(headers?: Readonly<Record<string, string>>, body?: object): ReturnType<typeof send>;
  state(): Promise<string>;
}

/** No repetition by oldhand, so that each request is one attempt. */
async function withLab(
  kind: TestStore,
  turns: readonly ScriptedTurn[],
  act: (lab: Lab) => Promise<void>,
): Promise<void> {
  await withStore(kind, async ({ db }) => {
    const clock = fixedClock(START);
    const provider = await fakeAnthropic(turns, { everyRequest: true });
    const env = { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "sk-ant-api03-of-the-server" };
    const server = await newPassingServer(db, env, { clock, models: { retries: 0 } });
    try {
      await act({
        db,
        clock,
        provider,
        url: server.url,
        call: async (headers = {}, body = ask) => {
          clock.advance(1_000);
          return send(`${server.url}/v1/messages`, { body, headers });
        },
        state: async () => {
          const found = (await listBreakers(db)).find((one) => one.provider === "anthropic");
          return found === undefined ? "closed" : getBreakerState(found, clock.now());
        },
      });
      expect(await heldAmount(db)).toBe(0);
      expect(server.said).toEqual([]);
    } finally {
      await server.close();
      await provider.close();
    }
  });
}

const repeat = (turn: ScriptedTurn, times: number) => Array.from({ length: times }, () => turn);
const openAt = (db: Db, why: "overloaded" | "auth" | "rate-limited", failedAt: number) =>
  changeBreaker(db, "anthropic", (one) => {
    return { ...one, failures: 5, failedAt, opened: 1, until: failedAt + 30_000, why };
  });

describe.each(stores)("the breaker and calls through oldhand, on $name", (kind) => {
  it("answers at once while a provider fails, in the API's own words, with the time to wait", () =>
    withLab(kind, repeat(busy, 6), async ({ call, db, provider, state }) => {
      for (let n = 0; n < 5; n++) expect((await call()).status).toBe(529);
      expect(await state()).toBe("open");
      const held = await call();
      expect([held.status, held.headers["retry-after"], held.headers["x-should-retry"]]).toEqual([503, "29", "true"]);
      expect(JSON.parse(held.body.toString())).toEqual({
        type: "error",
        error: {
          type: "api_error",
          message:
            "oldhand: anthropic failed 5 times in a row (overloaded) and is not called for a while; it is tried again in 29 s",
        },
      });
      expect(provider.requests).toHaveLength(5);
      const rows = await storedRows(db);
      expect(rows).toHaveLength(6);
      expect(rows.at(-1)).toMatchObject({ outcome: "failed", failure: "overloaded", attempts: 0, cost_nanos: 0 });
      expect(rows.at(-1)?.route).toContain("anthropic failed 5 times in a row");
    }));

  it("lets calls through after that time, and an answer ends it", () =>
    withLab(kind, [...repeat(busy, 5), { text: "Here." }, { text: "Again." }], async ({ call, clock, state }) => {
      for (let n = 0; n < 5; n++) await call();
      clock.advance(30_000);
      expect((await call()).status).toBe(200);
      expect(await state()).toBe("closed");
      expect((await call()).status).toBe(200);
    }));

  it("holds back our own key if the provider refuses it, and no client that has a key of its own", () => {
    const wrong = { error: { status: 401, type: "authentication_error", message: "no such key" } };
    return withLab(kind, [wrong, { text: "Here." }], async ({ call, provider, state }) => {
      expect((await call(ownKey)).status).toBe(401);
      const held = await call(ownKey);
      expect([held.status, held.headers["x-should-retry"]]).toEqual([503, "false"]);
      expect(held.body.toString()).toContain("oldhand models test anthropic/claude-sonnet-4-5");
      expect((await call()).status).toBe(200);
      // That another key works says nothing about ours.
      expect(await state()).toBe("open");
      expect(provider.requests).toHaveLength(2);
    });
  });
});

const [sqlite] = stores;
if (sqlite === undefined) throw new Error("there is no store");

describe("the breaker", () => {
  it.each([
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [402, "billing_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [413, "request_too_large"],
    [429, "rate_limit_error"],
  ])("does not count %i to a client's own key", (status, type) =>
    withLab(sqlite, repeat({ error: { status, type, message: "no" } }, 7), async ({ call, db }) => {
      for (let n = 0; n < 7; n++) expect((await call()).status).toBe(status);
      expect(await listBreakers(db)).toEqual([]);
    }),
  );

  it("counts streams that break off, and starts anew after a whole answer", () => {
    const broken: ScriptedTurn = { text: "beginning", fault: { kind: "reset", after: 3 } };
    const turns = [...repeat(broken, 4), { text: "whole" }, ...repeat(broken, 5)];
    return withLab(sqlite, turns, async ({ call, db, state }) => {
      const failures = async () => (await listBreakers(db)).map((one) => one.failures);
      const streamed = { ...ask, stream: true };
      for (let n = 0; n < 4; n++) await call({}, streamed);
      await expect.poll(failures).toEqual([4]);
      await call({}, streamed);
      expect(await failures()).toEqual([0]);
      for (let n = 0; n < 5; n++) {
        await call({}, streamed);
        await expect.poll(failures).toEqual([n + 1]);
      }
      expect(await state()).toBe("open");
    });
  });

  it("counts every attempt of a call that oldhand repeats", () =>
    withStore(sqlite, async ({ db }) => {
      const clock = fixedClock(START);
      const provider = await newProvider((_request, response) => {
        clock.advance(2_000);
        response.writeHead(500, { "content-type": "application/json" }).end("{}");
      });
      const server = await newPassingServer(
        db,
        { ANTHROPIC_BASE_URL: provider.url },
        { clock, models: { retries: 2 } },
      );
      await send(`${server.url}/v1/messages`, { body: ask });
      expect((await listBreakers(db)).map((one) => one.failures)).toEqual([3]);
      await server.close();
      await provider.close();
    }));

  it("that calls of oldhand itself opened holds clients back, but never for longer than models.breakerSeconds", () =>
    withLab(sqlite, [busy, { text: "Here." }], async ({ call, clock, db, provider }) => {
      await openAt(db, "overloaded", START);
      await changeBreaker(db, "anthropic", (one) => ({ ...one, opened: 5, until: START + 600_000 }));
      expect((await call()).status).toBe(503);
      clock.advance(30_000);
      expect((await call()).status).toBe(529);
      expect((await call()).status).toBe(503);
      clock.advance(30_000);
      expect((await call()).status).toBe(200);
      expect(provider.requests).toHaveLength(2);
    }));

  it.each(["auth", "rate-limited"] as const)("that opened because of our key (%s) holds no other key back", (why) =>
    withLab(sqlite, [{ text: "Here." }], async ({ call, db }) => {
      await openAt(db, why, START);
      expect((await call(ownKey)).status).toBe(503);
      expect((await call()).status).toBe(200);
    }),
  );

  it("does not hold back what providers do not charge for", () =>
    withLab(sqlite, [], async ({ db, url }) => {
      await openAt(db, "overloaded", START);
      const counted = await send(`${url}/v1/messages/count_tokens`, { body: ask });
      const listed = await send(`${url}/v1/models`, { method: "GET", headers: { "anthropic-version": "2023-06-01" } });
      for (const { body } of [counted, listed]) expect(body.toString()).not.toContain("oldhand:");
    }));

  it("speaks to clients of OpenAI in their words", () =>
    withStore(sqlite, async ({ db }) => {
      const clock = fixedClock(START);
      const provider = await fakeOpenAi([]);
      const server = await newPassingServer(db, { OPENAI_BASE_URL: provider.url }, { clock });
      const until = START + 30_000;
      await changeBreaker(db, "openai", (one) => ({ ...one, failures: 5, failedAt: START, until, why: "unreachable" }));
      for (const path of ["chat/completions", "responses"]) {
        const held = await send(`${server.url}/v1/${path}`, { body: { model: "gpt-5", input: "hi", messages: [] } });
        expect([held.status, JSON.parse(held.body.toString())]).toEqual([
          503,
          {
            error: {
              message: expect.stringContaining("openai failed 5 times in a row (unreachable)") as string,
              type: "server_error",
              param: null,
              code: "unreachable",
            },
          },
        ]);
      }
      await Promise.all([server.close(), provider.close()]);
    }));

  it("of an account of ChatGPT is another one than that of the API: they have different addresses", () => {
    const settings = { env: {}, endpoints: [], models: [], defaultModel: null };
    const breakerOf = (headers: Readonly<Record<string, string>>) => {
      const request = { api: "responses", path: "/v1/responses", headers, rawHeaders: [], usesOwnKey: false } as const;
      const found = findUpstream(request, settings, { port: 1, tokens: [TOKEN], id: "x" });
      return found.kind === "found" ? found.upstream.breaker : found.why;
    };
    expect([breakerOf({}), breakerOf({ "chatgpt-account-id": "a" })]).toEqual(["openai", "openai chatgpt.com"]);
  });
});
