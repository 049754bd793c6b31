import type { TaskAttempt } from "../../src/domain/goal/attempt.ts";
import { findSnapshotFault } from "../../src/domain/goal/check-snapshot.ts";
import type { Task } from "../../src/domain/goal/task.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { listTaskAttempts } from "../../src/store/goals/attempts.ts";
import { listCycles } from "../../src/store/goals/cycles.ts";
import { listExecutionEntries } from "../../src/store/goals/execution-log.ts";
import { readLastSnapshot } from "../../src/store/goals/snapshots.ts";
import { countTasksByGoal } from "../../src/store/goals/table-counts.ts";
import { listGoals } from "../../src/store/nouns/goals.ts";
import { listTasks } from "../../src/store/nouns/tasks.ts";

export interface CycleCounts {
  readonly cycles: number;
  readonly lost: number;
  readonly done: number;
  readonly blocked: number;
}

/** What must hold when all work is done and nothing goes wrong any more. */
export async function checkCycles(
  db: Db,
  { mostAttempts, now }: { readonly mostAttempts: number; readonly now: number },
): Promise<{ readonly broken: readonly string[]; readonly counts: CycleCounts }> {
  const [tasks, attempts, cycles] = [await listTasks(db), await listTaskAttempts(db), await listCycles(db)];
  const broken = tasks.flatMap((task) =>
    findTaskFaults(
      task,
      attempts.filter((one) => one.task === task.id),
      mostAttempts,
    ),
  );
  for (const goal of await listGoals(db)) {
    const own = tasks.filter((task) => task.goal === goal.id).length;
    if (own < 3 || own > 8) broken.push(`${goal.title} has ${own} tasks`);
    if (goal.status === "active" && !(goal.reason ?? "").includes("waits for you"))
      broken.push(`${goal.title} is still active`);
  }
  const open = cycles.filter(({ endedAt }) => endedAt === null).length;
  if (open > 0) broken.push(`${open} cycles are still open`);
  const logged = await listExecutionEntries(db);
  // What was found lost stays so, whatever its process still does.
  for (const { id, details } of logged.filter((line) => line.id.startsWith("lost_"))) {
    const cycle = cycles.find((one) => `lost_${one.id}` === id);
    if (cycle?.outcome !== details["outcome"])
      broken.push(
        `cycle ${cycle?.number ?? "?"} was found ${String(details["outcome"])}, and is ${cycle?.outcome ?? "not there"} now`,
      );
  }
  for (const one of attempts.filter(({ state }) => state === "verified")) {
    const lines = logged.filter(
      ({ id, details }) =>
        !id.startsWith("lost_") && details["attempt"] === one.id && details["outcome"] === "verified",
    );
    if (lines.length !== 1) broken.push(`attempt ${one.number} at ${one.task} has ${lines.length} lines in the log`);
  }
  const fault = findSnapshotFault(await readLastSnapshot(db), await countTasksByGoal(db), { now, hours: 1_000_000 });
  if (fault !== null) broken.push(`the last snapshot is wrong: ${fault}`);
  const count = (is: (task: Task) => boolean) => tasks.filter(is).length;
  return {
    broken,
    counts: {
      cycles: cycles.length,
      lost: cycles.filter(({ outcome }) => outcome === "lost").length,
      done: count(({ status }) => status === "done"),
      blocked: count(({ status }) => status === "blocked"),
    },
  };
}

function findTaskFaults(task: Task, attempts: readonly TaskAttempt[], mostAttempts: number): string[] {
  const of = (...states: readonly string[]) => attempts.filter(({ state }) => states.includes(state)).length;
  const [good, bad] = [of("verified", "claimed"), of("failed", "lost")];
  const name = `${task.title} (${task.status})`;
  return [
    ...(of("open") > 0 ? [`${name} has an open attempt`] : []),
    ...(task.status === "pending" || task.status === "in-progress" ? [`${name} came to no end`] : []),
    ...(good > 1 ? [`${name} was done ${good} times`] : []),
    ...(task.status === "done" && good === 0 ? [`${name} is done, and no attempt did it`] : []),
    ...(task.status !== "done" && good > 0 ? [`${name} was done, and that was lost`] : []),
    ...(bad > mostAttempts ? [`${name} had ${bad} attempts that count`] : []),
    ...(task.status === "blocked" && bad < mostAttempts ? [`${name} has ${bad} attempts that count`] : []),
  ];
}
