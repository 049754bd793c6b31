import type { Board } from "../../../domain/goal/decide.ts";
import type { WorkOutcomes } from "../../../domain/goal/learning-evidence.ts";
import type { StrategyTally } from "../../../domain/goal/strategy.ts";
import type { Memory } from "../../../domain/memory/memory.ts";
import type { Db } from "../../../store/engine/db.ts";
import { readReflectionCycles } from "../../../store/goals/reflections.ts";
import { listJudgedAttempts, listStrategyTallies } from "../../../store/goals/strategies.ts";
import { filterEverKnown } from "../../../store/journal/journal.ts";
import { listGoals } from "../../../store/nouns/goals.ts";
import { listMemories } from "../../../store/nouns/memories.ts";
import { listTasks } from "../../../store/nouns/tasks.ts";
import { countMemoryUses, readLastChecks } from "../../../store/shown/memory-uses.ts";
import { type MeasureSimilarity, newSimilarity } from "./similar-learnings.ts";

/** Everything that a reflection decides by, as it was at one moment. */
export interface ReflectionFacts extends Board {
  /** All active learnings. */
  readonly learnings: readonly Memory[];
  /** When each was last used or confirmed; 0: never. */
  readonly lastSigns: ReadonlyMap<string, number>;
  /** When each was last checked; those that never were are left out. */
  readonly lastChecks: ReadonlyMap<string, number>;
  readonly outcomes: WorkOutcomes;
  readonly tallies: readonly StrategyTally[];
  readonly reflectedAt: number | null;
  readonly similarity: MeasureSimilarity;
  /** Of learnings; empty without an embedder. */
  readonly vectors: ReadonlyMap<string, Int8Array>;
  /** Of these ids of goals, those that were there at any time. */
  filterKnown(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export async function readReflectionFacts(db: Db, vectors: ReadonlyMap<string, Int8Array>): Promise<ReflectionFacts> {
  const learnings = await listMemories(db, { status: "active", kind: "learning" });
  const ids = learnings.map(({ id }) => id);
  const uses = await countMemoryUses(db, ids);
  const lastChecks = await readLastChecks(db, ids);
  const { reflectedAt } = await readReflectionCycles(db, { most: 1 });
  const since = learnings.reduce(
    (least, { id, createdAt }) => Math.min(least, lastChecks.get(id) ?? createdAt),
    reflectedAt ?? 0,
  );
  const tasks = await listTasks(db);
  return {
    ...{ learnings, lastChecks, tasks, goals: await listGoals(db) },
    lastSigns: new Map(
      [...uses].map(([id, { lastUsedAt, lastConfirmedAt }]) => [id, Math.max(lastUsedAt ?? 0, lastConfirmedAt ?? 0)]),
    ),
    outcomes: { attempts: await listJudgedAttempts(db, { since, limit: MOST_ATTEMPTS }), tasks },
    tallies: await listStrategyTallies(db),
    reflectedAt,
    similarity: newSimilarity(vectors),
    vectors,
    filterKnown: (goals) => filterEverKnown(db, "goal", goals),
  };
}

/** The newest ones: what is older than so many attempts is checked by others. */
const MOST_ATTEMPTS = 10_000;
