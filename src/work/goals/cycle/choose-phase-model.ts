import type { Goal } from "../../../domain/goal/goal.ts";
import type { Task } from "../../../domain/goal/task.ts";
import { parseModelRef } from "../../../domain/model/model-ref.ts";

/** The model that a task or its goal names, else that of the cycle; null: the router chooses for the kind of task. */
export function choosePhaseModel(
  { goal, task }: { readonly goal: Pick<Goal, "metadata">; readonly task: Pick<Task, "metadata"> | null },
  given: string | null,
): string | null {
  // The model of an earlier attempt is noted there too: that is no wish.
  const wished = task?.metadata["modelBy"] === "cycle" ? null : task?.metadata["model"];
  return readNamed(wished) ?? readNamed(goal.metadata["model"]) ?? given;
}

function readNamed(value: unknown): string | null {
  return typeof value === "string" && parseModelRef(value) !== null ? value : null;
}
