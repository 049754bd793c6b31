import type { Config } from "../../config.ts";
import { getBreakerState } from "../../domain/model/breaker.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { listBreakers } from "../../store/models/breakers.ts";
import { findEndpoint } from "../providers/registry.ts";
import { explainNotClosed } from "./usable-models.ts";

/** A provider whose last calls failed, so that it is not called, or only to try it. */
export interface FailingProvider {
  readonly provider: string;
  /** What is wrong, until when it is not called, and what to do. Without a full stop. */
  readonly text: string;
  /** A key that was refused, or used up credit: it does not get well by itself. */
  readonly needsOwner: boolean;
  /** No provider of the models in use answers. */
  readonly leavesNone: boolean;
}

/** Those of the models in use, and others that are not called now. */
export async function listFailingProviders({
  db,
  clock,
  config,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Pick<Config, "providers">;
}): Promise<readonly FailingProvider[]> {
  const { providers } = config;
  const used = [...providers.models, ...(providers.defaultModel === null ? [] : [providers.defaultModel])];
  const now = clock.now();
  const breakers = await listBreakers(db);
  const isDown = (provider: string) =>
    breakers.some((one) => one.provider === provider && getBreakerState(one, now) !== "closed");
  const leavesNone = used.length > 0 && used.every(({ provider }) => isDown(provider));
  return breakers
    .filter((one) => one.failures > 0 && findEndpoint(one.provider, providers) !== null)
    .filter((one) => getBreakerState(one, now) === "open" || used.some(({ provider }) => provider === one.provider))
    .map((one) => ({
      provider: one.provider,
      text: explainNotClosed(one, providers, now),
      needsOwner: one.why === "auth" || one.why === "quota",
      leavesNone,
    }));
}
