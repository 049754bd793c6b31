import { type Complexity, newTally, type RouteAttempt, type Tally, type TallyKey } from "../../domain/route/tally.ts";
import type { Db } from "../engine/db.ts";

/** What the router knows of these models, at all kinds of tasks. */
export async function listTallies(db: Db, models: readonly string[] | null = null): Promise<readonly Tally[]> {
  if (models !== null && models.length === 0) return [];
  const among = models === null ? "" : `where model in (${models.map(() => "?").join(", ")})`;
  const rows = await db.all<TallyRow>(
    `select ${columns} from route_tallies ${among} order by task_type, complexity, model, attempt`,
    models ?? [],
  );
  return rows.map(fromRow);
}

/** `next` may be called more than once: again with the newer state if another process was first. */
export async function changeTally(db: Db, key: TallyKey, at: number, next: (before: Tally) => Tally): Promise<void> {
  const { taskType, complexity, model, attempt } = key;
  const subject = [taskType, complexity, model, attempt];
  for (;;) {
    const row = await db.get<TallyRow>(`select ${columns} from route_tallies where ${isSubject}`, subject);
    if (row === undefined) {
      await db.run(
        `insert into route_tallies (${columns}) values (?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, ?, 0, 0, 0, 0, null, null)
         on conflict (task_type, complexity, model, attempt) do nothing`,
        [...subject, at],
      );
      continue;
    }
    const after = next(fromRow(row));
    const changed = await db.run(
      `update route_tallies set tries = ?, explored = ?, outcomes = ?, quality = ?, judged = ?, calls = ?, cost = ?,
         cost_ratio = ?, latency_ms = ?, at = ?, fall = ?, fall_outcomes = ?, fall_quality = ?, fell_from = ?,
         fell_at = ?, version = version + 1 where ${isSubject} and version = ?`,
      [
        after.tries,
        after.explored,
        after.outcomes,
        after.quality,
        after.judged,
        after.calls,
        after.cost,
        after.costRatio,
        after.latencyMs,
        Math.round(after.at),
        after.fall,
        after.fallOutcomes,
        after.fallQuality,
        after.fellFrom,
        after.fellAt === null ? null : Math.round(after.fellAt),
        ...subject,
        row.version,
      ],
    );
    if (changed === 1) return;
  }
}

const columns =
  "task_type, complexity, model, attempt, tries, explored, outcomes, quality, judged, calls, cost, cost_ratio, latency_ms, at, version, fall, fall_outcomes, fall_quality, fell_from, fell_at";
const isSubject = "task_type = ? and complexity = ? and model = ? and attempt = ?";

interface TallyRow {
  readonly task_type: string;
  readonly complexity: string;
  readonly model: string;
  readonly attempt: string;
  readonly tries: number;
  readonly explored: number;
  readonly outcomes: number;
  readonly quality: number;
  readonly judged: number;
  readonly calls: number;
  readonly cost: number;
  readonly cost_ratio: number;
  readonly latency_ms: number;
  readonly at: number;
  readonly version: number;
  readonly fall: number;
  readonly fall_outcomes: number;
  readonly fall_quality: number;
  readonly fell_from: number | null;
  readonly fell_at: number | null;
}

function fromRow(row: TallyRow): Tally {
  const key: TallyKey = {
    taskType: row.task_type,
    complexity: row.complexity as Complexity,
    model: row.model,
    attempt: row.attempt as RouteAttempt,
  };
  return {
    ...newTally(key, row.at),
    tries: row.tries,
    explored: row.explored,
    outcomes: row.outcomes,
    quality: row.quality,
    judged: row.judged,
    calls: row.calls,
    cost: row.cost,
    costRatio: row.cost_ratio,
    latencyMs: row.latency_ms,
    fall: row.fall,
    fallOutcomes: row.fall_outcomes,
    fallQuality: row.fall_quality,
    fellFrom: row.fell_from,
    fellAt: row.fell_at,
  };
}
