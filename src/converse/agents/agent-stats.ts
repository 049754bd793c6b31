import type { Context } from "../../context.ts";
import { type AgentPattern, findAgentPatterns } from "../../domain/model/agent-patterns.ts";
import { preferenceId, type RoutePreference } from "../../domain/evolution/route-preference.ts";
import type { Change } from "../../domain/journal.ts";
import type { Complexity, Tally } from "../../domain/route/tally.ts";
import { DAY } from "../../lib/clock.ts";
import { sumAgentModels } from "../../store/models/agent-calls.ts";
import { type CostSum, sumAllCosts, sumCosts } from "../../store/models/day-sums.ts";
import { listTallies } from "../../store/models/tallies.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { routePreferenceNoun } from "../../store/nouns/route-preferences.ts";

export interface AgentStats {
  readonly total: CostSum;
  readonly byProvider: readonly CostSum[];
  readonly byTask: readonly CostSum[];
  readonly byDay: readonly CostSum[];
  /** What the router knows about this agent's kinds of tasks, from the outcomes of all agents; the best model first. */
  readonly preferred: readonly PreferredModels[];
  readonly patterns: readonly AgentPattern[];
  /** Changes of the model that goes first, for this agent's kinds of tasks; oldest first. */
  readonly evolution: readonly Change<RoutePreference>[];
}

export interface PreferredModels {
  readonly taskType: string;
  readonly complexity: Complexity;
  readonly models: readonly Tally[];
}

/** Sums cover all time. Models, patterns and changes cover the kinds of tasks of the last ninety days. */
export async function readAgentStats({ db, clock }: Pick<Context, "db" | "clock">, agent: string): Promise<AgentStats> {
  const ever = { since: "0000-01-01", until: "9999-12-31", agents: [agent] };
  const sums = await sumAgentModels(db, agent, clock.now() - 90 * DAY);
  const kinds = [...new Map(sums.map((one) => [preferenceId(one.complexity, one.taskType), one])).entries()];
  const tallies = await listTallies(db);
  const evolution: Change<RoutePreference>[] = [];
  for (const [id] of kinds) evolution.push(...(await listChangesOf(db, routePreferenceNoun, id)));
  return {
    total: await sumAllCosts(db, ever),
    byProvider: await sumCosts(db, "provider", ever),
    byTask: await sumCosts(db, "task", ever),
    byDay: await sumCosts(db, "day", ever),
    preferred: kinds.map(([, kind]) => rankModels(kind, tallies)),
    patterns: findAgentPatterns(sums),
    evolution: evolution.toSorted((a, b) => a.id - b.id),
  };
}

function rankModels(
  { taskType, complexity }: Pick<PreferredModels, "taskType" | "complexity">,
  tallies: readonly Tally[],
): PreferredModels {
  const ofKind = tallies.filter(
    (one) => one.taskType === taskType && one.complexity === complexity && one.attempt === "first",
  );
  const models = ofKind.toSorted((a, b) => expectedQuality(b) - expectedQuality(a) || b.tries - a.tries);
  return { taskType, complexity, models };
}

/** A few outcomes say little, so one good and one bad outcome are added. */
function expectedQuality({ quality, outcomes }: Pick<Tally, "quality" | "outcomes">): number {
  return (quality + 1) / (outcomes + 2);
}
