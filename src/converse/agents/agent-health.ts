import type { Context } from "../../context.ts";
import { type Breaker, type BreakerState, getBreakerState, openUntil } from "../../domain/model/breaker.ts";
import { limitOn, spendingDay, usedOf } from "../../domain/model/caps.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { toDollars } from "../../domain/model/money.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { findReadyModels, type ReadyModels } from "../../models/gateway/find-ready-models.ts";
import { parseChain } from "../../models/gateway/usable-models.ts";
import { openPricesOf } from "../../models/prices/open-prices-of.ts";
import { explainUnusable } from "../../models/providers/inspect-providers.ts";
import { findLastCalls } from "../../store/models/agent-calls.ts";
import { listBreakers } from "../../store/models/breakers.ts";
import { type CapUsage, listCapUsage } from "../../store/models/cap-usage.ts";

/** Whether an agent could do a task now. */
export interface AgentHealth {
  readonly isOk: boolean;
  /** Null if the store works. */
  readonly store: string | null;
  readonly providers: readonly ProviderHealth[];
  readonly caps: readonly CapHealth[];
  readonly lastAnswerAt: number | null;
  readonly lastCallAt: number | null;
}

export interface ProviderHealth {
  readonly name: string;
  readonly models: readonly string[];
  readonly isUsable: boolean;
  readonly why: string | null;
  readonly breaker: BreakerState;
  readonly failures: number;
  readonly openUntil: number | null;
}

/** In dollars. */
export interface CapHealth {
  readonly cap: string;
  readonly limit: number | null;
  readonly spent: number;
  readonly reserved: number;
  readonly left: number | null;
}

type HealthContext = Pick<Context, "db" | "clock" | "config">;

/** Calls no provider: reads the settings, the environment and the stored calls. */
export async function checkAgentHealth(ctx: HealthContext, agent: string): Promise<AgentHealth> {
  try {
    const prices = await openPricesOf(ctx.config);
    const found = await findReadyModels({ ...ctx, prices }, agent, ctx.clock.now());
    const providers = await checkProviders(ctx, found);
    const caps = await checkCaps(ctx, agent);
    const { answeredAt, calledAt } = await findLastCalls(ctx.db, agent);
    const isOk = found.ready.length > 0;
    return { isOk, store: null, providers, caps, lastAnswerAt: answeredAt, lastCallAt: calledAt };
  } catch (error) {
    if (!(error instanceof OldhandError)) throw error;
    const nothing = { providers: [], caps: [], lastAnswerAt: null, lastCallAt: null };
    return { isOk: false, store: error.message, ...nothing };
  }
}

async function checkProviders(
  { db, clock, config }: HealthContext,
  { ready, left }: ReadyModels,
): Promise<readonly ProviderHealth[]> {
  const now = clock.now();
  const { models, defaultModel } = config.providers;
  const chain = parseChain(config.policy.models.chain);
  const refs = [...models, ...(defaultModel === null ? [] : [defaultModel]), ...chain];
  const breakers = new Map((await listBreakers(db)).map((one) => [one.provider, one]));
  return [...new Set(refs.map(({ provider }) => provider))].map((name) => {
    const breaker = breakers.get(name);
    const state = breaker === undefined ? "closed" : getBreakerState(breaker, now);
    const ofProvider = refs.filter(({ provider }) => provider === name);
    const missing = explainUnusable({ provider: name, model: ofProvider[0]?.model ?? "" }, config.providers);
    const isUsable = ready.some(({ provider }) => provider === name);
    const other = left.find((line) => ofProvider.some((ref) => line.startsWith(`${formatModelRef(ref)} is left out`)));
    const why = isUsable
      ? null
      : (missing ??
        (state === "open" && breaker !== undefined ? explainHeld(breaker) : (other ?? "none of its models is chosen")));
    return {
      name,
      models: [...new Set(ofProvider.map(({ model }) => model))],
      isUsable,
      why,
      breaker: state,
      failures: breaker?.failures ?? 0,
      openUntil: state === "open" && breaker !== undefined ? openUntil(breaker) : null,
    };
  });
}

function explainHeld(breaker: Breaker): string {
  const { failures, why } = breaker;
  const until = openUntil(breaker);
  const calls = failures === 1 ? "its last call" : `its last ${failures} calls`;
  const again = until === null ? "" : `; it is tried again at ${iso(until).slice(11, 19)} UTC`;
  return `${calls} failed (${why ?? "unknown"})${again}`;
}

async function checkCaps({ db, clock }: HealthContext, agent: string): Promise<readonly CapHealth[]> {
  const now = clock.now();
  const all = await listCapUsage(db, now);
  return all
    .filter(({ cap }) => cap.kind === "day" || (cap.kind === "agent" && cap.name === agent))
    .map((one) => toCapHealth(one, spendingDay(now)));
}

function toCapHealth(usage: CapUsage, day: string): CapHealth {
  const limit = limitOn(usage.cap, day);
  return {
    cap: usage.cap.id,
    limit: limit === null ? null : toDollars(limit),
    spent: toDollars(usage.spent),
    reserved: toDollars(usage.reserved),
    left: limit === null ? null : toDollars(Math.max(0, limit - usedOf(usage, limit, usage.cap.isStrict))),
  };
}
