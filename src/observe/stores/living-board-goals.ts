import type { CommentKind } from "../../domain/goal/comment.ts";
import { type GoalStatus, highestPriority, lowestPriority } from "../../domain/goal/goal.ts";
import type { TaskStatus } from "../../domain/goal/task.ts";
import { parseTime } from "../../lib/clock.ts";
import { isRecord, nonEmptyText } from "../../lib/json.ts";
import { oneLine } from "../../lib/text.ts";
import type { StoreItem } from "./other-store.ts";
import type { TableRow } from "./read-sql-dump.ts";
import { dropUnsoundLinks, fieldsOf, listUnknownFields } from "./table-fields.ts";

type Board = Readonly<Record<string, readonly TableRow[]>>;

/** Goals, tasks, comments, the log and snapshots. Nothing of them is active: an import must not begin to spend. */
export function* readBoardGoals(board: Board, mostCharacters: number): Iterable<StoreItem> {
  const read = (row: TableRow) => fieldsOf(row, mostCharacters);
  const goals = board["goals"] ?? [];
  const tasks = board["tasks"] ?? [];
  yield* goalsOf(goals, read);
  yield* tasksOf(tasks, read);
  const goalNames = goals.flatMap((row) => read(row).name("id") ?? []);
  for (const row of board["goal_comments"] ?? []) yield commentOf(read(row));
  for (const row of board["execution_log"] ?? []) yield* entryOf(read(row));
  for (const row of board["snapshots"] ?? []) yield snapshotOf(read(row), goalNames);
  for (const [table, fields] of Object.entries(knownFields))
    for (const left of listUnknownFields(table, board[table] ?? [], fields)) yield { kind: "left", left };
}

type Fields = ReturnType<typeof fieldsOf>;
type Reader = (row: TableRow) => Fields;

/** What was to be done waits for the owner; the reason says how it stood there. */
const goalStatuses: Readonly<Record<string, GoalStatus>> = {
  ...{
    done: "done",
    completed: "done",
    closed: "done",
    dropped: "dropped",
    cancelled: "dropped",
    abandoned: "dropped",
  },
};

function* goalsOf(rows: readonly TableRow[], read: Reader): Iterable<StoreItem> {
  const links = (of: (fields: Fields) => readonly (string | null)[]) =>
    dropUnsoundLinks(
      new Map(
        rows.map(read).flatMap((fields) => {
          const name = fields.name("id");
          return name === null ? [] : [[name, of(fields).filter((one) => one !== null)] as const];
        }),
      ),
    );
  const parents = links((fields) => [fields.name("parent_goal_id")]);
  const firsts = links((fields) => namesIn(fields.list("depends_on")));
  for (const row of rows) {
    const fields = read(row);
    const [name, title] = [fields.name("id"), fields.text("title")];
    if (name === null || title === null) {
      yield nameless("goals");
      continue;
    }
    const there = fields.text("status") ?? "pending";
    const status = goalStatuses[there] ?? "proposed";
    const metadata = fields.record("metadata");
    const at = fields.time("created_at") ?? 0;
    const blocked = nonEmptyText(metadata["blocked_reason"]);
    yield {
      ...{ kind: "goal", workspace: null, at },
      it: {
        ...{ name, title: oneLine(title, 200), description: fields.text("description") ?? "", status },
        priority: Math.min(lowestPriority, Math.max(highestPriority, Math.round(fields.number("priority", 5)))),
        parent: parents.get(name)?.[0] ?? null,
        dependsOn: firsts.get(name) ?? [],
        reason:
          status === "proposed"
            ? `it was ${there.replaceAll("_", " ")} in living-board${blocked === null ? "" : `: ${blocked}`}`
            : null,
        metadata: { ...metadata, created_by: fields.text("created_by") ?? metadata["created_by"] ?? null },
        endedAt: status === "proposed" ? null : (fields.time("completed_at") ?? fields.time("updated_at") ?? at),
      },
    };
  }
}

const taskStatuses: Readonly<Record<string, TaskStatus>> = {
  ...{ done: "done", completed: "done", blocked: "blocked", dropped: "dropped", cancelled: "dropped" },
};

function* tasksOf(rows: readonly TableRow[], read: Reader): Iterable<StoreItem> {
  const goalOf = new Map(rows.map(read).map((fields) => [fields.name("id"), fields.name("goal_id")] as const));
  const firsts = dropUnsoundLinks(
    new Map(
      rows.map(read).flatMap((fields) => {
        const name = fields.name("id");
        const inGoal = namesIn(fields.list("depends_on")).filter((one) => goalOf.get(one) === fields.name("goal_id"));
        return name === null ? [] : [[name, inGoal] as const];
      }),
    ),
  );
  for (const row of rows) {
    const fields = read(row);
    const [name, goal, title] = [fields.name("id"), fields.name("goal_id"), fields.text("title")];
    if (name === null || goal === null || title === null) {
      yield nameless("tasks");
      continue;
    }
    const status = taskStatuses[fields.text("status") ?? ""] ?? "pending";
    const at = fields.time("created_at") ?? 0;
    const hasEnded = status === "done" || status === "dropped";
    yield {
      ...{ kind: "task", workspace: null, at },
      it: {
        ...{ name, goal, title: oneLine(title, 200), description: fields.text("description") ?? "", status },
        position: Math.round(fields.number("sort_order", 0)),
        dependsOn: firsts.get(name) ?? [],
        result: fields.text("result"),
        reason: status === "blocked" ? fields.text("blocked_reason") : null,
        metadata: { ...fields.record("metadata"), attempts: fields.number("attempts", 0) },
        endedAt: hasEnded ? (fields.time("completed_at") ?? at) : null,
      },
    };
  }
}

/** A yes that was given there is no yes here, so an approval becomes a note. */
const commentKinds: Readonly<Record<string, CommentKind>> = {
  ...{ question: "question", direction_change: "direction", direction: "direction", correction: "correction" },
};

function commentOf(fields: Fields): StoreItem {
  const [name, goal, text] = [fields.name("id"), fields.name("goal_id"), fields.text("content")];
  if (name === null || goal === null || text === null) return nameless("comments");
  const author = fields.text("author") ?? "user";
  return {
    ...{ kind: "comment", workspace: null, at: fields.time("created_at") ?? 0 },
    it: {
      ...{ name, goal, text: `${author === "user" ? "" : `${author}: `}${text}` },
      kind: commentKinds[fields.text("comment_type") ?? ""] ?? "note",
      acknowledgedAt: fields.time("acknowledged_at"),
      answer: fields.text("agent_response"),
    },
  };
}

/** An entry without a time or a summary is counted where events are made of the same entries. */
function* entryOf(fields: Fields): Iterable<StoreItem> {
  const [name, at, summary] = [fields.name("id"), fields.time("created_at"), fields.text("summary")];
  if (name === null || at === null || summary === null) return;
  yield {
    ...{ kind: "log", workspace: null, at },
    it: {
      ...{ name, action: fields.text("action") ?? "execute", summary, details: fields.record("details") },
      ms: fields.number("duration_ms", -1) < 0 ? null : fields.number("duration_ms", 0),
      goal: fields.name("goal_id"),
      task: fields.name("task_id"),
    },
  };
}

function snapshotOf(fields: Fields, goals: readonly string[]): StoreItem {
  const [name, content] = [fields.name("id"), fields.text("content")];
  if (name === null || content === null) return nameless("snapshots");
  // It shortens ids of goals.
  const whole = (id: unknown) => goals.find((one) => typeof id === "string" && id !== "" && one.startsWith(id)) ?? "";
  const at = fields.time("created_at") ?? 0;
  const records = (name_: string) => fields.list(name_).filter(isRecord);
  return {
    ...{ kind: "snapshot", workspace: null, at },
    it: {
      ...{ name, content, cycleCount: Math.round(fields.number("cycle_count", 0)) },
      currentFocus: fields.text("current_focus"),
      activeGoals: records("active_goals").map((goal) => ({
        ...{ id: whole(goal["id"]), title: String(goal["title"] ?? ""), verifiedPercent: 0 },
        status: goalStatuses[String(goal["status"])] ?? "active",
        claimedPercent: percentOf(goal["progress_pct"]),
      })),
      recentOutcomes: records("recent_outcomes").map((one) => {
        const { summary, timestamp, success } = one;
        return { summary: String(summary ?? ""), at: parseTime(timestamp) ?? at, success: success !== false };
      }),
      openBlockers: records("open_blockers").map((one) => {
        return { goal: whole(one["goal_id"]), description: String(one["description"] ?? "") };
      }),
      keyLearnings: records("key_learnings").map((one) => ({
        ...{ content: String(one["content"] ?? ""), category: nonEmptyText(one["category"]) },
        confidence: Number.isFinite(Number(one["confidence"])) ? Number(one["confidence"]) : 0.5,
      })),
    },
  };
}

function percentOf(value: unknown): number {
  const percent = Number(value);
  return Number.isFinite(percent) ? Math.min(100, Math.max(0, Math.round(percent))) : 0;
}

function namesIn(list: readonly unknown[]): readonly string[] {
  return list.flatMap((one) => nonEmptyText(one) ?? []);
}

function nameless(what: string): StoreItem {
  return { kind: "left", left: { what, count: 1, why: "they have no id, goal or text" } };
}

const knownFields: Readonly<Record<string, readonly string[]>> = {
  goals:
    "id title description status priority parent_goal_id depends_on created_by metadata created_at updated_at completed_at".split(
      " ",
    ),
  tasks:
    "id goal_id title description status sort_order attempts max_attempts result blocked_reason depends_on metadata created_at updated_at started_at completed_at".split(
      " ",
    ),
  goal_comments: "id goal_id author comment_type content acknowledged_at agent_response created_at updated_at".split(
    " ",
  ),
  execution_log: "id trigger_run_id goal_id task_id action summary details duration_ms created_at".split(" "),
  snapshots:
    "id content active_goals current_focus recent_outcomes open_blockers key_learnings cycle_count created_at".split(
      " ",
    ),
};
