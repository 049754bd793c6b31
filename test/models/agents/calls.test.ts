import { describe, expect, it } from "vitest";
import { invoke } from "../../../src/invoke.ts";
import { operationNamed } from "../../../src/operations.ts";
import { reserve } from "../../../src/store/models/reservations.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, GPT, START, withAgents } from "./lab.ts";

const limited = { error: { status: 429, type: "rate_limit_error", message: "slow down", retryAfter: "120" } } as const;
const broken = { error: { status: 500, type: "api_error", message: "oops" } } as const;
const wrongKey = { error: { status: 401, type: "authentication_error", message: "no such key" } } as const;

describe.each(stores)("a call that no model answers, on $name", (kind) => {
  it("says of each model why it failed, how long a provider asks to wait, and which command shows more", async () => {
    const scripts = { claude: () => limited, gpt: () => broken };
    await withAgents(kind, { use: [CLAUDE, GPT], ...scripts }, async ({ post }) => {
      const { status, body } = await post("/agents/clerk/complete", { prompt: "hello" });
      expect(status).toBe(502);
      expect(body.error.code).toBe("unanswered");
      expect(body.error.message).toContain(`${CLAUDE}: answers 429: slow down (asks to wait 120 s)`);
      expect(body.error.message).toContain(`${GPT}: answers 500: oops`);
      expect(body.error.hint).toMatch(/^wait 120 s, then try: .*; every attempt: oldhand models call mc_\w+$/);
    });
  });

  it("has the code of its failures if they agree", async () => {
    await withAgents(kind, { claude: () => wrongKey }, async ({ post }) => {
      const { status, body } = await post("/agents/clerk/complete", { prompt: "hello" });
      expect([status, body.error.code]).toEqual([400, "config"]);
    });
  });
});

describe.each(stores)("models calls and models call, on $name", (kind) => {
  it("list the latest calls, and show one with its attempts, prices, reasons and verdicts", async () => {
    const scripts = { claude: [broken, { text: "done" }] };
    await withAgents(kind, scripts, async ({ complete, post, mind }) => {
      const { call } = await complete("clerk", { prompt: "hello", taskType: "triage" });
      await post("/agents/clerk/feedback", { call, quality: "bad", note: "too short" });
      const list = operationNamed("models calls");
      const found = await invoke(mind, list, {}, "");
      expect(found.calls).toMatchObject([
        { id: call, agent: "clerk", taskType: "triage", model: CLAUDE, outcome: "ok", healed: true },
      ]);
      expect(list.render(found)).toContain(
        `${call}  2026-11-17T12:00:00.000Z  clerk  triage  ${CLAUDE}  ok, healed  $`,
      );
      const one = operationNamed("models call");
      const shown = await invoke(mind, one, { id: call }, "");
      expect(shown.attempts).toMatchObject([
        { model: CLAUDE, failure: "overloaded" },
        { model: CLAUDE, failure: null, price: { in: 3, out: 15 } },
      ]);
      expect(shown.verdicts).toMatchObject([{ quality: 0, source: "feedback", note: "too short" }]);
      const text = one.render(shown);
      expect(text).toContain("2 attempts");
      expect(text).toMatch(/anthropic\/claude-sonnet-4-5  overloaded  /);
      expect(text).toMatch(/answered .*\$3 in and \$15 out per million tokens, prices of 2026-09-23/);
      expect(text).toContain("failed (overloaded)");
      expect(text).toContain("quality 0.00 (a person): too short");
    });
  });

  it("refuse an unknown id, and say of a call under way what is reserved", async () => {
    await withAgents(kind, {}, async ({ mind }) => {
      const one = operationNamed("models call");
      await expect(invoke(mind, one, { id: "mc_nothing" }, "")).rejects.toThrow('there is no model call "mc_nothing"');
      const spender = { agent: "clerk", job: null, goal: null };
      await reserve(mind.db, { call: "mc_now", attempt: 1, spender, amount: 0.5, leaseMs: 60_000, now: START });
      const shown = await invoke(mind, one, { id: "mc_now" }, "");
      expect(one.render(shown)).toContain("under way: up to $0.50 is reserved until 2026-11-17T12:01:00.000Z");
    });
  });
});
