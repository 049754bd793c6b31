import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../../context.ts";
import { findCycleGap } from "../../../domain/goal/find-gap.ts";
import { hasEnded } from "../../../domain/goal/goal.ts";
import { composeSnapshot, type SnapshotSource } from "../../../domain/goal/progress.ts";
import type { Snapshot } from "../../../domain/goal/snapshot.ts";
import { systemErrorCode } from "../../../lib/errors.ts";
import { newId } from "../../../lib/ids.ts";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { replacePrivateFile } from "../../../lib/replace-file.ts";
import { listComments } from "../../../store/goals/comments.ts";
import { listCycles } from "../../../store/goals/cycles.ts";
import { listExecutionEntries } from "../../../store/goals/execution-log.ts";
import { addSnapshot } from "../../../store/goals/snapshots.ts";
import { listGoals } from "../../../store/nouns/goals.ts";
import { listJobs } from "../../../store/nouns/jobs.ts";
import { listMemories } from "../../../store/nouns/memories.ts";
import { listTasks } from "../../../store/nouns/tasks.ts";

type SnapshotContext = Pick<Context, "db" | "clock" | "config">;

/** Writes where all goals stand, and keeps a copy where it is found without the store. */
export async function writeSnapshot(
  ctx: SnapshotContext,
  keepCopy: (snapshot: Snapshot) => void,
  gap: string | null,
): Promise<Snapshot> {
  const at = ctx.clock.now();
  const snapshot = composeSnapshot(await readSnapshotSource(ctx, gap), { id: newId("snap", at), at });
  await addSnapshot(ctx.db, snapshot);
  keepCopy(snapshot);
  return snapshot;
}

/** `gap`: that no cycle ran for too long, in a sentence. */
export async function readSnapshotSource({ db }: Pick<Context, "db">, gap: string | null): Promise<SnapshotSource> {
  const learnings = await listMemories(db, { status: "active", kind: "learning" });
  return {
    goals: await listGoals(db),
    tasks: await listTasks(db),
    log: await listExecutionEntries(db, { limit: 50 }),
    learnings: learnings.toSorted((a, b) => b.confidence - a.confidence || b.createdAt - a.createdAt),
    cycleCount: (await listCycles(db, { limit: 1 }))[0]?.number ?? 0,
    comments: (await listComments(db, { isOpen: true })).length,
    warnings: gap === null ? [] : [gap],
  };
}

/** A sentence for the owner if cycles should run and do not; null if all is well. */
export async function findGap({ db, clock, config }: SnapshotContext): Promise<string | null> {
  const job = (await listJobs(db)).find(
    ({ work, enabled }) => enabled && work.kind === "built-in" && work.name === "cycle",
  );
  if (job === undefined) return null;
  // The one that runs now is no sign that others ran before it.
  const last = (await listCycles(db, { limit: 2 })).find(({ endedAt }) => endedAt !== null);
  return findCycleGap({
    ...{ lastAt: last?.beganAt ?? null, since: job.madeAt, hasJob: true, now: clock.now() },
    openGoals: (await listGoals(db)).filter((goal) => goal.status === "active" && !hasEnded(goal)).length,
    hours: config.policy.goals.gapHours,
  });
}

export function copySnapshot(home: string, snapshot: Snapshot): void {
  replacePrivateFile(copyPath(home), `${JSON.stringify(snapshot, null, 2)}\n`);
}

/** The last snapshot that was written on this machine; null if there is none. */
export function readSnapshotCopy(home: string): Snapshot | null {
  try {
    const read = tryParseJson(readFileSync(copyPath(home), "utf8"));
    return isRecord(read) && typeof read["content"] === "string" ? (read as unknown as Snapshot) : null;
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    return null;
  }
}

function copyPath(home: string): string {
  return join(home, "latest-snapshot.json");
}
