import type { Check } from "./check.ts";

/** What a marker of an agent asks for, such as `[TASK_ADD]{"goal": "goal_1", "title": "…"}`. */
export type MarkedTask =
  | {
      readonly kind: "add";
      /** Null: the goal of the cycle that the agent works for. */
      readonly goal: string | null;
      readonly title: string;
      readonly description: string;
      readonly check: Check;
    }
  | {
      readonly kind: "edit";
      readonly goal: string | null;
      readonly task: string;
      readonly title: string | null;
      readonly description: string | null;
    }
  | { readonly kind: "done"; readonly goal: string | null; readonly task: string; readonly result: string | null }
  | { readonly kind: "remove"; readonly goal: string | null; readonly task: string; readonly reason: string | null };

type MarkerData = Readonly<Record<string, unknown>>;

/** With any of the usual field names. A text says what is missing. */
export function parseMarkedTask(name: string, data: MarkerData): MarkedTask | string {
  const goal = textOf(data, ["goal", "goal_id"], 200);
  if (name === "TASK_ADD") {
    const title = textOf(data, ["title", "task", "content", "text"], 200);
    if (title === null) return "title is missing";
    const description = textOf(data, ["description", "details"], 10_000) ?? "";
    return { kind: "add", goal, title, description, check: parseMarkedCheck(data, title) };
  }
  const task = textOf(data, ["task", "id", "task_id"], 200);
  if (task === null) return "task is missing: the id or the title of the task";
  if (name === "TASK_DONE") return { kind: "done", goal, task, result: textOf(data, ["result", "summary"], 2_000) };
  if (name === "TASK_REMOVE") return { kind: "remove", goal, task, reason: textOf(data, ["reason", "why"], 500) };
  if (name !== "TASK_EDIT") return `${name} is not known; use TASK_ADD, TASK_EDIT, TASK_DONE or TASK_REMOVE`;
  if (checkFields.some((field) => data[field] !== undefined)) return "only the owner changes the check of a task";
  const title = textOf(data, ["title"], 200);
  const description = textOf(data, ["description", "details"], 10_000);
  return title === null && description === null
    ? "title or description is missing"
    : { kind: "edit", goal, task, title, description };
}

const checkFields = ["check", "test", "file", "contains", "commit", "review", "person"] as const;

/** Without one, a person says whether it is done. */
function parseMarkedCheck(data: MarkerData, title: string): Check {
  const text = (name: (typeof checkFields)[number]) => textOf(data, [name], 2_000);
  const run = { exit: 0, seconds: 600, files: [] };
  const [check, test, file, commit] = [text("check"), text("test"), text("file"), text("commit")];
  const [review, person] = [text("review"), text("person")];
  if (check !== null) return { kind: "command", command: check, ...run };
  if (test !== null) return { kind: "test", command: test, ...run };
  if (file !== null) return { kind: "file", path: file, contains: text("contains") };
  if (commit !== null) return { kind: "commit", paths: [], message: commit };
  if (review !== null) return { kind: "reviewer", criteria: review, model: null };
  return { kind: "person", asks: person ?? `Is it done: ${title}?` };
}

function textOf(data: MarkerData, names: readonly string[], max: number): string | null {
  const found = names.map((name) => data[name]).find((value) => typeof value === "string" && value.trim() !== "");
  return typeof found === "string" ? found.trim().slice(0, max) : null;
}
