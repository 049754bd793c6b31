import { plural } from "../../lib/text.ts";
import type { Memory } from "../memory/memory.ts";
import type { ExecutionEntry } from "./cycle.ts";
import type { Board } from "./decide.ts";
import { type Goal, hasEnded } from "./goal.ts";
import type { GoalProgress, Snapshot } from "./snapshot.ts";

/** All that a snapshot is made of: rows, and no model. */
export interface SnapshotSource extends Board {
  /** The newest first. */
  readonly log: readonly ExecutionEntry[];
  readonly learnings: readonly Memory[];
  readonly cycleCount: number;
  /** Open comments. */
  readonly comments: number;
  /** What the owner must know of besides, a sentence each. */
  readonly warnings: readonly string[];
}

export function composeSnapshot(from: SnapshotSource, { id, at }: Pick<Snapshot, "id" | "at">): Snapshot {
  const open = from.goals.filter((goal) => !hasEnded(goal));
  const activeGoals = open
    .filter(({ status }) => status !== "proposed")
    .toSorted((a, b) => a.priority - b.priority || a.madeAt - b.madeAt)
    .map((goal) => measureProgress(goal, from));
  const facts: Omit<Snapshot, "content"> = {
    ...{ id, at, cycleCount: from.cycleCount, activeGoals, currentFocus: findFocus(from) },
    recentOutcomes: from.log.slice(0, MOST_OUTCOMES).map(({ summary, at: then, details }) => ({
      summary,
      at: then,
      success: SUCCESS.has(String(details["outcome"])),
    })),
    openBlockers: listBlockers(from),
    keyLearnings: from.learnings
      .slice(0, MOST_LEARNINGS)
      .map(({ text, confidence, category }) => ({ content: text, confidence, category })),
    source: null,
  };
  return { ...facts, content: writeLetter(facts, from) };
}

const MOST_OUTCOMES = 3;
const MOST_LEARNINGS = 5;
const SUCCESS: ReadonlySet<string> = new Set(["verified", "claimed", "planned", "reflected"]);

function measureProgress({ id, title, status }: Goal, { tasks }: Board): GoalProgress {
  const own = tasks.filter((task) => task.goal === id && task.status !== "dropped");
  const done = own.filter((task) => task.status === "done");
  const verified = done.filter(({ proof }) => proof === "verified").length;
  const percent = (count: number) => (own.length === 0 ? 0 : Math.round((100 * count) / own.length));
  return { id, title, status, verifiedPercent: percent(verified), claimedPercent: percent(done.length - verified) };
}

/** The title of what was worked on last, or is worked on now. */
function findFocus({ tasks, log }: SnapshotSource): string | null {
  const now = tasks.find(({ status }) => status === "in-progress");
  if (now !== undefined) return now.title;
  const last = log.find(({ task }) => task !== null)?.task;
  return tasks.find(({ id }) => id === last)?.title ?? null;
}

function listBlockers({ goals, tasks }: Board): Snapshot["openBlockers"] {
  return goals
    .filter((goal) => !hasEnded(goal))
    .flatMap((goal) => [
      ...tasks
        .filter((task) => task.goal === goal.id && task.status === "blocked")
        .map((task) => ({ goal: goal.id, description: `${task.title}: ${task.reason ?? "blocked"}` })),
      ...(goal.status === "blocked" && !tasks.some((task) => task.goal === goal.id && task.status === "blocked")
        ? [{ goal: goal.id, description: `${goal.title}: ${goal.reason ?? "blocked"}` }]
        : []),
      ...(goal.status === "paused" ? [{ goal: goal.id, description: `paused: ${goal.reason ?? "by the owner"}` }] : []),
    ]);
}

/** One or two paragraphs: where things stand, and what is in the way. */
function writeLetter(
  { activeGoals, currentFocus, recentOutcomes, openBlockers, cycleCount }: Omit<Snapshot, "content">,
  { comments, warnings }: SnapshotSource,
): string {
  const goals = activeGoals
    .slice(0, MOST_NAMED)
    .map(
      ({ title, status, verifiedPercent, claimedPercent }) =>
        `"${title}" is ${status}, ${verifiedPercent} % verified${claimedPercent === 0 ? "" : ` and ${claimedPercent} % only claimed`}`,
    );
  const more = activeGoals.length > MOST_NAMED ? `, and ${activeGoals.length - MOST_NAMED} more` : "";
  const first = [
    `After ${plural(cycleCount, "cycle")}, ${activeGoals.length === 0 ? "there is no open goal" : `${plural(activeGoals.length, "goal is", "goals are")} open: ${goals.join("; ")}${more}`}.`,
    ...(currentFocus === null ? [] : [`The work was last on "${currentFocus}".`]),
    ...recentOutcomes.map(({ summary }) => `${summary.replace(/\.$/, "")}.`),
  ].join(" ");
  const second = [
    ...openBlockers.slice(0, MOST_NAMED).map(({ description }) => `In the way: ${description.replace(/\.$/, "")}.`),
    ...(comments === 0 ? [] : [`${plural(comments, "comment waits", "comments wait")} to be read.`]),
    ...warnings,
  ].join(" ");
  return second === "" ? first : `${first}\n\n${second}`;
}

const MOST_NAMED = 5;
