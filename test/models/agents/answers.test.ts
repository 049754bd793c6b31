import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { operationNamed } from "../../../src/operations.ts";
import { countUndigested } from "../../../src/store/derived/digest.ts";
import type { Script } from "../../../src/testing/scripted-server.ts";
import { stores } from "../../stores.ts";
import { closeSharedAgents, CLAUDE, GPT, lastSent, withAgents } from "./lab.ts";

afterAll(closeSharedAgents);

describe.each(stores)("an agent's answers ($name)", (kind) => {
  it("come from the cache for an equal request, without a provider call, and are marked", async () => {
    await withAgents(kind, null, async ({ complete, claude, post }) => {
      const task = { prompt: "Summarise this", taskType: "summarization", context: { text: "A long text" } };
      const first = await complete("writer", task);
      const again = await complete("writer", task);
      expect(again).toMatchObject({ response: first.response, cached: true, cost: 0, memory: [] });
      expect(claude.requests).toHaveLength(1);
      // Another text, another agent, or `cache: false`: the model is called.
      await complete("writer", { ...task, context: { text: "Another text" } });
      await complete("reader", task);
      await complete("writer", { ...task, cache: false });
      expect(claude.requests).toHaveLength(4);
      // Other tasks in between change what the agent recalls, but not the request.
      expect((await complete("writer", task)).cached).toBe(true);
      // A new memory may change every answer.
      await post("/api/remember", { text: "summaries are in rhyme", agent: "writer" });
      expect((await complete("writer", task)).cached).toBe(false);
    });
  });

  it("come from the cache only while nothing was remembered since: by the agent itself, or in the owner's file", async () => {
    const marked = 'Noted. [MEMORY]{"text":"the archive is on the second floor"}';
    const claude: Script = (_request, at) => ({ text: at === 1 ? marked : `answer ${at + 1}` });
    await withAgents(kind, { claude }, async ({ complete, mind }) => {
      const task = { prompt: "Where is the archive?" };
      await complete("porter", task);
      expect((await complete("porter", task)).cached).toBe(true);
      await complete("porter", { prompt: "Remember where the archive is." });
      expect((await complete("porter", task)).cached).toBe(false);
      expect((await complete("porter", task)).cached).toBe(true);
      appendFileSync(join(mind.config.home, "MEMORY.md"), "The archive moved to the cellar.\n");
      expect((await complete("porter", task)).cached).toBe(false);
    });
  });

  it("of the cache wait for no work that they do not need; the next task finds it done", async () => {
    await withAgents(kind, {}, async ({ complete, mind }) => {
      const task = { prompt: "Where is the archive?" };
      await complete("porter", task);
      expect((await complete("porter", task)).cached).toBe(true);
      // Each answer has two events, and nobody has looked at them yet.
      expect(await countUndigested(mind.db)).toBe(4);
      const { memory } = await complete("porter", { prompt: "Where is the archive, again?" });
      expect(memory.map(({ text }) => text).join("\n")).toContain("Where is the archive?");
      expect(await countUndigested(mind.db)).toBe(2);
    });
  });

  it("are not repeated from the cache after bad feedback, which the model sees", async () => {
    await withAgents(kind, null, async ({ complete, claude, post }) => {
      const first = await complete("teacher", { prompt: "Name the capital of Australia" });
      await post("/agents/teacher/feedback", { call: first.call, quality: "bad", note: "it is Canberra" });
      const again = await complete("teacher", { prompt: "Name the capital of Australia" });
      expect(again.cached).toBe(false);
      expect(lastSent(claude)).toContain("feedback: 0, it is Canberra");
    });
  });

  it("move the router's tallies by feedback, once for each call", async () => {
    await withAgents(kind, { use: [CLAUDE, GPT] }, async ({ complete, post, get, mind }) => {
      const { call, provider, model } = await complete("judge", { prompt: "Classify this", taskType: "triage" });
      const read = () =>
        mind.db.get<{ outcomes: number; quality: number }>(
          "select outcomes, quality from route_tallies where task_type = 'triage' and model = ?",
          [`${provider}/${model}`],
        );
      const before = await read();
      expect(await post("/agents/judge/feedback", { call, quality: 1 })).toMatchObject({
        status: 200,
        body: { call, quality: 1 },
      });
      const after = await read();
      expect(after?.outcomes).toBeGreaterThan(before?.outcomes ?? 0);
      expect(after?.quality).toBeGreaterThan(before?.quality ?? 0);
      const { body } = await get("/agents/judge/stats");
      expect(body.preferredModels).toMatchObject([
        { taskType: "triage", complexity: "simple", models: [{ model: `${provider}/${model}`, tries: 1 }] },
      ]);
    });
  });

  it("can be judged only under the name of the agent that gave them", async () => {
    await withAgents(kind, null, async ({ complete, post }) => {
      const { call } = await complete("judge", { prompt: "Classify this" });
      for (const [agent, id] of [
        ["other", call],
        ["judge", "mc_nothing"],
      ])
        expect((await post(`/agents/${agent}/feedback`, { call: id, quality: 1 })).status).toBe(404);
      for (const quality of ["great", 1.5, -1, null, "", "NaN"])
        expect((await post("/agents/judge/feedback", { call, quality })).status).toBe(400);
    });
  });

  it("come as a stream, whose end is the same document", async () => {
    await withAgents(kind, { claude: [{ text: "one two three four", pieces: 4 }] }, async ({ post, complete }) => {
      const { status, type, text } = await post(
        "/agents/writer/complete",
        { prompt: "Count", session: "s" },
        { accept: "text/event-stream" },
      );
      expect([status, type]).toEqual([200, expect.stringContaining("text/event-stream") as string]);
      const events = text
        .split("\n\n")
        .filter(Boolean)
        .map((block) => JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null") as Streamed);
      const pieces = events.filter((one) => one.kind === "item").map((one) => one.item?.text ?? "");
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join("")).toBe("one two three four");
      expect(events.at(-1)).toMatchObject({
        kind: "result",
        result: { response: "one two three four", provider: "anthropic", session: "s" },
      });
      const next = await complete("writer", { prompt: "And now?", session: "s" });
      expect(next.memory).toMatchObject([{ tier: "working", text: "Count\none two three four" }]);
    });
  });

  it("are healed by the next model, marked, and counted", async () => {
    const down = { error: { status: 503, type: "overloaded_error", message: "busy" } };
    const options = { use: [CLAUDE, GPT], claude: () => down, gpt: [{ text: "fine" }] };
    await withAgents(kind, { ...options, settings: { models: { default: CLAUDE, retries: 0 } } }, async (lab) => {
      const answer = await lab.complete("writer", { prompt: "Hello" });
      expect(answer).toMatchObject({ response: "fine", provider: "openai", healed: true });
      expect((await lab.get("/agents/writer/stats")).body).toMatchObject({
        interactions: 1,
        healed: 1,
        successRate: 1,
      });
    });
  });

  it("that fail are an error with a status, are counted, and are not remembered", async () => {
    const down = { error: { status: 503, type: "overloaded_error", message: "busy" } };
    const settings = { models: { retries: 0 } };
    await withAgents(kind, { claude: (_, at) => (at < 2 ? down : { text: "fine" }), settings }, async (lab) => {
      for (const accept of ["application/json", "text/event-stream"]) {
        const failed = await lab.post("/agents/writer/complete", { prompt: "Hello", session: "s" }, { accept });
        expect([failed.status, failed.body.error.code]).toEqual([502, "unanswered"]);
      }
      expect((await lab.complete("writer", { prompt: "Hello", session: "s" })).memory).toEqual([]);
      expect((await lab.get("/agents/writer/stats")).body).toMatchObject({ interactions: 3, failed: 2 });
    });
  });

  it("stop at a cap with 402 and the command that extends it", async () => {
    await withAgents(kind, null, async ({ post, complete, claude, get }) => {
      await complete("spender", { prompt: "Hello" });
      expect((await post("/api/models/caps/set", { kind: "agent", name: "spender", amount: "0.0001" })).status).toBe(
        200,
      );
      for (const accept of ["application/json", "text/event-stream"]) {
        const { status, body } = await post("/agents/spender/complete", { prompt: "Once more" }, { accept });
        expect([status, body.error.code]).toEqual([402, "capped"]);
        expect(body.error.hint).toMatch(/^oldhand models caps extend agent spender [\d.]+$/);
      }
      expect(claude.requests).toHaveLength(1);
      await post("/api/models/caps/set", { kind: "agent", name: "unsent", amount: "0.0001" });
      expect((await post("/agents/unsent/complete", { prompt: "Hello" })).status).toBe(402);
      expect((await get("/agents/unsent/stats")).body).toMatchObject({ interactions: 1, capped: 1, byProvider: [] });
      expect((await post("/agents/other/complete", { prompt: "Once more" })).status).toBe(200);
      const health = await get("/agents/spender/health");
      expect([health.status, health.body.ok]).toEqual([503, false]);
      expect(health.body.caps).toContainEqual(expect.objectContaining({ cap: "agent spender", left: 0 }));
      const { body } = await get("/agents/spender/stats");
      expect(body).toMatchObject({ interactions: 3, capped: 2, successRate: 1 });
      expect(body.byTask).toMatchObject([{ interactions: 3, answered: 1, capped: 2 }]);
      const shown = operationNamed("agents stats").render(body);
      expect(shown).toMatch(
        /^spender: 3 interactions, 1 answered, 0 failed, 2 stopped by a cap before they were sent, \$/,
      );
      expect(shown).toMatch(/^ {2}anthropic: 1 attempt, \$/m);
    });
  });
});

interface Streamed {
  readonly kind: string;
  readonly item?: { readonly text: string };
  readonly result?: unknown;
}
