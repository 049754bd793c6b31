import { formatActor } from "../../domain/actor.ts";
import { hashCheck } from "../../domain/goal/check.ts";
import type { Goal } from "../../domain/goal/goal.ts";
import type { Task } from "../../domain/goal/task.ts";
import type { Change } from "../../domain/journal.ts";
import { patternName } from "../../domain/ledger/pattern.ts";
import { judgeSignal } from "../../domain/ledger/signal.ts";
import { hashText } from "../../lib/hash.ts";
import type { Db } from "../../store/engine/db.ts";
import { insertComment } from "../../store/goals/comments.ts";
import { addExecutionEntry } from "../../store/goals/execution-log.ts";
import { addSnapshot } from "../../store/goals/snapshots.ts";
import { applyAllChanges, planChange, type Provenance } from "../../store/journal/journal.ts";
import { goalNoun, listGoals } from "../../store/nouns/goals.ts";
import { mistakeNoun, winNoun } from "../../store/nouns/ledger.ts";
import { taskNoun } from "../../store/nouns/tasks.ts";
import type { SkippedItems, StoreItem } from "../stores/other-store.ts";
import { filterNeverKnown } from "./filter-never-known.ts";

export interface InsertedItems {
  readonly changes: readonly Change<object>[];
  /** New rows that are not journalled. */
  readonly rows: number;
  readonly orphans: readonly SkippedItems[];
}

type ItemOf<Kind extends StoreItem["kind"]> = Extract<StoreItem, { kind: Kind }>;

const kinds: ReadonlySet<StoreItem["kind"]> = new Set(["goal", "task", "comment", "log", "snapshot", "ledger"]);

export function countGoalItems(items: readonly StoreItem[]): number {
  return items.filter(({ kind }) => kinds.has(kind)).length;
}

/** Goals come before their tasks, and tasks before what names them. */
export async function insertGoalItems(
  tx: Db,
  from: { readonly store: string; readonly because: Provenance },
  items: readonly StoreItem[],
): Promise<InsertedItems> {
  if (countGoalItems(items) === 0) return { changes: [], rows: 0, orphans: [] };
  const pick = <Kind extends StoreItem["kind"]>(kind: Kind) =>
    items.filter((item): item is ItemOf<Kind> => item.kind === kind);
  const { store, because } = from;
  const goals = await filterNeverKnown(
    tx,
    goalNoun,
    pick("goal").map((one) => toGoal(store, one)),
  );
  const changes = await applyAllChanges(
    tx,
    goals.map((goal) => planChange(goalNoun, goal.id, because, () => goal)),
  );
  const known = new Set((await listGoals(tx)).map(({ id }) => id));
  const allTasks = pick("task").map((one) => toTask(store, one));
  const tasks = await filterNeverKnown(
    tx,
    taskNoun,
    allTasks.filter(({ goal }) => known.has(goal)),
  );
  const entries = pick("ledger").map((one) => toLedgerEntry(store, one));
  const mistakes = await filterNeverKnown(
    tx,
    mistakeNoun,
    entries.filter((one) => "signal" in one),
  );
  const wins = await filterNeverKnown(
    tx,
    winNoun,
    entries.filter((one) => !("signal" in one)),
  );
  changes.push(
    ...(await applyAllChanges(tx, [
      ...tasks.map((task) => planChange(taskNoun, task.id, because, () => task)),
      ...mistakes.map((one) => planChange(mistakeNoun, one.id, because, () => one)),
      ...wins.map((one) => planChange(winNoun, one.id, because, () => one)),
    ])),
  );
  let rows = 0;
  const comments = pick("comment").map((one) => toComment(store, one));
  for (const comment of comments) if (known.has(comment.goal) && (await insertComment(tx, comment))) rows++;
  for (const one of pick("log")) if (await addExecutionEntry(tx, toEntry(store, one))) rows++;
  for (const one of pick("snapshot")) if (await addSnapshot(tx, toSnapshot(store, one))) rows++;
  return {
    ...{ changes, rows },
    orphans: [
      ...orphans("tasks", allTasks.filter(({ goal }) => !known.has(goal)).length),
      ...orphans("comments", comments.filter(({ goal }) => !known.has(goal)).length),
    ],
  };
}

function orphans(what: string, count: number): readonly SkippedItems[] {
  return count === 0 ? [] : [{ what, count, why: "their goal is not there" }];
}

const importer = formatActor({ kind: "import" });

type NamedKind = "goal" | "task" | "gc" | "xl" | "sn" | "mk" | "wn";

function idOf(store: string, kind: NamedKind, name: string): string {
  return `${kind}_${hashText(JSON.stringify([store, kind, name]))}`;
}

function idsOf(store: string, kind: NamedKind, names: readonly string[]): readonly string[] {
  return names.map((name) => idOf(store, kind, name));
}

function toGoal(store: string, { it: { name, ...goal }, at }: ItemOf<"goal">): Goal {
  return {
    ...goal,
    id: idOf(store, "goal", name),
    parent: goal.parent === null ? null : idOf(store, "goal", goal.parent),
    dependsOn: idsOf(store, "goal", goal.dependsOn),
    createdBy: importer,
    folder: null,
    metadata: { ...goal.metadata, importedFrom: store, importedId: name },
    madeAt: at,
  };
}

/** Nobody here has seen that it is done, so it is claimed, and a person decides. */
function toTask(store: string, { it: { name, ...task }, at }: ItemOf<"task">): Task {
  const check = { kind: "person", asks: `Is it done: ${task.title}?` } as const;
  return {
    ...task,
    id: idOf(store, "task", name),
    goal: idOf(store, "goal", task.goal),
    proof: task.status === "done" ? "claimed" : null,
    check,
    checkHash: hashCheck(check),
    base: null,
    dependsOn: idsOf(store, "task", task.dependsOn),
    tier: "execute",
    createdBy: importer,
    metadata: { ...task.metadata, importedFrom: store, importedId: name },
    madeAt: at,
  };
}

function toComment(store: string, { it: { name, ...comment }, at }: ItemOf<"comment">) {
  const id = idOf(store, "gc", name);
  const acknowledgedBy = comment.acknowledgedAt === null ? null : importer;
  return { ...comment, id, at, goal: idOf(store, "goal", comment.goal), author: importer, acknowledgedBy };
}

function toEntry(store: string, { it: { name, goal, task, ...entry }, at }: ItemOf<"log">) {
  return {
    ...entry,
    ...{ id: idOf(store, "xl", name), at, cycle: null, source: store },
    goal: goal === null ? null : idOf(store, "goal", goal),
    task: task === null ? null : idOf(store, "task", task),
  };
}

function toSnapshot(store: string, { it: { name, ...snapshot }, at }: ItemOf<"snapshot">) {
  const goalId = (goal: string) => (goal === "" ? "" : idOf(store, "goal", goal));
  return {
    ...snapshot,
    ...{ id: idOf(store, "sn", name), at, source: store },
    activeGoals: snapshot.activeGoals.map((goal) => ({ ...goal, id: goalId(goal.id) })),
    openBlockers: snapshot.openBlockers.map((one) => ({ ...one, goal: goalId(one.goal) })),
  };
}

/** A signal that is a slogan here is left out; the entry itself is history and stays. */
function toLedgerEntry(store: string, { it, at, workspace }: ItemOf<"ledger">) {
  const { kind, name, what, why, session, shouldHave, severity } = it;
  const pattern = patternName(it.pattern) || "imported";
  const id = idOf(store, kind === "mistake" ? "mk" : "wn", name);
  const entry = { id, at, what, why, pattern, expectation: null, origin: "external" as const, session, workspace };
  if (kind === "win") return entry;
  const isSignal = judgeSignal({ signal: it.signal, pattern, shouldHave }).kind === "signal";
  return { ...entry, shouldHave, severity, signal: isSignal ? it.signal : "" };
}
