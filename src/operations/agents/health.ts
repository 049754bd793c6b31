import { z } from "zod";
import { checkAgentHealth } from "../../converse/agents/agent-health.ts";
import { formatDollarsDown } from "../../domain/model/money.ts";
import { iso } from "../../lib/clock.ts";
import { defineOperation } from "../../operation.ts";
import { agentInput, requireAgentInSight } from "./agent-inputs.ts";

const health = defineOperation({
  name: "agents health",
  summary:
    "Shows whether an agent could do a task now: store, providers, breakers, caps and its last answer. Calls no provider.",
  effect: "read",
  input: z.strictObject({ agent: agentInput }),
  positional: ["agent"],
  output: z.object({
    agent: z.string(),
    ok: z.boolean(),
    store: z.object({ ok: z.boolean(), why: z.string().nullable() }),
    providers: z.array(
      z.object({
        name: z.string(),
        models: z.array(z.string()),
        usable: z.boolean(),
        why: z.string().nullable().describe("why it cannot be used now"),
        breaker: z.enum(["closed", "open", "half-open"]),
        failures: z.number().describe("failures in a row"),
        openUntil: z.string().nullable(),
      }),
    ),
    caps: z.array(
      z.object({
        cap: z.string(),
        limit: z.number().nullable().describe("dollars"),
        spent: z.number(),
        reserved: z.number(),
        left: z.number().nullable(),
      }),
    ),
    lastAnswerAt: z.string().nullable(),
    lastCallAt: z.string().nullable(),
  }),
  isNegative: ({ ok }) => !ok,
  run: async (ctx, { agent }) => {
    requireAgentInSight(ctx, agent);
    const { isOk, store, providers, caps, lastAnswerAt, lastCallAt } = await checkAgentHealth(ctx, agent);
    return {
      agent,
      ok: isOk,
      store: { ok: store === null, why: store },
      providers: providers.map(({ isUsable, openUntil, models, ...one }) => ({
        ...one,
        models: [...models],
        usable: isUsable,
        openUntil: openUntil === null ? null : iso(openUntil),
      })),
      caps: [...caps],
      lastAnswerAt: lastAnswerAt === null ? null : iso(lastAnswerAt),
      lastCallAt: lastCallAt === null ? null : iso(lastCallAt),
    };
  },
  render: ({ agent, ok, store, providers, caps, lastAnswerAt }) =>
    [
      `${agent}: ${ok ? "ready" : "not ready"}${store.why === null ? "" : `; ${store.why}`}`,
      ...(providers.length === 0 ? ["  no model has been added: oldhand models add PROVIDER/MODEL"] : []),
      ...providers.map((one) => `  ${one.name}: ${one.usable ? "usable" : (one.why ?? "not usable")}`),
      ...caps.map(
        (one) => `  cap ${one.cap}: ${one.left === null ? "no limit" : `${formatDollarsDown(one.left)} left`}`,
      ),
      `  last answer: ${lastAnswerAt ?? "never"}`,
    ].join("\n"),
});

export const agentHealthOperations = [health] as const;
