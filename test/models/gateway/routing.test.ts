import { describe, expect, it } from "vitest";
import { stores } from "../../stores.ts";
import { listTallies } from "../../../src/store/models/tallies.ts";
import { CLAUDE, GPT, hearAll, listHeld, listRows, requestTo, says, withGateway } from "./lab.ts";

const [sqlite] = stores as [(typeof stores)[number]];
const answers = { claude: () => ({ text: "from claude" }), gpt: () => ({ text: "from gpt" }) };

describe.each(stores)("a routed call, on $name", (kind) => {
  it("is stored with its cost, its price and its reasons, and holds no money afterwards", () =>
    withGateway(kind, answers, async ({ gateway, db }) => {
      const answer = await gateway.complete(requestTo(null, "hello", { session: "s1" }));
      expect(answer).toMatchObject({ outcome: "ok", cached: false, healed: false, usage: { in: 100, out: 20 } });
      expect(answer.cost).toBeGreaterThan(0);
      expect(answer.route[1]).toMatch(
        /^(Its score is the highest of the 2 models that are compared, too|By score alone it would be )/,
      );
      const [row, ...others] = await listRows(db);
      expect(others).toEqual([]);
      expect(row).toMatchObject({ id: answer.call, outcome: "ok", failure: null, tokens_in: 100, tokens_out: 20 });
      expect(Number(row?.["cost_nanos"]) / 1e9).toBeCloseTo(answer.cost, 9);
      expect(JSON.parse(String(row?.["route"]))).toEqual(answer.route);
      expect(await listHeld(db)).toEqual([]);
    }));

  it("does not stay with a model that never answered the session: the default is back", () => {
    let isDown = true;
    const down = { error: { status: 400, type: "invalid_request_error", message: "not today" } };
    const script = (text: string) => () => (isDown ? down : { text });
    return withGateway(kind, { claude: script("from claude"), gpt: script("from gpt") }, async ({ gateway, db }) => {
      const next = async (session: string) => {
        const events = await hearAll(gateway.stream(requestTo(null, "hello", { session })));
        const end = events.find((event) => event.kind === "end");
        const said = events.flatMap((event) => (event.kind === "instead" ? [event.text] : []));
        return end?.kind === "end" ? { outcome: end.answer.outcome, by: end.answer.model.provider, said } : null;
      };
      expect(await next("s1")).toMatchObject({ outcome: "failed" });
      isDown = false;
      // What was tried last, whatever that was in the failed call.
      await db.run("update routes set model = ? where session = 's1'", [GPT]);
      expect(await next("s1")).toEqual({ outcome: "ok", by: "anthropic", said: [] });
    });
  });

  it("says with the first answer of a session that another model than the default answers, and then stays with it", () =>
    withGateway(kind, answers, async ({ gateway }) => {
      for (const [model, quality] of [
        [CLAUDE, 0],
        [GPT, 1],
      ] as const)
        for (let n = 0; n < 6; n++) {
          const { call } = await gateway.complete(requestTo(model, `judged ${n}`));
          await gateway.recordQuality(call, { quality, source: "verified" });
        }
      const saidIn = async (session?: string) => {
        const events = await hearAll(
          gateway.stream(requestTo(null, "hello", session === undefined ? {} : { session })),
        );
        return events.flatMap((event) => (event.kind === "instead" ? [event.text] : []));
      };
      expect(await saidIn("s1")).toEqual([
        `${CLAUDE} is the default model, but the verdicts on this kind of task decide (oldhand models route triage --why). ${GPT} answers instead.`,
      ]);
      expect(await saidIn("s1")).toEqual([]);
      expect(await saidIn()).toEqual([]);
    }));

  it("loses no count when many calls end at the same time", () =>
    withGateway(kind, answers, async ({ gateway, reopen, db }) => {
      const other = reopen();
      const many = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? gateway : other).complete(requestTo(GPT)));
      expect((await Promise.all(many)).map(({ outcome }) => outcome)).toEqual(Array(20).fill("ok"));
      expect(await listTallies(db)).toMatchObject([{ model: GPT, tries: 20 }]);
      expect(await listRows(db)).toHaveLength(20);
    }));
});

describe("a routed call", () => {
  it("goes to the model whose answers were judged better", () =>
    withGateway(sqlite, answers, async ({ gateway, reopen, db }) => {
      for (let n = 0; n < 8; n++) {
        for (const [model, quality] of [
          [CLAUDE, 0],
          [GPT, 1],
        ] as const) {
          const { call } = await gateway.complete(requestTo(model));
          await gateway.recordQuality(call, { quality, source: "verified" });
        }
      }
      expect(await reopen().complete(requestTo(null))).toMatchObject({ model: { provider: "openai" } });
      const tallies = await listTallies(db);
      expect(tallies.map(({ model, tries }) => [model, tries])).toEqual([
        [CLAUDE, 8],
        [GPT, 9],
      ]);
      for (let n = 0; n < 24; n++) {
        for (const [model, quality] of [
          [CLAUDE, 1],
          [GPT, 0],
        ] as const) {
          const { call } = await gateway.complete(requestTo(model));
          await gateway.recordQuality(call, { quality, source: "verified" });
        }
      }
      expect(await gateway.complete(requestTo(null))).toMatchObject({ model: { provider: "anthropic" } });
    }));

  it("stays with the session's model if leaving it would lose a prompt cache", () =>
    withGateway(
      sqlite,
      {
        claude: () => ({ text: "c", usage: { in: 900_000, cached: 0, cacheWrite: 900_000 } }),
        gpt: () => ({ text: "g" }),
        models: { costWeight: 1 },
        use: [GPT, CLAUDE],
      },
      async ({ gateway, clock }) => {
        expect(await gateway.complete(requestTo(null))).toMatchObject({ model: { provider: "openai" } });
        await gateway.complete(requestTo(CLAUDE, "hello", { session: "s1" }));
        const next = await gateway.complete(requestTo(null, "hello", { session: "s1" }));
        expect(next.model.provider).toBe("anthropic");
        expect(next.route.join("\n")).toMatch(/The session stays with its model; leaving it would cost \$2\.43\./);
        clock.advance(6 * 60_000);
        const late = await gateway.complete(requestTo(null, "hello", { session: "s1" }));
        expect(late.route.join("\n")).not.toMatch(/would cost \$2\.43/);
      },
    ));

  it("goes to the provider that the caller prefers, and elsewhere when that one fails", () =>
    withGateway(
      sqlite,
      {
        claude: [{ text: "c" }, { error: { status: 500, type: "api_error", message: "no" } }],
        gpt: () => ({ text: "g" }),
        models: { retries: 0 },
      },
      async ({ gateway }) => {
        const asked = requestTo(null, "hello", { preferredProvider: "anthropic" });
        expect(await gateway.complete(asked)).toMatchObject({ text: "c" });
        expect(await gateway.complete(asked)).toMatchObject({ text: "g", healed: true });
      },
    ));

  it("goes to a stronger model after a check found that another failed", () =>
    withGateway(sqlite, answers, async ({ gateway, db }) => {
      const first = await gateway.complete(requestTo(null, "hello", { checked: true }));
      await gateway.recordQuality(first.call, { quality: 0, source: "verified" });
      const second = await gateway.complete(requestTo(null, "hello", { checked: true, failed: [first.model] }));
      expect(second.outcome).toBe("ok");
      expect(second.model).not.toEqual(first.model);
      expect(second.route[0]).toMatch(/after a failure/);
      expect((await listTallies(db)).map(({ attempt }) => attempt).toSorted()).toEqual(["first", "later"]);
    }));

  it("learns one outcome from each call: none without a verdict, a later verdict replaces the earlier one, and a check a person", () =>
    withGateway(sqlite, answers, async ({ gateway, db }) => {
      const { call } = await gateway.complete(requestTo(GPT));
      const known = async () => {
        const [{ outcomes, quality, judged } = { outcomes: -1, quality: -1, judged: -1 }] = await listTallies(db);
        return [outcomes, quality, judged].map((one) => Number(one.toFixed(6)));
      };
      expect(await known()).toEqual([0, 0, 0]);
      await gateway.recordQuality(call, { quality: 1, source: "feedback" });
      expect(await known()).toEqual([1, 1, 1]);
      await gateway.recordQuality(call, { quality: 0, source: "feedback", note: "on second thought" });
      expect(await known()).toEqual([1, 0, 1]);
      await gateway.recordQuality(call, { quality: 0.5, source: "verified" });
      await gateway.recordQuality(call, { quality: 1, source: "feedback" });
      expect(await known()).toEqual([1, 0.5, 1]);
      await expect(gateway.recordQuality(call, { quality: 2, source: "feedback" })).rejects.toThrow(/between 0 and 1/);
    }));

  it("says what to do if no model can be used", () =>
    withGateway(sqlite, { use: ["openrouter/some"] }, async ({ gateway }) => {
      await expect(gateway.complete(requestTo(null))).rejects.toThrow(/OPENROUTER_API_KEY is not set/);
    }));
});

describe("the response cache", () => {
  const counted = () => ({ claude: (_: unknown, at: number) => ({ text: `answer ${at}` }) });
  const cached = { useResponseCache: true } as const;

  it("answers an equal request of the same agent, marks it, and costs nothing", () =>
    withGateway(sqlite, counted(), async ({ gateway, db, claude }) => {
      await gateway.complete(requestTo(CLAUDE, "hello", cached));
      const again = await gateway.complete(requestTo(CLAUDE, "hello", cached));
      expect(again).toMatchObject({ outcome: "cached", cached: true, text: "answer 0", cost: 0 });
      expect(claude.requests).toHaveLength(1);
      expect(await listRows(db)).toMatchObject([{ outcome: "ok" }, { outcome: "cached", cost_nanos: 0 }]);
      const events = await hearAll(gateway.stream(requestTo(CLAUDE, "hello", cached)));
      expect(events.map(({ kind }) => kind)).toEqual(["text", "finish", "end"]);
    }));

  it("does not answer another agent, another model, another chat, with tools, too late, or unless asked", () =>
    withGateway(sqlite, { ...counted(), gpt: () => ({ text: "g" }) }, async ({ gateway, claude, clock }) => {
      const tools = [{ name: "run", description: "runs", input: {} }];
      const ask = (more: object, model = CLAUDE, text = "hello") => gateway.complete(requestTo(model, text, more));
      await ask(cached);
      const others = [
        await ask({ ...cached, agent: "another" }),
        await ask(cached, GPT),
        await ask(cached, CLAUDE, "hello!"),
        await ask({}),
        await ask({ ...cached, chat: says("hello", { tools }) }),
        await ask({ ...cached, chat: says("hello", { tools }) }),
        await ask({ ...cached, chat: says("hello", { temperature: 0.5 }) }),
      ];
      expect(others.map((one) => one.cached)).toEqual(Array(7).fill(false));
      clock.advance(60 * 60_000);
      expect((await ask(cached)).cached).toBe(false);
      expect(claude.requests.length).toBe(8);
    }));
});
