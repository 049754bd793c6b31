import type { Config } from "../../config.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { type FallenModel, findFallen } from "../../domain/route/fall.ts";
import { routePolicy } from "../../domain/route/policy.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { listTallies } from "../../store/models/tallies.ts";

/** The models in use whose quality fell. */
export async function listFallenInUse({
  db,
  clock,
  config,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Pick<Config, "providers">;
}): Promise<readonly FallenModel[]> {
  const { models, defaultModel } = config.providers;
  const used = [...models, ...(defaultModel === null ? [] : [defaultModel])].map(formatModelRef);
  return findFallen(await listTallies(db, used), clock.now(), routePolicy);
}
