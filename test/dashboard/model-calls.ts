import type { ModelCallRow } from "../../src/domain/model/call-row.ts";
import { noUsage } from "../../src/domain/model/usage.ts";
import { openContext } from "../../src/mind.ts";
import { storeCall, storeQuality } from "../../src/store/models/calls.ts";
import { storeRoute } from "../../src/store/models/routes.ts";
import { changeTally } from "../../src/store/models/tallies.ts";
import type { Place } from "../program.ts";
import { aModelCall } from "../store/sample-model-call.ts";

const DAY = 86_400_000;
const LONG = `deployments/${"eu-central-".repeat(8)}llama-4-maverick`;

/** Model calls of the last days: two providers, three agents, one healed, one failed, one from the cache, some judged. */
export async function storeModelCalls({ home }: Place, { isFirstDay = false } = {}): Promise<void> {
  const mind = await openContext({ home, env: {} });
  try {
    const now = mind.clock.now();
    for (const [at, row] of rows(now, isFirstDay ? 0 : 1).entries()) {
      await storeCall(mind.db, row);
      if (at % 2 === 0)
        await storeQuality(mind.db, {
          call: row.id,
          at: now,
          quality: at % 4 === 0 ? 1 : 0.25,
          source: "feedback",
          note: null,
        });
    }
    const key = { taskType: "triage", complexity: "simple", model: `openrouter/${LONG}`, attempt: "first" } as const;
    await changeTally(mind.db, key, now, (before) => ({
      ...before,
      tries: 3,
      outcomes: 2,
      quality: 1.5,
      judged: 2,
      calls: 3,
      cost: 0.02,
      latencyMs: 2_400,
    }));
  } finally {
    await mind.close();
  }
}

function rows(now: number, spread: number): readonly ModelCallRow[] {
  const call = (n: number, daysAgo: number, more: Partial<ModelCallRow>) =>
    aModelCall(`mc_${n}`, now - daysAgo * spread * DAY, {
      session: `agent:clerk:s${n}`,
      ms: 800 + n * 100,
      cost: 0.01 * n,
      ...more,
    });
  const slow = { provider: "openrouter", model: LONG };
  const broken = { ...slow, at: now, ms: 900, failure: "overloaded" as const, usage: noUsage, cost: 0, price: null };
  const healing = {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    at: now,
    ms: 700,
    failure: null,
    usage: noUsage,
    cost: 0.03,
    price: null,
  };
  return [
    call(1, 3, {}),
    call(2, 2, { agent: "writer", taskType: "summarization", session: null }),
    call(3, 1, { healed: true, attempts: [broken, healing] }),
    call(4, 1, { ...slow, agent: `agent-${"x".repeat(50)}`, explored: true }),
    call(5, 0, { outcome: "failed", failure: "timeout" }),
    call(6, 0, { outcome: "cached", cost: 0, attempts: [] }),
    call(7, 0, {}),
  ];
}

/** Judged calls of the last weeks whose quality falls half-way: enough for a proposal of another model. */
export async function storeFallingQuality(
  { home }: Place,
  { provider, model }: { provider: string; model: string },
): Promise<void> {
  const mind = await openContext({ home, env: {} });
  try {
    const now = mind.clock.now();
    await mind.db.tx(async (tx) => {
      for (let n = 0; n < 120; n++) {
        const at = now - 20 * DAY + n * 3_600_000;
        const call = `mc_falling_${n}`;
        const kind = { agent: "judge", session: null, taskType: "review", complexity: "moderate" } as const;
        await storeCall(tx, aModelCall(call, at, { ...kind, provider, model }));
        const chosen = {
          model: `${provider}/${model}`,
          best: null,
          attempt: "first",
          explored: false,
          cachedTokens: 0,
        } as const;
        await storeRoute(tx, { ...kind, ...chosen, call, at });
        const quality = n < 60 ? 1 : n % 3 === 0 ? 1 : 0;
        await storeQuality(tx, { call, at, quality, source: "verified", note: null });
      }
    });
  } finally {
    await mind.close();
  }
}
