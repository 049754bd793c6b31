import { afterAll, describe, expect, it } from "vitest";
import { invoke, invokeStream } from "../../../src/invoke.ts";
import type { Operation } from "../../../src/operation.ts";
import { operations } from "../../../src/operations.ts";
import { raw } from "../../http/serving.ts";
import { stores } from "../../stores.ts";
import { closeSharedAgents, CLAUDE, TOKEN, withAgents } from "./lab.ts";

afterAll(closeSharedAgents);

const [sqlite = stores[0] as (typeof stores)[number]] = stores;

describe("access to agents", () => {
  it("needs the token and our own host name, and is refused to pages of other sites", async () => {
    await withAgents(sqlite, null, async ({ port, claude }) => {
      const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
      const body = JSON.stringify({ prompt: "hello" });
      const post = (over: Record<string, string>) =>
        raw(port, "/agents/a/complete", { method: "POST", headers: { ...headers, ...over }, body });
      expect((await post({ authorization: "Bearer wrong" })).status).toBe(401);
      expect((await post({ authorization: "" })).status).toBe(401);
      expect((await post({ host: "evil.example" })).status).toBe(421);
      expect((await post({ origin: "http://evil.example" })).status).toBe(403);
      expect((await post({ "content-type": "text/plain" })).status).toBe(400);
      for (const path of ["/agents", "/agents/a/stats", "/agents/a/health", "/agents/nothing"])
        expect((await raw(port, path)).status).toBe(401);
      expect(claude.requests).toHaveLength(0);
    });
  });

  it("reports what is wrong with an input before anything is spent", async () => {
    await withAgents(sqlite, null, async ({ post, claude }) => {
      const problem = async (path: string, body: unknown) => {
        const answer = await post(path, body);
        expect(answer.status, answer.text).toBe(400);
        return String(answer.body.error.message);
      };
      expect(await problem("/agents/a/complete", {})).toBe("prompt is missing");
      expect(await problem("/agents/a/complete", { prompt: "" })).toContain("prompt");
      expect(await problem("/agents/a/complete", { prompt: 5 })).toContain("prompt");
      expect(await problem("/agents/a/complete", "{")).toBe("the body is not JSON");
      expect(await problem("/agents/a/complete", "[]")).toContain("input");
      expect(await problem("/agents/a/complete", { prompt: "x", maxTokens: 0 })).toContain("maxTokens");
      expect(await problem("/agents/a/complete", { prompt: "x", max_tokens: 5 })).toContain("max_tokens");
      expect(await problem("/agents/a/complete", { prompt: "x", complexity: "hard" })).toContain("simple");
      expect(await problem("/agents/a/complete", { prompt: "x", session: "a\nb" })).toContain("session");
      expect(await problem("/agents/a/complete", { prompt: "x", taskType: "a b" })).toContain("taskType");
      expect(await problem("/agents/Upper/complete", { prompt: "x" })).toContain("small letters");
      expect(await problem("/agents/-a/complete", { prompt: "x" })).toContain("agent");
      expect(await problem("/agents/a:b/complete", { prompt: "x" })).toContain("agent");
      expect(await problem(`/agents/${"a".repeat(65)}/complete`, { prompt: "x" })).toContain("agent");
      expect(claude.requests).toHaveLength(0);
    });
  });

  it("is refused in the shell of another agent: it can neither use a named agent nor see what it did", async () => {
    await withAgents(sqlite, null, async ({ complete, mind }) => {
      await complete("clerk", { prompt: "The safe is behind the clock" });
      const other = { ...mind, actor: { kind: "agent", name: "codex one" }, within: ["/home/ada/shop"] } as const;
      for (const [name, input] of [
        ["agents complete", { agent: "clerk", prompt: "Where is the safe?" }],
        ["agents feedback", { agent: "clerk", call: "mc_1", quality: 1 }],
        ["agents stats", { agent: "clerk" }],
        ["agents health", { agent: "clerk" }],
      ] as const) {
        const operation = operations.find((one) => one.name === name) as Operation;
        await expect(invoke(other, operation, input, name)).rejects.toMatchObject({ code: "refused" });
        const streaming = invokeStream(other, operation, input, name);
        await expect(streaming.next()).rejects.toMatchObject({ code: "refused" });
      }
      const list = operations.find((one) => one.name === "agents list") as Operation;
      expect(await invoke(other, list, {}, "")).toEqual({ agents: [] });
    });
  });

  it("say of a failed call what the HTTP API takes, and its id", async () => {
    const down = { error: { status: 400, type: "invalid_request_error", message: "no" } };
    await withAgents(sqlite, { claude: () => down }, async ({ post }) => {
      for (const accept of ["application/json", "text/event-stream"]) {
        const answer = await post("/agents/a/complete", { prompt: "hello", model: CLAUDE }, { accept });
        expect(answer.text).toContain('let another model answer: \\"fallback\\": true');
        expect(answer.text).not.toContain("--fallback");
        expect(answer.text).toMatch(/"call":"mc_\w+"/);
      }
    });
  });

  it("take the amount of a cap as a number, too", async () => {
    await withAgents(sqlite, {}, async ({ post }) => {
      const set = (name: string, body: object) => post(`/api/models/caps/${name}`, body);
      expect((await set("set", { kind: "day", amount: 2.5 })).body).toMatchObject({ cap: { limit: 2.5 } });
      expect((await set("extend", { kind: "day", amount: 1 })).body).toMatchObject({ cap: { limit: 3.5 } });
      expect((await set("set", { kind: "agent", name: "a", amount: "1.50" })).body).toMatchObject({
        cap: { limit: 1.5 },
      });
      expect((await set("set", { kind: "day", amount: -1 })).status).toBe(400);
    });
  });

  it("lists the endpoints if a path is unknown", async () => {
    await withAgents(sqlite, null, async ({ get, post }) => {
      const places = [
        "GET /agents",
        "POST /agents/NAME/complete",
        "POST /agents/NAME/feedback",
        "GET /agents/NAME/stats",
        "GET /agents/NAME/health",
      ];
      for (const answer of [
        await get("/agents/a"),
        await get("/agents/a/complete"),
        await post("/agents/a/stats", {}),
        await post("/agents/a/b/c", {}),
      ])
        expect([answer.status, answer.body.endpoints]).toEqual([404, places]);
    });
  });
});

describe.each(stores)("an agent over time ($name)", (kind) => {
  it("has statistics: what it did, what it cost, by provider, task and day", async () => {
    await withAgents(kind, {}, async ({ complete, get, clock }) => {
      expect((await get("/agents/worker/stats")).status).toBe(404);
      const first = await complete("worker", { prompt: "One", taskType: "triage" });
      clock.advance(86_400_000);
      const second = await complete("worker", { prompt: "Two", taskType: "summarization" });
      await complete("other", { prompt: "Three" });
      const { body } = await get("/agents/worker/stats");
      const cost = first.cost + second.cost;
      expect(body).toMatchObject({ agent: "worker", interactions: 2, answered: 2, failed: 0, successRate: 1 });
      expect(body.cost).toBeCloseTo(cost, 9);
      expect(body.averageCost).toBeCloseTo(cost / 2, 9);
      expect(body.byProvider).toMatchObject([{ of: "anthropic", interactions: 2 }]);
      expect(body.byTask.map((one: { of: string }) => one.of).toSorted()).toEqual(["summarization", "triage"]);
      expect(body.byDay.map((one: { of: string }) => one.of)).toEqual(["2026-11-17", "2026-11-18"]);
      expect(body.evolutionHistory).toEqual([]);
      expect((await get("/agents")).body.agents).toEqual([
        { agent: "other", lastDay: "2026-11-18" },
        { agent: "worker", lastDay: "2026-11-18" },
      ]);
    });
  });

  it("finds patterns in its own calls, with the number of calls behind each", async () => {
    await withAgents(kind, null, async ({ complete, post, get }) => {
      for (let task = 0; task < 10; task++) {
        const { call } = await complete("learner", { prompt: `Task ${task}`, taskType: "triage", cache: false });
        if (task < 4) await post("/agents/learner/feedback", { call, quality: task === 0 ? "bad" : "good" });
      }
      const { body } = await get("/agents/learner/stats");
      expect(body.learnedPatterns).toMatchObject([{ taskType: "triage", kind: "best-model", model: CLAUDE, calls: 4 }]);
      expect(body.learnedPatterns[0].text).toContain("quality 0.75 over 4 judged calls");
    });
  });

  it("has the changes of its routes in its history", async () => {
    await withAgents(kind, null, async ({ complete, get, mind, clock }) => {
      await complete("changer", { prompt: "One", taskType: "drafting" });
      const { applyChange } = await import("../../../src/store/journal/journal.ts");
      const { routePreferenceNoun } = await import("../../../src/store/nouns/route-preferences.ts");
      const why = "quality fell";
      await applyChange(
        mind.db,
        { noun: routePreferenceNoun, id: "moderate drafting" },
        { actor: { kind: "owner" }, cause: { kind: "operation", id: "models evolve", note: why }, at: clock.now() },
        () => ({
          id: "moderate drafting",
          taskType: "drafting",
          complexity: "moderate",
          model: "openai/gpt-5",
          insteadOf: CLAUDE,
          kind: "stronger",
          why,
          at: clock.now(),
        }),
      );
      expect((await get("/agents/changer/stats")).body.evolutionHistory).toMatchObject([
        { taskType: "drafting", from: CLAUDE, to: "openai/gpt-5", why, undone: false },
      ]);
    });
  });

  it("says whether it could work now, and if not, why", async () => {
    const down = { error: { status: 503, type: "overloaded_error", message: "busy" } };
    const settings = { models: { breakerFailures: 2, retries: 0 } };
    const use = [CLAUDE, "openrouter/some/model"];
    await withAgents(kind, { claude: (_, at) => (at === 0 ? { text: "fine" } : down), settings, use }, async (lab) => {
      const ready = await lab.get("/agents/worker/health");
      expect(ready).toMatchObject({ status: 200, body: { ok: true, store: { ok: true }, lastAnswerAt: null } });
      expect(ready.body.providers).toMatchObject([
        { name: "anthropic", usable: true, breaker: "closed" },
        { name: "openrouter", usable: false, why: expect.stringContaining("OPENROUTER_API_KEY") },
      ]);
      expect(ready.body.caps).toMatchObject([{ cap: "day", limit: 20, left: 20 }]);
      await lab.complete("worker", { prompt: "One" });
      for (let time = 0; time < 2; time++) {
        // Failures at the same moment count as one.
        lab.clock.advance(5_000);
        await lab.post("/agents/worker/complete", { prompt: "Two", cache: false });
      }
      const broken = await lab.get("/agents/worker/health");
      expect(broken.status).toBe(503);
      expect(broken.body).toMatchObject({ ok: false, lastAnswerAt: "2026-11-17T12:00:00.000Z" });
      expect(broken.body.providers[0]).toMatchObject({ usable: false, breaker: "open", failures: 2 });
    });
  });

  it("is the same after a restart: its turns, its recall, its cache and its statistics", async () => {
    await withAgents(kind, {}, async (lab) => {
      const first = await lab.complete("worker", { prompt: "The cellar key hangs behind the clock", session: "s" });
      await lab.restart();
      const turn = await lab.complete("worker", { prompt: "And then?", session: "s" });
      expect(turn.memory).toMatchObject([{ tier: "working" }]);
      const recalled = await lab.complete("worker", { prompt: "Where hangs the cellar key" });
      expect(recalled.memory.map(({ id }) => id)).toEqual([first.call]);
      await lab.restart();
      const cached = await lab.complete("worker", { prompt: "Where hangs the cellar key" });
      expect(cached).toMatchObject({ cached: true, response: recalled.response });
      expect((await lab.get("/agents/worker/stats")).body).toMatchObject({ interactions: 4, cached: 1 });
    });
  });
});
