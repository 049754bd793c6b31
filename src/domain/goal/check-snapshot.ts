import { HOUR } from "../../lib/clock.ts";
import type { Snapshot } from "./snapshot.ts";

/** What the tables say, counted by the database: none of the code that writes snapshots is used. */
export interface GoalCounts {
  readonly goal: string;
  readonly status: string;
  readonly verified: number;
  readonly claimed: number;
  readonly tasks: number;
  readonly blocked: number;
}

/** Why a snapshot cannot be used; null if it can: it is young enough, and the tables do not contradict it. */
export function findSnapshotFault(
  snapshot: Snapshot | null,
  counts: readonly GoalCounts[],
  { now, hours }: { readonly now: number; readonly hours: number },
): string | null {
  if (snapshot === null) return "there is none";
  const age = now - snapshot.at;
  if (age < 0) return "it is from the future: a clock was wrong";
  if (age > hours * HOUR) return `it is older than ${hours} hours`;
  if (snapshot.source !== null) return `it is from ${snapshot.source}`;
  const open = counts.filter(({ status }) => status !== "done" && status !== "dropped" && status !== "proposed");
  const written = new Map(snapshot.activeGoals.map((one) => [one.id, one]));
  if (written.size !== open.length) return `it has ${written.size} open goals, and there are ${open.length}`;
  for (const row of open) {
    const one = written.get(row.goal);
    if (one === undefined) return `it does not have ${row.goal}`;
    if (one.status !== row.status) return `${row.goal} is ${row.status}, and not ${one.status}`;
    const differs = (percent: number, count: number) =>
      Math.abs(percent * row.tasks - 100 * count) > row.tasks / 2 + 1e-9;
    if (differs(one.verifiedPercent, row.verified) || differs(one.claimedPercent, row.claimed))
      return `${row.goal} has ${row.verified} verified and ${row.claimed} claimed of ${row.tasks} tasks`;
    const blockers = snapshot.openBlockers.filter(({ goal }) => goal === row.goal).length;
    if (blockers < row.blocked) return `${row.goal} has ${row.blocked} blocked tasks`;
  }
  return null;
}
