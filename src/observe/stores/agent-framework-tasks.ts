import type { TaskStatus } from "../../domain/goal/task.ts";
import { oneLine } from "../../lib/text.ts";
import type { StoreItem } from "./other-store.ts";
import type { TableRow } from "./read-sql-dump.ts";
import { fieldsOf } from "./table-fields.ts";

/** The framework has tasks without goals: each of its lists becomes one proposed goal. */
const lists = [
  { table: "agent_task_queue", title: "The task queue of persistent-agent-framework" },
  { table: "agent_action_items", title: "The action items of persistent-agent-framework" },
  { table: "agent_heartbeat", title: "The heartbeat tasks of persistent-agent-framework" },
] as const;

const statuses: Readonly<Record<string, TaskStatus>> = {
  ...{ completed: "done", done: "done", failed: "blocked", blocked: "blocked", deferred: "pending" },
  ...{ cancelled: "dropped", rejected: "dropped", filtered: "dropped", dismissed: "dropped" },
};

export function* readFrameworkTasks(
  tables: Readonly<Record<string, readonly TableRow[]>>,
  mostCharacters: number,
): Iterable<StoreItem> {
  for (const { table, title } of lists) {
    const rows = (tables[table] ?? []).map((row) => fieldsOf(row, mostCharacters));
    if (rows.length === 0) continue;
    const made = rows.map((row) => row.time("created_at") ?? 0);
    yield {
      ...{ kind: "goal", workspace: null, at: Math.min(...made) },
      it: {
        ...{ name: table, title, description: "", status: "proposed", priority: 5, parent: null, dependsOn: [] },
        ...{ reason: null, metadata: {}, endedAt: null },
      },
    };
    for (const row of rows) yield taskOf(table, row);
  }
}

function taskOf(table: string, row: ReturnType<typeof fieldsOf>): StoreItem {
  const [id, text] = [row.name("id"), row.text("task") ?? row.text("raw_text")];
  if (id === null || text === null)
    return { kind: "left", left: { what: table, count: 1, why: "they have no id or text" } };
  const status = statuses[row.text("status") ?? ""] ?? "pending";
  const at = row.time("created_at") ?? 0;
  const payload = row.json("payload");
  const details = [row.text("description"), row.text("plan"), payload === "{}" ? null : payload, text];
  const description = details.filter((one) => one !== null && one !== oneLine(text, 200)).join("\n");
  const error = row.text("error");
  return {
    ...{ kind: "task", workspace: null, at },
    it: {
      ...{ name: `${table}:${id}`, goal: table, title: oneLine(text, 200), description, status },
      // 1 is the most urgent there, too.
      position: Math.round(row.number("priority", 3)),
      dependsOn: [],
      result: status === "done" ? (row.text("result") ?? null) : null,
      reason: status === "blocked" || status === "dropped" ? (error ?? row.text("filter_reason")) : null,
      metadata: { attempts: row.number("retry_count", 0) },
      endedAt: status === "done" || status === "dropped" ? (row.time("completed_at") ?? at) : null,
    },
  };
}
