import { ground } from "./001-ground.ts";
import { vectors } from "./002-vectors.ts";
import { aftermath } from "./003-aftermath.ts";
import { tries } from "./004-tries.ts";
import { ledger } from "./005-ledger.ts";
import { memories } from "./006-memories.ts";
import { search } from "./007-search.ts";
import { repeats } from "./008-repeats.ts";
import { advice } from "./009-advice.ts";
import { identity } from "./010-identity.ts";
import { hostVersions } from "./011-host-versions.ts";
import { swiftRecall } from "./012-swift-recall.ts";
import { keptCounts } from "./013-kept-counts.ts";
import { keptResults } from "./014-kept-answers.ts";
import { purged } from "./015-purged.ts";
import { deliveries } from "./016-deliveries.ts";
import { failureCosts } from "./017-failure-costs.ts";
import { facts } from "./018-facts.ts";
import { answers } from "./019-answers.ts";
import { days } from "./020-days.ts";
import { models } from "./021-models.ts";
import { routing } from "./022-routing.ts";
import { agents } from "./023-agents.ts";
import { holders } from "./024-holders.ts";
import { tallies } from "./025-tallies.ts";
import { chat } from "./026-chat.ts";
import { falls } from "./027-falls.ts";
import { queue } from "./028-queue.ts";
import { jobs } from "./029-jobs.ts";
import { workspaces } from "./030-workspaces.ts";
import { goals } from "./031-goals.ts";
import { chances } from "./032-chances.ts";
import { cycles } from "./033-cycles.ts";

/** In order; a released one is never edited. The schema version is the number of migrations run. */
export const migrations: readonly string[] = [
  ground,
  vectors,
  aftermath,
  tries,
  ledger,
  memories,
  search,
  repeats,
  advice,
  identity,
  hostVersions,
  swiftRecall,
  keptCounts,
  keptResults,
  purged,
  deliveries,
  failureCosts,
  facts,
  answers,
  days,
  models,
  routing,
  agents,
  holders,
  tallies,
  chat,
  falls,
  queue,
  jobs,
  workspaces,
  goals,
  chances,
  cycles,
];
