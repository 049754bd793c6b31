import { describe, expect, it } from "vitest";
import { type Cap, capId } from "../../../src/domain/model/caps.ts";
import { owner } from "../../../src/domain/actor.ts";
import {
  applyChange,
  findDisagreements,
  listChanges,
  makeProvenance,
  undoChange,
} from "../../../src/store/journal/journal.ts";
import { listBreakers } from "../../../src/store/models/breakers.ts";
import { listTallies } from "../../../src/store/models/tallies.ts";
import { capNoun } from "../../../src/store/nouns/caps.ts";
import { listRetiredModels } from "../../../src/store/nouns/retired-models.ts";
import { stores } from "../../stores.ts";
import {
  CLAUDE,
  GPT,
  hearAll,
  type Lab,
  listAttempts,
  listHeld,
  listRows,
  requestTo,
  says,
  textOf,
  withGateway,
} from "./lab.ts";

const overloaded = { error: { status: 529, type: "overloaded_error", message: "Overloaded" } } as const;
const cutOff = { text: "one two three four", pieces: 4, fault: { kind: "reset", after: 5 } } as const;

/** Limits what the caller of these tests may spend in a day. */
async function capTester({ db, clock }: Pick<Lab, "db" | "clock">, limit: number): Promise<void> {
  const id = capId("agent", "tester");
  const cap: Cap = { id, kind: "agent", name: "tester", limit, counts: "all", isStrict: false, extension: null };
  await applyChange(db, { noun: capNoun, id }, makeProvenance({ actor: owner, clock }, "test"), () => cap);
}

describe.each(stores)("a call that meets failures, on $name", (kind) => {
  it("is answered once, and stored as one row with both attempts, when the provider fails in the middle of its stream", () =>
    withGateway(kind, { claude: [cutOff, cutOff], gpt: [{ text: "whole" }] }, async ({ gateway, db }) => {
      const answer = await gateway.complete(requestTo(CLAUDE));
      expect(answer).toMatchObject({ outcome: "ok", text: "whole", healed: true, model: { provider: "openai" } });
      expect(await listRows(db)).toMatchObject([{ id: answer.call, provider: "openai", outcome: "ok", healed: 1 }]);
      expect(answer.lastUsage).toMatchObject({ in: 100, out: 20 });
      expect(answer.usage.in).toBeGreaterThan(answer.lastUsage.in);
      const attempts = await listAttempts(db);
      expect(attempts.map((one) => [one["provider"], one["failure"]])).toEqual([
        ["anthropic", "cut-off"],
        ["anthropic", "cut-off"],
        ["openai", null],
      ]);
      expect(attempts.every((one) => Number(one["cost_nanos"]) > 0)).toBe(true);
      expect(answer.route.join("\n")).toMatch(/anthropic\/claude-sonnet-4-5 failed \(cut-off\)/);
      expect(await listHeld(db)).toEqual([]);
      const [claude] = await listTallies(db, [CLAUDE]);
      expect(claude).toMatchObject({ tries: 1, quality: 0 });
      expect(claude?.outcomes).toBeGreaterThan(0);
    }));

  it("does not go to a provider that keeps failing; later, one call tries it, and closes the breaker", () => {
    let advance = (_ms: number) => {};
    return withGateway(
      kind,
      {
        claude: (_request, at) => {
          advance(1_000);
          return at < 2 ? overloaded : { text: "back" };
        },
        gpt: () => ({ text: "instead" }),
        models: { breakerFailures: 2, breakerSeconds: 30, retries: 2 },
      },
      async ({ gateway, reopen, db, claude, clock }) => {
        advance = clock.advance;
        expect(await gateway.complete(requestTo(CLAUDE))).toMatchObject({ text: "instead", healed: true });
        expect(await listBreakers(db)).toMatchObject([{ provider: "anthropic", failures: 2, why: "overloaded" }]);
        const other = reopen();
        const second = await other.complete(requestTo(CLAUDE));
        expect(second).toMatchObject({ outcome: "ok", text: "instead", healed: false });
        expect(second.route.join("\n")).toMatch(/skipped: anthropic failed 2 times in a row/);
        expect(claude.requests).toHaveLength(2);
        clock.advance(30_000);
        expect(await other.complete(requestTo(CLAUDE))).toMatchObject({ text: "back" });
        expect(await listBreakers(db)).toMatchObject([{ failures: 0, until: null }]);
      },
    );
  });

  it("lets only one of many calls try a provider that failed", () =>
    withGateway(
      kind,
      {
        claude: (_request, at) => (at < 1 ? overloaded : { text: "back", delayMs: 150 }),
        gpt: () => ({ text: "instead" }),
        models: { breakerFailures: 1, retries: 0 },
      },
      async ({ gateway, claude, clock }) => {
        await gateway.complete(requestTo(CLAUDE));
        clock.advance(31_000);
        const answers = await Promise.all(Array.from({ length: 6 }, () => gateway.complete(requestTo(CLAUDE))));
        expect(answers.map(({ text }) => text).toSorted()).toEqual(["back", ...Array(5).fill("instead")]);
        expect(claude.requests).toHaveLength(2);
      },
    ));

  it("checks the cap again before each fallback, and does not exceed it", () =>
    withGateway(
      kind,
      { claude: () => ({ text: "never" }), gpt: () => overloaded, models: { retries: 0 } },
      async ({ gateway, db, claude, gpt, clock }) => {
        // 500 tokens of answer fit into it at the first model's price, and not at the second's.
        await capTester({ db, clock }, 0.006);
        const answer = await gateway.complete(requestTo(GPT));
        expect(answer).toMatchObject({ outcome: "capped", failure: { kind: "cap" }, cap: { cap: "agent tester" } });
        expect(answer.cap?.extend).toMatch(/^oldhand models caps extend agent tester /);
        expect([gpt.requests.length, claude.requests.length]).toEqual([1, 0]);
        expect(await listRows(db)).toMatchObject([{ outcome: "capped", failure: "cap", provider: "openai" }]);
        expect((await listAttempts(db)).map((one) => one["failure"])).toEqual(["overloaded"]);
        expect(await listHeld(db)).toEqual([]);
      },
    ));

  it("names a bad key, not the cap that stopped only a model in between", () => {
    const [haiku, small] = ["anthropic/claude-haiku-4-5", "openai/gpt-5-nano"];
    const badKey = { error: { status: 401, type: "authentication_error", message: "invalid x-api-key" } };
    return withGateway(
      kind,
      {
        claude: () => badKey,
        gpt: () => overloaded,
        models: { retries: 0, chain: [haiku, GPT, small].join(", ") },
        use: [haiku, GPT, small],
      },
      async ({ gateway, db, clock }) => {
        await capTester({ db, clock }, 0.004);
        const answer = await gateway.complete(requestTo(haiku));
        expect(answer.failures.map(({ failure }) => failure.kind)).toEqual(["auth", "cap", "overloaded"]);
        expect(answer).toMatchObject({ outcome: "failed", failure: { kind: "overloaded" }, cap: null });
        expect(answer.remedies[0]).toMatch(/^check ANTHROPIC_API_KEY/);
      },
    );
  });

  it("takes the next model when one is retired, and notes that once in the journal, where it can be undone", () =>
    withGateway(
      kind,
      {
        claude: () => ({ error: { status: 404, type: "not_found_error", message: "model: claude-sonnet-4-5" } }),
        gpt: () => ({ text: "here" }),
      },
      async ({ gateway, db, claude, clock }) => {
        expect(await gateway.complete(requestTo(CLAUDE))).toMatchObject({ text: "here", healed: true });
        expect(await gateway.complete(requestTo(CLAUDE))).toMatchObject({ text: "here", healed: true });
        expect(await listRetiredModels(db)).toMatchObject([{ id: CLAUDE }]);
        const changes = await listChanges(db, { limit: 10 });
        expect(changes).toMatchObject([{ noun: "retired-model", subject: CLAUDE, actor: "maintenance" }]);
        const routed = await gateway.complete(requestTo(null));
        expect(routed.route.join("\n")).toContain(
          `${CLAUDE} is left out since 2026-11-17, because the provider answered 404.`,
        );
        // The list of its models was asked for once, before the model was left out.
        expect(claude.requests.map(({ path }) => path)).toEqual(["/v1/messages", "/v1/models", "/v1/messages"]);
        await undoChange(db, changes[0]?.id ?? 0, { actor: owner, at: clock.now() });
        expect(await listRetiredModels(db)).toEqual([]);
        expect(await findDisagreements(db)).toEqual([]);
      },
    ));

  it("is stored as stopped when the caller stops reading, or aborts", () =>
    withGateway(
      kind,
      { claude: () => ({ text: "one two three four five six", pieces: 6, pauseMs: 100 }) },
      async ({ gateway, db }) => {
        for await (const event of gateway.stream(requestTo(CLAUDE))) if (event.kind === "text") break;
        const stop = new AbortController();
        const heard = gateway.stream(requestTo(CLAUDE, "hello", { signal: stop.signal }));
        const events = [];
        for await (const event of heard) {
          events.push(event);
          if (event.kind === "text") stop.abort();
        }
        expect(events.at(-1)).toMatchObject({ kind: "end", answer: { outcome: "aborted" } });
        expect(await listRows(db)).toMatchObject([
          { outcome: "aborted", failure: "aborted" },
          { outcome: "aborted", failure: "aborted" },
        ]);
        expect((await listRows(db)).every((row) => Number(row["cost_nanos"]) > 0)).toBe(true);
        expect(await listHeld(db)).toEqual([]);
      },
    ));
});

describe("a call that meets failures", () => {
  const [kind = fail("no store")] = stores;

  it("is not tried again elsewhere once the caller has a part of the answer", () =>
    withGateway(kind, { claude: [cutOff], gpt: [{ text: "whole" }] }, async ({ gateway, db, gpt }) => {
      const events = await hearAll(gateway.stream(requestTo(CLAUDE)));
      const end = events.at(-1);
      expect(end).toMatchObject({ kind: "end", answer: { outcome: "failed", failure: { kind: "cut-off" } } });
      expect(events.filter(({ kind: one }) => one === "end")).toHaveLength(1);
      expect("one two three four").toContain(textOf(events));
      expect(textOf(events)).not.toBe("");
      expect(gpt.requests).toEqual([]);
      expect(await listRows(db)).toMatchObject([{ outcome: "failed", failure: "cut-off", healed: 0 }]);
    }));

  it("starts over in the stream if the caller allows it, with a restart event", () =>
    withGateway(kind, { claude: [cutOff], gpt: [{ text: "whole" }], models: { retries: 0 } }, async ({ gateway }) => {
      const events = await hearAll(gateway.stream(requestTo(CLAUDE, "hello", { mayRestart: true })));
      const at = events.findIndex((event) => event.kind === "restart");
      expect(events[at]).toMatchObject({ from: { provider: "anthropic" }, to: { provider: "openai" } });
      expect(textOf(events.slice(at))).toBe("whole");
      expect(events.at(-1)).toMatchObject({ answer: { outcome: "ok", text: "whole", healed: true } });
    }));

  it("announces no attempt that a cap stops, and restarts with the model that is asked next", () => {
    const [haiku, small] = ["anthropic/claude-haiku-4-5", "openai/gpt-5-nano"];
    const chain = { models: { retries: 0, chain: [haiku, GPT, small].join(", ") }, use: [haiku, GPT, small] };
    return withGateway(
      kind,
      { ...chain, claude: [cutOff], gpt: [{ text: "whole" }] },
      async ({ gateway, db, clock }) => {
        await capTester({ db, clock }, 0.004);
        const events = await hearAll(gateway.stream(requestTo(haiku, "hello", { mayRestart: true })));
        expect(events.filter((event) => event.kind === "attempt" || event.kind === "restart")).toMatchObject([
          { kind: "attempt", number: 1, model: { model: "claude-haiku-4-5" }, after: [] },
          { kind: "restart", from: { model: "claude-haiku-4-5" }, to: { model: "gpt-5-nano" } },
          {
            kind: "attempt",
            number: 2,
            model: { model: "gpt-5-nano" },
            after: [{ failure: { kind: "cut-off" } }, { failure: { kind: "cap" } }],
          },
        ]);
        expect(events.at(-1)).toMatchObject({ answer: { outcome: "ok", text: "whole" } });
      },
    );
  });

  it("waits as long as the provider asks, and asks the same model again", () =>
    withGateway(
      kind,
      {
        claude: [
          { error: { status: 429, type: "rate_limit_error", message: "slow down", retryAfter: 1 } },
          { text: "now" },
        ],
      },
      async ({ gateway, claude, gpt }) => {
        const answer = await gateway.complete(requestTo(CLAUDE));
        expect(answer).toMatchObject({ outcome: "ok", text: "now", healed: true, model: { provider: "anthropic" } });
        const [first, second] = claude.requests.map(({ at }) => at);
        expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1_000);
        expect(gpt.requests).toEqual([]);
      },
    ));

  it("goes to the next model if the provider asks for too long a wait", () =>
    withGateway(
      kind,
      {
        claude: [{ error: { status: 429, type: "rate_limit_error", message: "slow down", retryAfter: 60 } }],
        gpt: [{ text: "here" }],
      },
      async ({ gateway, claude }) => {
        expect(await gateway.complete(requestTo(CLAUDE))).toMatchObject({ text: "here", healed: true });
        expect(claude.requests).toHaveLength(1);
      },
    ));

  it("is a value and not an exception when every attempt failed", () =>
    withGateway(
      kind,
      {
        claude: () => overloaded,
        gpt: () => ({ error: { status: 400, type: "invalid_request_error", message: "no" } }),
      },
      async ({ gateway, db }) => {
        const answer = await gateway.complete(requestTo(CLAUDE));
        expect(answer).toMatchObject({ outcome: "failed", failure: { kind: "bad-request" }, healed: false, cost: 0 });
        expect(await listRows(db)).toMatchObject([{ outcome: "failed", failure: "bad-request", cost_nanos: 0 }]);
        expect(await listHeld(db)).toEqual([]);
      },
    ));

  it("counts a tool call that was not offered, or without its input, as malformed, and heals it", () =>
    withGateway(
      kind,
      {
        claude: [
          { calls: [{ tool: "other", input: {} }] },
          { calls: [{ tool: "run", input: {} }] },
          { calls: [{ tool: "run", input: { command: "ls" } }] },
        ],
      },
      async ({ gateway, db }) => {
        const tools = [{ name: "run", description: "runs", input: { type: "object", required: ["command"] } }];
        const answer = await gateway.complete(requestTo(CLAUDE, "go", { chat: says("go", { tools }) }));
        expect(answer).toMatchObject({ outcome: "ok", healed: true });
        expect((await listAttempts(db)).map((one) => one["failure"])).toEqual(["malformed", "malformed", null]);
      },
    ));

  it("uses no other model if the caller asked for exactly one", () =>
    withGateway(kind, { claude: () => overloaded, models: { retries: 1 } }, async ({ gateway, claude, gpt }) => {
      expect(await gateway.complete(requestTo(CLAUDE, "hello", { mayUseOthers: false }))).toMatchObject({
        outcome: "failed",
      });
      expect([claude.requests.length, gpt.requests.length]).toEqual([2, 0]);
    }));

  it("goes on with another model when one says nothing for too long", () =>
    withGateway(
      kind,
      { claude: [{ text: "late", delayMs: 5_000 }], gpt: [{ text: "in time" }], idleMs: 150 },
      async ({ gateway, db }) => {
        expect(await gateway.complete(requestTo(CLAUDE))).toMatchObject({ text: "in time", healed: true });
        const attempts = await listAttempts(db);
        expect(attempts.map((one) => one["failure"])).toEqual(["timeout", null]);
        // The provider had the prompt, and may charge for it.
        expect(Number(attempts[0]?.["cost_nanos"])).toBeGreaterThan(0);
      },
    ));
});

function fail(why: string): never {
  throw new Error(why);
}
