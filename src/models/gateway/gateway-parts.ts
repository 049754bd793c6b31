import type { HealingPolicy } from "../../domain/model/retry.ts";
import type { BreakerPolicy } from "../../domain/model/breaker.ts";
import type { Placeholders } from "../../domain/model/placeholders.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import type { ChatProvider } from "../chat/chat.ts";
import type { PriceTable } from "../prices/prices.ts";
import type { GatewayConfig } from "./choose-models.ts";
import type { UnstoredCalls } from "./unstored-calls.ts";

/** The dependencies of a gateway. */
export interface GatewayParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: GatewayConfig;
  /** Returns the same provider for the same name. */
  readonly provider: (name: string) => Promise<ChatProvider>;
  readonly prices: () => Promise<PriceTable>;
  /** For the jitter of waits: returns a number from 0 up to 1. */
  readonly random?: (() => number) | undefined;
}

/** The dependencies with defaults filled in. */
export interface OpenParts extends Omit<GatewayParts, "random"> {
  readonly random: () => number;
  readonly placeholders: (session: string) => Promise<Placeholders>;
  readonly unstored: UnstoredCalls;
  readonly healing: HealingPolicy;
  readonly breaker: BreakerPolicy;
}

export function healingPolicy({ policy: { models } }: GatewayConfig): HealingPolicy {
  return {
    retries: models.retries,
    attempts: models.attempts,
    baseMs: models.retryMs,
    maxWaitMs: models.retrySeconds * 1_000,
  };
}

/** A call that tries a failing provider holds others back for so long, at most. */
const PROBE_MS = 30_000;

export function breakerPolicy({ policy: { models } }: Pick<GatewayConfig, "policy">): BreakerPolicy {
  const openMs = models.breakerSeconds * 1_000;
  return {
    failures: models.breakerFailures,
    burstMs: 1_000,
    openMs,
    maxOpenMs: openMs * 20,
    probeMs: PROBE_MS,
  };
}
